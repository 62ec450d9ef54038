test_that("tidy has one row per cluster, in the format of k-means", {
  table <- tidy(toy_fit())
  expect_named(table, c("a", "b", "size", "withinss", "cluster"))
  expect_identical(table$a, c(12, 1))
  expect_identical(table$size, 3:2)
  # in a: 8 and 2; in b / 2: 8 and 2; with weights 3/4 and 1/4
  expect_equal(table$withinss, c(8, 2))
  expect_identical(table$cluster, factor(1:2))
})

test_that("tidy keeps names unique", {
  fit <- toy_fit()
  colnames(fit$data) <- colnames(fit$centers) <- names(fit$weights) <- c("size", "cluster")
  table <- tidy(fit)
  expect_named(table, c("size.1", "cluster.1", "size", "withinss", "cluster"))
  expect_identical(table$size.1, c(12, 1))
  expect_named(tidy(fit, col.names = c("x", "y"))[1:2], c("x", "y"))
  for (bad in list("x", 1:2, c("x", NA))) {
    expect_error(tidy(fit, col.names = bad), "'col.names' must be 2 strings", class = "wbms_error")
  }
})

test_that("glance has one row", {
  row <- glance(toy_fit())
  expect_identical(nrow(row), 1L)
  expect_named(row, c(
    "totss", "tot.withinss", "betweenss", "iter", "nobs", "k", "h", "lambda", "converged",
    "eff.columns"
  ))
  expect_equal(row$totss, 119.2)
  expect_equal(row$tot.withinss, 10)
  expect_equal(row$betweenss, 109.2)
  expect_identical(c(row$iter, row$nobs, row$k), c(3L, 5L, 2L))
  expect_identical(c(row$h, row$lambda), c(0.1, 0.2))
  expect_equal(row$eff.columns, 1.754765, tolerance = 1e-6)
})

test_that("sums of squares are translation-invariant", {
  far <- toy_fit()
  far$data <- far$data + 1e8
  expect_equal(tidy(far)$withinss, c(8, 2))
  expect_equal(glance(far)$totss, 119.2)
})

test_that("with all the weight on one column sums of squares equal those of k-means", {
  fit <- toy_fit()
  fit$weights <- c(a = 1, b = 0)
  lloyd <- stats::kmeans(fit$data[, "a"], fit$centers[, "a"])
  expect_equal(tidy(fit)$withinss, lloyd$withinss)
  expect_equal(glance(fit)$betweenss, lloyd$betweenss)
})

test_that("augment adds the clusters to the data", {
  data <- data.frame(a = 1:6, kind = letters[1:6], row.names = paste0("r", 1:6))
  table <- augment(toy_fit(), data)
  expect_named(table, c(".rownames", "a", "kind", ".cluster"))
  expect_identical(table$.cluster, factor(c(2, 2, NA, 1, 1, 1)))
  expect_identical(table$.rownames, row.names(data))
  row.names(data) <- NULL
  expect_named(augment(toy_fit(), data), c("a", "kind", ".cluster"))
  expect_identical(augment(toy_fit(), as.matrix(data))$.cluster, table$.cluster)
})

test_that("augment accepts rows without names", {
  fit <- toy_fit()
  names(fit$cluster)[1:3] <- ""
  rownames(fit$data)[1:2] <- ""
  expect_identical(augment(fit)$.rownames, c("", "", "r4", "r5", "r6"))
  data <- matrix(1:6, 6L, dimnames = list(names(fit$cluster), "a"))
  expect_identical(augment(fit, data)$.rownames, names(fit$cluster))
})

test_that("augment without data uses the rows that were clustered", {
  table <- augment(toy_fit())
  expect_named(table, c(".rownames", "a", "b", ".cluster"))
  expect_identical(table$.rownames, c("r1", "r2", "r4", "r5", "r6"))
  expect_identical(table$.cluster, factor(c(2, 2, 1, 1, 1)))
})

test_that("augment rejects other data", {
  data <- data.frame(a = 1:6, row.names = paste0("r", 1:6))
  expect_refused <- function(data, pattern) {
    expect_error(augment(toy_fit(), data), pattern, class = "wbms_error")
  }
  expect_refused(data[-3, , drop = FALSE], "'data' must have the 6 rows given to wbms\\(\\), not 5")
  other <- data.frame(a = 1:6, row.names = paste0("s", 1:6))
  expect_refused(other, "'data' must have the rows given to wbms\\(\\): its row names differ")
  expect_refused(cbind(data, .cluster = 1), "'data' already has a column '.cluster'")
  expect_refused(1:6, "'data' must be a data frame or a matrix")
})

test_that("fitted values are NA for omitted rows", {
  fit <- toy_fit()
  expected <- fit$centers[c(2, 2, NA, 1, 1, 1), ]
  rownames(expected) <- paste0("r", 1:6)
  expect_identical(fitted(fit), expected)
  expect_identical(fitted(fit, "classes"), fit$cluster)
  fit$modes[, "a"] <- 1:5
  expect_identical(fitted(fit, "modes")[, "a"], c(r1 = 1, r2 = 2, r3 = NA, r4 = 3, r5 = 4, r6 = 5))
  expect_error(fitted(fit, "means"), "'method' must be one of 'centers'", class = "wbms_error")
})

test_that("nobs counts the rows that were clustered", {
  expect_identical(nobs(toy_fit()), 5L)
})

test_that("real fits are tidied", {
  needs_python()
  fit <- iris_fit()
  expect_identical(nrow(tidy(fit)), length(fit$size))
  z <- scale(fit$data) * rep(sqrt(fit$weights), each = 150L)
  expect_equal(glance(fit)$totss, 149)
  expect_equal(tidy(fit)$withinss[1], sum(scale(z[fit$cluster == 1, ], scale = FALSE)^2))
  expect_identical(augment(fit, iris)$.cluster, factor(unname(fit$cluster)))
  expect_identical(fitted(fit)["51", ], fit$centers[fit$cluster[["51"]], ])
})

test_that("tables are tibbles if tibble is installed", {
  skip_if_not_installed("tibble")
  for (table in list(tidy(toy_fit()), glance(toy_fit()), augment(toy_fit()))) {
    expect_s3_class(table, "tbl_df")
  }
})

test_that("the generics are those of generics if it is installed", {
  skip_if_not_installed("generics")
  expect_identical(tidy, generics::tidy)
  expect_identical(glance, generics::glance)
  expect_identical(augment, generics::augment)
})

test_that("attached before or after the package generics, nothing is masked", {
  skip_if_not_installed("generics")
  for (order in list(c("wbms", "generics"), c("generics", "wbms"))) {
    done <- run_r(sprintf("library(%s)", order))
    expect_identical(done$status, 0L)
    expect_no_match(done$said, "tidy|glance|augment")
  }
})

test_that("the generics also work without generics and tibble", {
  alone <- tempfile()
  dir.create(alone)
  on.exit(unlink(alone, recursive = TRUE))
  file.symlink(system.file(package = "wbms"), file.path(alone, "wbms"))
  saveRDS(toy_fit(), file.path(alone, "fit.rds"))
  done <- run_r(
    c(
      "library(wbms)",
      "stopifnot(!requireNamespace('generics', quietly = TRUE))",
      "stopifnot(!requireNamespace('tibble', quietly = TRUE))",
      sprintf("fit <- readRDS('%s')", file.path(alone, "fit.rds")),
      "tables <- list(tidy(fit), glance(fit), augment(fit))",
      "stopifnot(vapply(tables, function(x) identical(class(x), 'data.frame'), NA))",
      "stopifnot(all.equal(tables[[1]]$withinss, c(8, 2)))",
      "cat('fine')"
    ),
    libraries = alone, env = c("R_LIBS_SITE=/nonexistent", "R_LIBS_USER=/nonexistent")
  )
  expect_match(done$said, "fine$")
})

test_that("augment accepts new rows", {
  needs_python()
  fit <- iris_fit()
  new <- iris[c(1, 60), ]
  table <- augment(fit, newdata = new)
  expect_named(table, c(".rownames", names(iris), ".cluster"))
  expect_identical(table$.cluster, factor(unname(fit$cluster[c(1, 60)]), 1:3))
  expect_identical(as.data.frame(table[names(iris)]), data.frame(new, row.names = NULL))
  new[1, 1] <- NA
  expect_identical(augment(fit, newdata = new)$.cluster[1], factor(NA, 1:3))
  expect_identical(augment(fit, newdata = as.matrix(iris[2, 1:4]))$.cluster, factor(2, 1:3))
  expect_error(augment(fit, iris, new), "not both", class = "wbms_error")
  expect_error(augment(fit, newdata = 1), "'newdata' must be", class = "wbms_error")
  expect_error(
    augment(fit, newdata = cbind(new, .cluster = 1)), "'newdata' already has a column '.cluster'",
    class = "wbms_error"
  )
})

test_that("unknown arguments are errors that name them", {
  fit <- toy_fit()
  for (verb in list(tidy, glance, augment, fitted, nobs, summary, predict, formula)) {
    expect_error(verb(fit, nonsense = 1), "unknown argument: 'nonsense'; see \\?", class = "wbms_error")
  }
  expect_error(summary(fit, tops = 1), "did you mean 'top'\\?", class = "wbms_error")
  expect_error(glance(fit, 1), "without a name", class = "wbms_error")
})
