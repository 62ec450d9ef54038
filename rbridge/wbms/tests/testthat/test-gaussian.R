recursion <- function(sigma, h, lambda, n_iter) {
  s <- sigma
  w <- rep(1 / length(s), length(s))
  for (i in seq_len(n_iter)) {
    s <- s^3 / (s^2 + h / (2 * w))
    w <- exp(-(sigma - s)^2 / lambda)
    w <- w / sum(w)
  }
  list(s = s, w = w)
}

test_that("the recursion agrees with the corrected theorem", {
  needs_python()
  sigma <- c(a = 1, b = 2, c = 0.5)
  found <- gaussian_recursion(sigma, h = 1, lambda = 2, n_iter = 4)
  expect_identical(unique(found$iteration), 0:4)
  expect_identical(found$feature[1:3], names(sigma))
  for (i in 0:4) {
    expected <- recursion(sigma, 1, 2, i)
    here <- found[found$iteration == i, ]
    expect_equal(here$s, unname(expected$s))
    expect_equal(here$w, unname(expected$w))
    expect_equal(here$log_s, log(unname(expected$s)))
  }
})

test_that("features without names are numbered", {
  needs_python()
  found <- gaussian_recursion(c(1, 2), h = 1, lambda = 1, n_iter = 0)
  expect_equal(as.integer(found$feature), 1:2)
  expect_identical(found$s, c(1, 2))
})

test_that("the order of convergence is three", {
  needs_python()
  orders <- convergence_order(gaussian_recursion(c(a = 1, b = 2), 1, 1, 10))
  expect_s3_class(orders, "data.frame")
  expect_equal(orders$order, c(3, 3), tolerance = 1e-3)
  squares <- convergence_order(10^-(2^(0:5)))
  expect_equal(squares$order, 2, tolerance = 1e-6)
  expect_equal(squares$constant, 1, tolerance = 1e-6)
})

test_that("the limit of the weights agrees with the theorem", {
  needs_python()
  sigma <- c(a = 1, b = 2)
  expected <- exp(-sigma^2 / 3)
  expect_equal(limit_weights(sigma, lambda = 3), expected / sum(expected))
  last <- utils::tail(gaussian_recursion(sigma, 1, 3, 30), 2L)
  expect_equal(last$w, unname(expected / sum(expected)))
})

test_that("a sample follows the recursion", {
  needs_python()
  sample <- function(seed) {
    gaussian_sample(2000, c(1, 2), h = 1, lambda = 2, n_iter = 3, seed = seed)
  }
  found <- sample(1)
  expect_s3_class(found, "data.frame")
  expect_identical(sample(1), found)
  expect_false(identical(sample(2), found))
})

test_that("entropy weights minimise the objective of Theorem 1", {
  needs_python()
  d <- c(a = 0, b = 0.3, c = 1)
  w <- entropy_weights(d, lambda = 0.5)
  expect_equal(w, exp(-d / 0.5) / sum(exp(-d / 0.5)))
  objective <- function(w) sum(w * d) + 0.5 * sum(w * log(w))
  set.seed(1)
  for (i in 1:20) {
    other <- w * exp(rnorm(3, sd = 0.1))
    expect_gt(objective(other / sum(other)), objective(w))
  }
  expect_null(names(entropy_weights(c(1, 2), 1)))
})

test_that("arguments are checked by name", {
  needs_python()
  refused <- function(code, pattern) expect_error(code, pattern, class = "wbms_error")
  for (bad in list(c(1, NA), c(1, Inf), "a", numeric(), factor(1))) {
    refused(gaussian_recursion(bad, 1, 1, 1), "'sigma' must be finite numbers")
  }
  refused(gaussian_recursion(c(1, 0), 1, 1, 1), "'sigma' must be positive")
  refused(gaussian_recursion(1, 0, 1, 1), "'h'")
  refused(gaussian_recursion(1, 1, -1, 1), "'lambda'")
  refused(gaussian_recursion(1, 1, 1, 1.5), "'n_iter'")
  refused(gaussian_sample(1, 1, 1, 1, 1), "'n'")
  refused(gaussian_sample(10, 1, 1, 1, 1, seed = -1), "'seed'")
  refused(limit_weights(-1, 1), "'sigma'")
  refused(entropy_weights(c(1, -1), 1), "'D'")
  refused(convergence_order(data.frame(s = 1)), "missing from 's': 'iteration', 'feature', 'log_s'")
})

test_that("the simulated data include their true clusters", {
  needs_python()
  x <- wbms_data("data1")
  expect_s3_class(x, "data.frame")
  expect_identical(dim(x), c(200L, 32L))
  expect_identical(levels(attr(x, "truth")), c("1", "2"))
  expect_identical(x, wbms_data("data1", seed = 0))
  expect_false(identical(x, wbms_data("data1", seed = 1)))
  expect_identical(nlevels(attr(wbms_data("simulation1", k = 5), "truth")), 5L)
  expect_error(wbms_data("data2"), "'name' must be one of 'data1'", class = "wbms_error")
  expect_error(wbms_data("data1", k = 5), "unknown argument.*'k'", class = "wbms_error")
  expect_error(wbms_data("simulation1", k = -5), "'k'", class = "wbms_error")
})
