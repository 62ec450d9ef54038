test_that("Python errors are R conditions with the Python classes", {
  needs_python()
  x <- matrix(c(1e200, -1e200, 1, 2), 2L)
  failed <- tryCatch(wbms(x, h = 1, lambda = 1, standardize = FALSE), error = identity)
  expect_s3_class(failed, "python_ValueError")
  expect_s3_class(failed, "wbms_error")
  expect_identical(failed$python_class, "ValueError")
  expect_match(failed$python_traceback, "Traceback")
  expect_identical(failed$call[[1L]], quote(wbms))
  expect_match(conditionMessage(failed), "column 'V1'")
})

test_that("messages use R's names of arguments", {
  expect_identical(in_r_terms("lam must be > 0"), "lambda must be > 0")
  expect_identical(in_r_terms("lam_scale, not True or False"), "lambda_scale, not TRUE or FALSE")
  expect_identical(in_r_terms("lamb and flam"), "lamb and flam")
})

test_that("a fit that did not converge gives a warning that can be caught", {
  needs_python()
  warned <- tryCatch(iris_fit(max_iter = 2), warning = identity)
  expect_s3_class(warned, "python_ConvergenceWarning")
  expect_s3_class(warned, "wbms_warning")
  expect_match(conditionMessage(warned), "max_iter")
  expect_warning(fit <- iris_fit(max_iter = 2), class = "python_ConvergenceWarning")
  expect_false(fit$converged)
  expect_identical(fit$iter, 2L)
  expect_silent(iris_fit())
})

test_that("warnings turned into errors do not harm the session", {
  needs_python()
  old <- options(warn = 2)
  on.exit(options(old))
  expect_error(iris_fit(max_iter = 2), "max_iter")
  expect_s3_class(iris_fit(), "wbms")
})

test_that("a callback sees every iteration", {
  needs_python()
  seen <- list()
  fit <- iris_fit(callback = function(state) {
    seen[[length(seen) + 1L]] <<- state
    FALSE
  })
  expect_length(seen, nrow(fit$history))
  expect_named(seen[[1L]], c(names(fit$history), "weights", "fits_left"), ignore.order = TRUE)
  expect_identical(vapply(seen, `[[`, 0, "diameter"), fit$history$diameter)
  expect_equal(sum(seen[[3L]]$weights), 1)
  expect_named(seen[[3L]]$weights, names(iris)[1:4])
})

test_that("a callback that returns TRUE stops the fit, which returns its current state", {
  needs_python()
  stop_at <- function(state) state$phase == "main" && state$iteration == 3
  fit <- suppressWarnings(iris_fit(callback = stop_at), classes = "wbms_warning")
  expect_identical(fit$iter, 3L)
  expect_false(fit$converged)
  for (nothing in list(NULL, FALSE, NA, 1, "TRUE", c(TRUE, TRUE))) {
    expect_true(iris_fit(callback = function(state) nothing)$converged)
  }
})

test_that("errors of a callback keep their class", {
  needs_python()
  mine <- structure(
    class = c("my_error", "error", "condition"), list(message = "mine", call = NULL)
  )
  expect_error(iris_fit(callback = function(state) stop(mine)), "mine", class = "my_error")
  expect_error(iris_fit(callback = function(state) log("a")), "non-numeric")
  expect_error(iris_fit(callback = function() TRUE), "unused argument")
  expect_s3_class(iris_fit(), "wbms")
})

test_that("a callback may use the package itself", {
  needs_python()
  inner <- NULL
  iris_fit(callback = function(state) {
    if (is.null(inner)) inner <<- iris_fit(iris[1:20, 1:4])
    FALSE
  })
  expect_identical(inner$cluster, iris_fit(iris[1:20, 1:4])$cluster)
})

test_that("wbms_python() describes the Python in use", {
  needs_python()
  expect_true(wbms_available())
  expect_named(wbms_python(), c("python", "version", "pywbms", "numpy"))
  expect_identical(wbms_python()[["pywbms"]], as.character(utils::packageVersion("wbms")))
})

test_that("a failure without any outcome is an error", {
  expect_error(resolve(NULL, NULL), "call to Python failed", class = "wbms_error")
})

test_that("conditions show the call of the user", {
  needs_python()
  called_by <- function(code) conditionCall(tryCatch(code, warning = identity, error = identity))
  expect_identical(
    called_by(wbms(iris[, 1:4], h = 0.05, lambda = 0.1, max_iter = 2)),
    quote(wbms(x = iris[, 1:4], h = 0.05, lambda = 0.1, max_iter = 2))
  )
  expect_identical(
    called_by(wbms(~ . - Species, iris, h = 0.05, lambda = 0.1, max_iter = 2)),
    quote(wbms(formula = ~ . - Species, data = iris, h = 0.05, lambda = 0.1, max_iter = 2))
  )
  expect_identical(
    called_by(wbms(iris$Petal.Width, h = 0.05, lambda = 0.1, max_iter = 2)),
    quote(wbms(x = iris$Petal.Width, h = 0.05, lambda = 0.1, max_iter = 2))
  )
})
