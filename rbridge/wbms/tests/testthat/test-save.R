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

test_that("a fit in a file of its own comes back identical", {
  needs_python()
  file <- tempfile(fileext = ".wbms")
  on.exit(unlink(file))
  fits <- list(
    iris_fit(), iris_fit(record_path = TRUE, tree = TRUE), iris_fit(unname(as.matrix(iris[, 1:2]))),
    iris_fit(airquality[, 1:4], na.action = na.omit), iris_fit(c(1, 2, 3, 11, 12)),
    wbms(~ . - Species, data = iris, h = 0.1, lambda = 0.05, subset = Sepal.Width > 2.5)
  )
  for (fit in fits) {
    expect_identical(wbms_save(fit, file), file)
    # The environment of a formula is not kept.
    if (!is.null(fit$terms)) attr(fit$terms, ".Environment") <- globalenv()
    expect_identical(wbms_load(file), fit)
  }
})

test_that("what cannot be saved is refused before a file is written", {
  needs_python()
  file <- tempfile(fileext = ".wbms")
  fit <- iris_fit()
  expect_error(wbms_save(1, file), "'fit' must be a fit of wbms()", fixed = TRUE)
  expect_error(wbms_save(fit, NA_character_), "'path' must be the name of a file")
  expect_error(wbms_load(character()), "'path' must be the name of a file")
  expect_error(wbms_save(fit, file.path(tempdir(), "none", "a.wbms")), "there is no folder")
  expect_error(wbms_save(fit, tempdir()), "it is a folder")
  expect_error(wbms_save(toy_fit(), file), "older version")
  fit$f <- function(x) x
  expect_error(wbms_save(fit, file), "the field 'f' of the fit is no plain data")
  by_formula <- wbms(~ ave(Sepal.Length) + Sepal.Width, iris, h = 0.1, lambda = 0.05)
  expect_error(wbms_save(by_formula, file), "'formula' calls ave()", fixed = TRUE)
  expect_false(file.exists(file))
})
