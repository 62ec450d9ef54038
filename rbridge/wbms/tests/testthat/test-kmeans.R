test_that("residuals are data minus centres, NA for omitted rows", {
  fit <- toy_fit()
  expected <- rbind(
    r1 = c(a = -1, b = -2), r2 = c(1, 2), r3 = NA, r4 = c(-2, -4), r5 = c(0, 0), r6 = c(2, 4)
  )
  expect_identical(residuals(fit), expected)
  expect_identical(resid(fit), expected)
  expect_error(residuals(fit, type = "x"), "unknown argument")
})

test_that("a data frame has one row per row, with cluster and outlier", {
  fit <- toy_fit()
  table <- as.data.frame(fit)
  expect_identical(names(table), c("a", "b", "cluster", "outlier"))
  expect_identical(rownames(table), paste0("r", 1:6))
  expect_identical(table$cluster, factor(c(2, 2, NA, 1, 1, 1), 1:2))
  expect_identical(table["r4", "a"], 10)
  expect_true(is.na(table["r3", "a"]))
  colnames(fit$data) <- c("cluster", "b")
  expect_identical(names(as.data.frame(fit)), c("cluster", "b", "cluster.1", "outlier"))
  expect_identical(rownames(as.data.frame(fit, row.names = letters[1:6])), letters[1:6])
  expect_error(as.data.frame(fit, row.names = "a"), "'row.names' must have 6 names")
})

test_that("the fields of kmeans are there and mean what they mean there", {
  needs_python()
  fit <- iris_fit()
  z <- sweep(sweep(as.matrix(iris[, 1:4]), 2, fit$scale, "/"), 2, sqrt(fit$weights), "*")
  squares <- function(rows) sum(sweep(rows, 2, colMeans(rows))^2)
  expect_equal(fit$totss, squares(z))
  expect_equal(fit$withinss, vapply(1:3, function(k) squares(z[fit$cluster == k, ]), 0))
  expect_equal(fit$tot.withinss, sum(fit$withinss))
  expect_equal(fit$betweenss, fit$totss - fit$tot.withinss)
  expect_equal(tidy(fit)$withinss, fit$withinss)
  # k-means started at the same clusters has the same sums, if it does not move.
  means <- rowsum(z, fit$cluster) / fit$size
  like <- suppressWarnings(kmeans(z, means, iter.max = 1, algorithm = "Lloyd"))
  expect_equal(fit$totss, like$totss)
})

test_that("silhouettes are those of the weighted distance", {
  needs_python()
  skip_if_not_installed("cluster")
  fit <- iris_fit()
  found <- cluster::silhouette(fit)
  expect_s3_class(found, "silhouette")
  z <- sweep(sweep(as.matrix(iris[, 1:4]), 2, fit$scale, "/"), 2, sqrt(fit$weights), "*")
  d <- as.matrix(dist(z))
  width <- vapply(seq_len(150), function(i) {
    others <- tapply(d[i, ], fit$cluster, sum)
    own <- as.character(fit$cluster[[i]])
    a <- others[[own]] / (fit$size[[own]] - 1)
    b <- min((others / fit$size)[names(others) != own])
    (b - a) / max(a, b)
  }, 0)
  expect_equal(unname(found[, "sil_width"]), width)
  expect_identical(rownames(found), names(fit$cluster))
  some <- cluster::silhouette(fit, sample = 60)
  expect_lte(nrow(some), 60L)
  expect_setequal(some[, "cluster"], 1:3)
  expect_error(cluster::silhouette(toy_one()), "at least two clusters")
  expect_error(cluster::silhouette(fit, sample = 1), "'sample' must be a whole number")
})

test_that("silhouettes of many rows are refused", {
  skip_if_not_installed("cluster")
  fit <- toy_fit()
  fit$data <- fit$data[rep(1:5, 500), ]
  fit$cluster <- rep(c(1L, 1L, 2L, 2L, 2L), 500)
  fit$na.action <- NULL
  expect_error(cluster::silhouette(fit), "2,500 rows; use silhouette(fit, sample = 2000)", fixed = TRUE)
  expect_identical(nrow(cluster::silhouette(fit, sample = 100)), 100L)
})

test_that("distances to the centres are those of the weighted distance", {
  needs_python()
  fit <- iris_fit()
  z <- function(x) sweep(sweep(as.matrix(x), 2, fit$scale, "/"), 2, sqrt(fit$weights), "*")
  some <- iris[c(1, 51, 101), ]
  expected <- vapply(1:3, function(k) {
    sqrt(rowSums(sweep(z(some[, 1:4]), 2, z(fit$centers)[k, ])^2))
  }, numeric(3))
  found <- predict(fit, some, type = "distance")
  expect_equal(unname(found), unname(expected))
  expect_identical(dimnames(found), list(c("1", "51", "101"), c("1", "2", "3")))
  expect_identical(predict(fit, type = "distance")[c("1", "51", "101"), ], found)
  some[2, 1] <- NA
  expect_error(predict(fit, some, type = "distance"), "missing values")
  expect_identical(
    is.na(predict(fit, some, type = "distance", na.action = na.omit)[, 1]),
    c("1" = FALSE, "51" = TRUE, "101" = FALSE)
  )
  expect_identical(dim(predict(fit, iris[0, ], type = "distance")), c(0L, 3L))
  expect_error(predict(fit, some, type = "density"), "'type' must be one of")
})
