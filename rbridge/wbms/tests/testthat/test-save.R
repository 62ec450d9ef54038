test_that("a saved fit is unchanged", {
  needs_python()
  fit <- wbms(iris[, 1:4], record_path = TRUE)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_identical(again, fit)
  expect_identical(capture.output(print(again)), capture.output(print(fit)))
  expect_identical(predict(again, iris), fit$cluster)
  expect_identical(wbms_theory(again), wbms_theory(fit))
  formula <- wbms(~ Sepal.Length + Species, data = iris, h = 0.05, lambda = 0.1)
  saveRDS(formula, file)
  expect_identical(predict(readRDS(file), iris), formula$cluster)
})

test_that("a fit contains only plain R vectors", {
  needs_python()
  fit <- wbms(iris[, 1:4], record_path = TRUE)
  plain <- c("NULL", "logical", "integer", "double", "character", "list", "language")
  kinds <- function(x) if (is.list(x)) unlist(lapply(x, kinds)) else typeof(x)
  expect_true(all(kinds(unclass(fit)) %in% plain))
})

test_that("without Python a fit can be printed and plotted, and predict says what to do", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(toy_uncertain(), file)
  done <- run_r(
    c(
      "library(wbms)",
      sprintf("fit <- readRDS('%s')", file),
      "stopifnot(!wbms_available())",
      "print(fit)",
      "summary(fit)",
      "pdf(NULL)",
      "for (type in c('overview', 'clusters', 'weights', 'collapse', 'selection')) {",
      "  plot(fit, type)",
      "}",
      "stopifnot(nrow(tidy(fit)) == 2, nrow(glance(fit)) == 1, nrow(augment(fit)) == 5)",
      "stopifnot(nrow(fitted(fit)) == 6, nobs(fit) == 5, identical(predict(fit), fit$cluster))",
      "failed <- tryCatch(predict(fit, fit$data), error = identity)",
      "cat(class(failed), conditionMessage(failed), sep = '\\n')"
    ),
    env = "WBMS_PYTHON=/nonexistent/python"
  )
  expect_identical(done$status, 0L)
  expect_match(done$said, "2 clusters in 5 rows x 2 columns")
  expect_match(done$said, "wbms_python_error\nwbms_error\nerror")
  expect_match(done$said, "there is no Python at /nonexistent/python", fixed = TRUE)
  expect_match(done$said, "the environment variable WBMS_PYTHON", fixed = TRUE)
  expect_match(done$said, "pip install", fixed = TRUE)
})

test_that("a program that is not Python is recognised", {
  done <- run_r(
    c(
      "options(wbms.python = '/bin/true')",
      "cat(conditionMessage(tryCatch(wbms::wbms(1:3), error = identity)))"
    )
  )
  expect_match(done$said, "/bin/true could not be run as Python", fixed = TRUE)
})
