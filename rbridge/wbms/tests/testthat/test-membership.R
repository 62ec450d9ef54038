test_that("memberships are shares of the kernel sums, each row left out of its own", {
  needs_python()
  fit <- iris_fit(standardize = TRUE)
  z <- fit$data / rep(fit$scale, each = 150L) * rep(sqrt(fit$weights), each = 150L)
  kernel <- exp(-as.matrix(stats::dist(z))^2 / fit$h)
  diag(kernel) <- 0
  sums <- kernel %*% outer(fit$cluster, seq_along(fit$size), "==")
  expect_equal(unname(membership(fit)), unname(sums / rowSums(sums)), tolerance = 1e-9)
  expect_identical(rownames(membership(fit)), names(fit$cluster))
  expect_equal(fit$uncertainty, 1 - apply(membership(fit), 1L, max))
  expect_identical(predict(fit, type = "prob"), membership(fit))
})

test_that("memberships of new rows sum to 1, and rows with missing values have none", {
  needs_python()
  fit <- iris_fit()
  new <- iris[c(1, 51, 101), ]
  prob <- predict(fit, new, type = "prob")
  expect_equal(rowSums(prob), c("1" = 1, "51" = 1, "101" = 1))
  expect_identical(colnames(prob), c("1", "2", "3"))
  new[2, 1] <- NA
  expect_true(all(is.na(predict(fit, new, type = "prob", na.action = na.pass)[2, ])))
  expect_identical(dim(predict(fit, new[0, ], type = "prob")), c(0L, 3L))
  expect_identical(length(predict(fit, new[0, ])), 0L)
  expect_error(predict(fit, new, type = "soft"), "'type' must be one of", class = "wbms_error")
})

test_that("rows that were omitted have no membership and no score", {
  needs_python()
  x <- iris[, 1:4]
  x[7, 2] <- NA
  fit <- iris_fit(x, na.action = na.omit)
  expect_identical(which(is.na(fit$uncertainty)), c("7" = 7L))
  expect_identical(which(is.na(outlier_score(fit))), c("7" = 7L))
  expect_true(all(is.na(membership(fit)[7, ])))
})

test_that("far rows are outliers, in the fit and in new data", {
  needs_python()
  x <- rbind(iris[, 1:4], c(5, 3, 400, 100))
  kept <- iris_fit(x)
  fit <- iris_fit(x, outliers = "label")
  expect_identical(which(is.na(fit$cluster)), c("151" = 151L))
  expect_false(anyNA(kept$cluster))
  expect_identical(sum(fit$size), 150L)
  expect_identical(predict(fit, x), fit$cluster)
  expect_gt(outlier_score(fit)[[151]], 0.999)
  far <- data.frame(Sepal.Length = 1e6, Sepal.Width = 3, Petal.Length = 1e6, Petal.Width = 1)
  expect_identical(unname(predict(fit, far)), NA_integer_)
  expect_warning(predict(kept, far), "far outside everything that was clustered: 1 of 1")
  expect_identical(unname(outlier_score(kept, far)), 1)
  expect_output(print(fit), "Labelled as outliers (NA): 1 row", fixed = TRUE)
  expect_identical(nrow(tidy(fit)), 3L)
  expect_identical(nrow(augment(fit)), 151L)
  draws(for (type in c("overview", "clusters", "profile")) plot(fit, type))
  expect_error(iris_fit(outliers = "drop"), "'outliers' must be one of", class = "wbms_error")
  expect_error(outlier_score(fit, NULL), "'newdata' is NULL", class = "wbms_error")
  expect_error(outlier_score(fit, newx = far), "unknown argument: 'newx'", class = "wbms_error")
})

test_that("columns that set clusters apart are named", {
  needs_python()
  fit <- iris_fit()
  table <- describe(fit, 2)
  expect_setequal(table$column[1:2], c("Petal.Length", "Petal.Width"))
  expect_equal(sum(table$share), 1)
  expect_equal(table$mean, unname(colMeans(fit$data[fit$cluster == 2L, table$column])))
  pair <- contrast(fit, 1, 3, top = 2)
  expect_identical(dim(pair), c(2L, 9L))
  expect_true(all(c("mean_1", "mean_3", "effect", "overlap") %in% names(pair)))
  expect_identical(summary(fit)$features, fit$features)
  expect_equal(unname(rowSums(fit$cluster_weights)), rep(1, 3))
  expect_error(describe(fit, 4), "'cluster' must be the number of a cluster, 1 to 3, not 4")
  expect_error(describe(fit), "'cluster' is missing")
  expect_error(contrast(fit, 1, 1), "'a' and 'b' must be different clusters")
  expect_error(describe(fit, 1, topp = 2), "unknown argument: 'topp'", class = "wbms_error")
})

test_that("fits of earlier versions still predict", {
  needs_python()
  fit <- iris_fit()
  old <- fit
  old[c("log_density", "assigned", "uncertainty", "outlier_score", "outliers")] <- NULL
  old$params$outliers <- NULL
  expect_identical(predict(old, iris), fit$cluster)
  expect_identical(outlier_score(old, iris[1:3, ]), outlier_score(fit, iris[1:3, ]))
})

test_that("a profile is drawn without Python", {
  fit <- toy_fit()
  expect_error(plot(fit, "profile"), "the fit has no profile", class = "wbms_error")
  fit$profile <- matrix(c(1, -1, 0.5, -3), 2L, dimnames = list(1:2, c("b", "a")))
  draws(plot(fit, "profile"))
  draws(plot(fit, "profile", top = 1), width = 3, height = 3)
})
