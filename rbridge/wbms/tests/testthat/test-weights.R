counted_rows <- function() {
  set.seed(3)
  data.frame(a = c(rnorm(20), rnorm(12, 8)), b = rnorm(32), n = rep(c(1, 0, 2, 5), 8L))
}

test_that("whole weights are repeated rows, to the bit", {
  needs_python()
  df <- counted_rows()
  rows <- rep(seq_len(nrow(df)), df$n)
  expected <- wbms(as.matrix(df[rows, c("a", "b")]), h = 0.1, lambda = 0.1)
  fit <- wbms(df, weights = n, h = 0.1, lambda = 0.1)
  expect_identical(fit$weights, expected$weights)
  expect_identical(fit$centers, expected$centers)
  expect_identical(fit$history, expected$history)
  expect_identical(unname(fit$cluster[rows]), unname(expected$cluster))
  expect_identical(unname(fit$modes[rows, ]), unname(expected$modes))
  expect_identical(fit$row_weights, stats::setNames(df$n, rownames(df)))
  expect_null(expected$row_weights)
})

test_that("weights are a vector, the name of a column, or evaluated in the data", {
  needs_python()
  df <- counted_rows()
  expected <- wbms(df[1:2], weights = df$n, h = 0.1, lambda = 0.1)
  same <- function(fit) {
    expect_identical(fit$weights, expected$weights)
    expect_identical(unname(fit$cluster), unname(expected$cluster))
  }
  same(wbms(df, weights = n, h = 0.1, lambda = 0.1))
  same(wbms(df, weights = "n", h = 0.1, lambda = 0.1))
  same(wbms(as.matrix(df), weights = "n", h = 0.1, lambda = 0.1))
  same(wbms(~ a + b, df, weights = n, h = 0.1, lambda = 0.1))
  same(wbms(~ a + b, data = df, weights = "n", h = 0.1, lambda = 0.1))
  same(wbms(~ a + b, df, weights = df$n, h = 0.1, lambda = 0.1))
  outside <- df$n
  same(wbms(df[1:2], weights = outside, h = 0.1, lambda = 0.1))
  some <- wbms(~ a + b, df, subset = n > 0, weights = n, h = 0.1, lambda = 0.1)
  expect_identical(some$weights, expected$weights)
  expect_identical(unname(some$row_weights), df$n[df$n > 0])
})

test_that("a fit with weights predicts, is summarised and checked", {
  needs_python()
  df <- counted_rows()
  fit <- wbms(df[1:2], weights = df$n / 3, h = 0.1, lambda = 0.1)
  expect_identical(predict(fit, df), fit$cluster)
  shares <- summary(fit)$clusters$share
  expect_equal(shares, as.vector(tapply(df$n, fit$cluster, sum)) / sum(df$n))
  expect_output(print(summary(fit)), "Weights of rows: sum 21.3333; shares are those of the weights")
  expect_true(all(wbms_theory(fit)$holds))
  path <- tempfile(fileext = ".rds")
  saveRDS(fit, path)
  expect_identical(predict(readRDS(path), df), fit$cluster)
  expect_s3_class(as.hclust(wbms(df, weights = n, h = 0.1, lambda = 0.1, tree = TRUE)), "hclust")
  choice <- wbms_select(df, weights = n, h = c(0.1, 0.2), lambda = 0.1)
  expect_identical(choice$n_rows, 64L)
  by_formula <- wbms_select(~ a + b, df, weights = n, h = c(0.1, 0.2), lambda = 0.1)
  expect_identical(by_formula$grid, choice$grid)
})

test_that("missing weights are missing values", {
  needs_python()
  df <- counted_rows()
  df$n[4] <- NA
  expect_error(wbms(df, weights = n), "missing values in 'weights' .first in row 4, 1 row")
  expect_error(wbms(~ a, df, weights = n), "missing values in 'weights'", class = "wbms_error")
  fit <- wbms(df, weights = n, h = 0.1, lambda = 0.1, na.action = na.omit)
  expect_identical(unname(which(is.na(fit$cluster))), 4L)
  expect_identical(names(fit$row_weights), rownames(df)[-4])
})

test_that("bad weights are refused by name", {
  df <- counted_rows()
  x <- df[1:2]
  refused <- function(weights, pattern) {
    expect_error(wbms(x, weights = weights), pattern, class = "wbms_error")
    expect_error(wbms_select(x, weights = weights), pattern, class = "wbms_error")
  }
  refused(1:3, "'weights' must have one number per row: it has 3 numbers for 32 rows")
  refused(-df$n, "'weights' must be numbers from 0 to 1e15, but row 1 has -1")
  refused(df$n + Inf, "but row 1 has Inf")
  refused(0 * df$n, "'weights' must not be 0 for all rows")
  refused(factor(df$n), "'weights' must be a numeric vector")
  refused(as.matrix(df), "'weights' must be a numeric vector")
  refused("zz", "or the name of a column of 'x', not \"zz\"")
  expect_error(wbms(df, weights = n / 2), "'weights' could not be evaluated .object 'n' not")
  expect_error(wbms(x, weight = df$n), "did you mean 'weights'", class = "wbms_error")
})

test_that("whole weights are repeated rows with factors and imputed values, too", {
  needs_python()
  df <- counted_rows()
  df$f <- factor(ifelse(df$a > 4, "far", "near"))
  df$a[c(3, 30)] <- NA
  df$f[4] <- NA
  rows <- rep(seq_len(nrow(df)), df$n)
  fitted_to <- function(...) {
    wbms(..., h = 0.1, lambda = 0.1, na.action = "impute", categories = "indicators")
  }
  expected <- fitted_to(data.frame(df[rows, c("a", "b", "f")], row.names = NULL))
  fit <- wbms(
    df, weights = n, h = 0.1, lambda = 0.1, na.action = "impute", categories = "indicators"
  )
  expect_identical(fit$weights, expected$weights)
  expect_identical(fit$centers, expected$centers)
  expect_identical(fit$encoding, expected$encoding)
  expect_identical(unname(fit$cluster[rows]), unname(expected$cluster))
  expect_identical(predict(fit, df), fit$cluster)
  by_formula <- wbms(~ a + b + f, df, weights = n, h = 0.1, lambda = 0.1, na.action = "impute")
  expect_identical(by_formula$modes, fit$modes)
  df$n[2] <- NA
  expect_error(fitted_to(df, weights = "n"), "missing values in 'weights' (first in row 2", fixed = TRUE)
  omitted <- wbms(~ a + f, df, weights = n, h = 0.1, lambda = 0.1, na.action = na.omit)
  expect_identical(unname(which(is.na(omitted$cluster))), c(2L, 3L, 4L, 30L))
})
