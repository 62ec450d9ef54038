test_that("the theorems hold on a fit", {
  needs_python()
  checks <- wbms_theory(iris_fit())
  expect_s3_class(checks, c("wbms_theory", "data.frame"), exact = TRUE)
  expect_named(checks, c("theorem", "checked", "deviation", "tolerance", "holds"))
  expect_gt(nrow(checks), 2L)
  expect_true(all(checks$holds))
  expect_true(all(checks$deviation <= checks$tolerance))
})

test_that("the steps agree with the fit", {
  needs_python()
  fit <- iris_fit(record_path = TRUE)
  steps <- attr(wbms_theory(fit), "steps")
  expect_identical(nrow(steps), fit$iter)
  expect_true(all(steps$holds))
  # distance of the rows to the previous hull
  z <- fit$path / rep(fit$scale, each = prod(dim(fit$path)[1:2]))
  expect_lt(max(hull_distance(z[3L, , ], z[2L, , ])), 1e-8)
  width <- max(stats::dist(z[2L, , ]))
  expect_equal(steps$diameter[1], width, tolerance = 1e-6)
})

test_that("checks print as a table, and can be drawn", {
  needs_python()
  checks <- wbms_theory(iris_fit())
  said <- capture.output(print(checks))
  expect_length(said, nrow(checks) + 1L)
  expect_match(said[1], "theorem.*checked.*deviation.*tolerance.*holds")
  expect_true(all(grepl("yes", said[-1])))
  checks$holds[1] <- FALSE
  expect_match(capture.output(print(checks))[2], "NO")
  draws(plot(checks))
  draws(plot(checks, main = "title", xlab = "step"), 5, 4)
})

test_that("if no row moved there is nothing to check", {
  needs_python()
  checks <- wbms_theory(iris_fit(iris[1, 1:4]))
  expect_identical(nrow(checks), 0L)
  expect_output(print(checks), "no row moved")
  expect_error(plot(checks), "no row moved", class = "wbms_error")
})

test_that("a fit that did not converge is checked without a warning", {
  needs_python()
  fit <- suppressWarnings(iris_fit(max_iter = 2))
  expect_silent(checks <- wbms_theory(fit))
  expect_identical(nrow(attr(checks, "steps")), 2L)
})

test_that("arguments are checked by name", {
  expect_error(wbms_theory(1:3), "'fit' must be a fit of wbms\\(\\)", class = "wbms_error")
  expect_error(wbms_theory(toy_fit(), delta = 0), "'delta'", class = "wbms_error")
  expect_error(wbms_theory(toy_fit(), verbose = NA), "'verbose'", class = "wbms_error")
})
