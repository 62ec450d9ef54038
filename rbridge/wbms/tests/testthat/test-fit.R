# The algorithm in plain R, as in the paper: a fixed number of iterations, no merging.
plain_wbms <- function(x, h, lambda, warmup, iterations, exclude_self, squares) {
  z <- scale(x)
  w <- rep(1 / ncol(z), ncol(z))
  for (steps in c(warmup, iterations)) {
    y <- z
    for (i in seq_len(steps)) {
      exponent <- -as.matrix(stats::dist(y %*% diag(sqrt(w))))^2 / h
      if (exclude_self) diag(exponent) <- -Inf
      kernel <- exp(exponent - apply(exponent, 1L, max))
      y <- kernel %*% y / rowSums(kernel)
      displacement <- squares((z - y)^2)
      w <- exp(-(displacement - min(displacement)) / lambda)
      w <- w / sum(w)
    }
  }
  y <- y * rep(attr(z, "scaled:scale"), each = nrow(y))
  list(weights = w, modes = y + rep(attr(z, "scaled:center"), each = nrow(y)))
}

test_that("a fit has the documented fields", {
  needs_python()
  fit <- iris_fit(init = "uniform")
  expect_s3_class(fit, "wbms", exact = TRUE)
  expect_named(fit, c(
    "cluster", "weights", "centers", "modes", "size", "h", "lambda", "init", "iter", "converged",
    "reached_by", "reached", "history", "selection", "choice", "confidence", "outliers", "data",
    "scale", "path", "tree", "params", "uncertainty", "outlier_score", "log_density", "assigned",
    "cluster_weights", "features", "profile", "na.action", "na_action", "call", "totss", "withinss",
    "tot.withinss", "betweenss", "state"
  ))
  expect_type(fit$cluster, "integer")
  expect_named(fit$cluster, as.character(1:150))
  expect_identical(fit$size, c("1" = 66L, "2" = 50L, "3" = 34L))
  expect_identical(unname(fit$size), tabulate(fit$cluster))
  expect_named(fit$weights, names(iris)[1:4])
  expect_equal(sum(fit$weights), 1)
  k <- length(fit$size)
  expect_identical(dimnames(fit$centers), list(as.character(seq_len(k)), names(iris)[1:4]))
  expect_identical(dimnames(fit$modes), list(as.character(1:150), names(iris)[1:4]))
  expect_equal(fit$data, as.matrix(iris[, 1:4]), ignore_attr = "dimnames")
  expect_identical(rownames(fit$data), as.character(1:150))
  expect_equal(fit$scale, vapply(iris[, 1:4], stats::sd, 0))
  expect_null(fit$selection)
  expect_null(fit$choice)
  expect_null(fit$confidence)
  expect_named(fit$init, names(iris)[1:4])
  expect_equal(sum(fit$init), 1)
  expect_false(any(fit$outliers))
  expect_named(fit$outliers, as.character(1:150))
  expect_null(fit$path)
  expect_null(fit$na.action)
  expect_identical(c(fit$h, fit$lambda), c(0.05, 0.1))
  expect_identical(fit$iter, sum(fit$history$phase == "main"))
  expect_identical(sum(fit$history$phase == "warmup"), 20L)
  expect_true(fit$converged)
  expect_identical(fit$call, quote(wbms(x = x, h = 0.05, lambda = 0.1, init = "uniform")))
})

test_that("bad rows and cells do no harm, and rows are marked", {
  needs_python()
  clean <- iris_fit()
  x <- as.matrix(iris[, 1:4])
  x[150, 2] <- 1e6
  fit <- wbms(rbind(x, rep(1e4, 4)), h = 0.05, lambda = 0.1)
  expect_identical(which(unname(fit$outliers)), 151L)
  expect_gt(mean(fit$cluster[1:150] == clean$cluster), 0.95)
  expect_identical(unname(predict(fit, rbind(x, rep(1e4, 4)))), unname(fit$cluster))
  expect_output(print(summary(fit)), "Outliers: 1 row")
  plain <- wbms(rbind(x, rep(1e4, 4)), h = 0.05, lambda = 0.1, standardize = TRUE)
  expect_false(any(plain$outliers))
  expect_lt(length(plain$size), 3L)
})

test_that("the clusters of iris are found", {
  needs_python()
  fit <- iris_fit()
  expect_length(fit$size, 3L)
  expect_gt(sum(apply(table(fit$cluster, iris$Species), 2L, max)), 130)
  expect_gt(sum(fit$weights[c("Petal.Length", "Petal.Width")]), 0.9)
})

test_that("each form agrees with plain R", {
  needs_python()
  x <- as.matrix(iris[c(1:15, 51:65, 101:115), 1:4])
  fixed <- list(x, h = 0.1, lambda = 0.1, stop = "fixed", max_iter = 12, warmup = 4, init = "uniform")
  expected <- plain_wbms(x, 0.1, 0.1, 4, 12, TRUE, colMeans)
  fit <- do.call(wbms, fixed)
  expect_equal(unname(fit$weights), unname(expected$weights), tolerance = 1e-8)
  expect_equal(unname(fit$modes), unname(expected$modes), tolerance = 1e-6)

  released <- wbms(x, h = 0.1, lambda = 5, form = "released")
  expected <- plain_wbms(x, 0.1, 5, 20, 30, TRUE, colSums)
  expect_equal(unname(released$weights), unname(expected$weights), tolerance = 1e-8)
  expect_identical(released$iter, 30L)

  paper <- wbms(x, h = 0.1, lambda = 0.1, form = "paper")
  expected <- plain_wbms(x, 0.1, 0.1, 0, paper$iter, FALSE, colMeans)
  expect_equal(unname(paper$weights), unname(expected$weights), tolerance = 1e-8)
  expect_identical(unique(paper$history$phase), "main")
})

test_that("a fit starts with the weights that are given", {
  needs_python()
  given <- c(1, 2, 3, 4)
  fit <- iris_fit(init = given)
  expect_identical(fit$init, stats::setNames(given, names(iris)[1:4]))
  expect_identical(fit$params$init, given)
  expect_equal(iris_fit(init = 1:4 / 10)$cluster, fit$cluster)
  expect_equal(unname(iris_fit(init = "uniform")$init), rep(0.25, 4L))
  expect_equal(unname(iris_fit(form = "released")$init), rep(0.25, 4L))
  expect_identical(unname(iris_fit(form = "released", init = 4:1)$init), c(4, 3, 2, 1))
  one <- wbms(iris$Petal.Length, h = 0.05, lambda = 0.1, init = 3)
  expect_identical(one$init, c(x = 3))
  expect_identical(wbms_theory(one), wbms_theory(iris_fit(iris$Petal.Length, init = "uniform")))
})

test_that("clusters are joined if asked to", {
  needs_python()
  set.seed(2)
  x <- cbind(a = stats::runif(200), b = stats::rnorm(200, sd = 0.01))
  apart <- wbms(x, h = 0.005, lambda = 1, join = FALSE)
  joined <- wbms(x, h = 0.005, lambda = 1, join = TRUE)
  expect_identical(wbms(x, h = 0.005, lambda = 1)$cluster, apart$cluster)
  expect_lt(length(joined$size), length(apart$size))
  expect_true(all(rowSums(table(apart$cluster, joined$cluster) > 0) == 1L))
  expect_identical(dim(joined$centers), c(length(joined$size), 2L))
  expect_identical(c(apart$params$join, joined$params$join), c(FALSE, TRUE))
})

test_that("given arguments override the defaults of a form", {
  needs_python()
  fit <- iris_fit(form = "released", max_iter = 7, lambda_scale = "mean")
  expect_identical(fit$iter, 7L)
  expect_identical(fit$params$lam_scale, "mean")
  expect_identical(fit$params$stop, "fixed")
})

test_that("the numbers are bit-identical to Python's", {
  needs_python()
  code <- paste(
    "import numpy as np", "from pywbms import wbms", "from pywbms.datasets import data1",
    "result = wbms(data1(0)[0])",
    "print(*[float(w).hex() for w in result.weights])",
    "print(*[float(c).hex() for c in result.centers.to_numpy().ravel(order='F')])",
    "print(*(result.labels + 1))",
    sep = "\n"
  )
  said <- system2(wbms_python()[["python"]], c("-c", shQuote(code)), stdout = TRUE)
  numbers <- lapply(strsplit(said, " "), as.numeric)
  fit <- wbms(wbms_data("data1"))
  expect_identical(unname(fit$weights), numbers[[1L]])
  expect_identical(as.vector(fit$centers), numbers[[2L]])
  expect_identical(unname(fit$cluster), as.integer(numbers[[3L]]))
})

test_that("the same data give the same fit, whatever their type", {
  needs_python()
  without_call <- function(fit) {
    fit[c("call", "terms", "xlevels", "contrasts", "variables")] <- NULL
    fit
  }
  frame <- without_call(iris_fit())
  matrix <- as.matrix(iris[, 1:4])
  rownames(matrix) <- 1:150
  expect_identical(without_call(iris_fit(matrix)), frame)
  threads <- without_call(iris_fit(n_jobs = 2))
  threads$params["n_jobs"] <- list(NULL)
  expect_match(threads$state$json, '"n_jobs": 2', fixed = TRUE)
  threads$state$json <- sub('"n_jobs": 2', '"n_jobs": null', threads$state$json, fixed = TRUE)
  expect_identical(threads, frame)
  formula <- ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width
  expect_identical(without_call(iris_fit(formula, data = iris)), frame)
  named <- wbms(formula = formula, data = iris, h = 0.05, lambda = 0.1)
  expect_identical(without_call(named), frame)
})

test_that("the order of the rows does not matter", {
  needs_python()
  fit <- iris_fit()
  backwards <- iris_fit(iris[150:1, 1:4])
  expect_equal(backwards$weights, fit$weights, tolerance = 1e-12)
  expect_identical(backwards$cluster[names(fit$cluster)], fit$cluster)
})

test_that("h and lambda are chosen, and the choice is kept", {
  needs_python()
  fit <- wbms(iris[, 1:4])
  expect_s3_class(fit$selection, "data.frame")
  expect_true(all(c("h", "lambda", "k", "chosen") %in% names(fit$selection)))
  chosen <- fit$selection[fit$selection$chosen, ]
  expect_identical(nrow(chosen), 1L)
  expect_identical(c(chosen$h, chosen$lambda), c(fit$h, fit$lambda))
  expect_identical(chosen$joined, length(fit$size))
})

test_that("a path starts at the data and ends at the modes", {
  needs_python()
  fit <- iris_fit(record_path = TRUE)
  expect_identical(dim(fit$path), c(fit$iter + 1L, 150L, 4L))
  expect_identical(dimnames(fit$path)[[1L]], as.character(0:fit$iter))
  expect_identical(dimnames(fit$path)[2:3], dimnames(fit$data))
  expect_equal(fit$path[1L, , ], fit$data)
  expect_equal(fit$path[fit$iter + 1L, , ], fit$modes, tolerance = 1e-4)
})

test_that("the data are not modified", {
  needs_python()
  x <- as.matrix(iris[, 1:4])
  before <- x + 0
  iris_fit(x)
  expect_identical(x, before)
})

test_that("verbose prints through R", {
  needs_python()
  said <- capture.output(fit <- iris_fit(verbose = TRUE))
  expect_length(said, nrow(fit$history))
})

test_that("a formula may be passed as x, followed by the data", {
  needs_python()
  fit <- wbms(~ Sepal.Length + Petal.Width, iris, h = 0.05, lambda = 0.1)
  expect_identical(
    wbms(x = ~ Sepal.Length + Petal.Width, data = iris, h = 0.05, lambda = 0.1)$cluster, fit$cluster
  )
  expect_identical(
    wbms(x = ~ Sepal.Length + Petal.Width, iris, h = 0.05, lambda = 0.1)$cluster, fit$cluster
  )
})

test_that("formula() returns the formula of a fit", {
  needs_python()
  fit <- wbms(~ . - Species, iris, h = 0.05, lambda = 0.1)
  expect_equal(formula(fit), ~ (Sepal.Length + Sepal.Width + Petal.Length + Petal.Width + Species) -
    Species, ignore_formula_env = TRUE)
  expect_error(formula(iris_fit()), "not made with a formula", class = "wbms_error")
})

test_that("arguments of the formula method override the defaults of a form", {
  needs_python()
  formula <- wbms(~ . - Species, iris, h = 0.1, lambda = 5, form = "released", max_iter = 7)
  frame <- wbms(iris[, 1:4], h = 0.1, lambda = 5, form = "released", max_iter = 7)
  expect_identical(formula$params, frame$params)
  expect_identical(formula$cluster, frame$cluster)
})
