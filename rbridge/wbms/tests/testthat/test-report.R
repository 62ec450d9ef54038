test_that("a report is one page that is written whole or not at all", {
  needs_python()
  fit <- iris_fit()
  path <- tempfile(fileext = ".html")
  expect_identical(expect_invisible(wbms_report(fit, path, title = "Iris & co")), path)
  page <- readLines(path, encoding = "UTF-8", warn = FALSE)
  expect_true(any(grepl("<h1>Iris &amp; co</h1>", page, fixed = TRUE)))
  expect_lt(file.size(path), 3e6)
  expect_error(wbms_report(fit, file.path(tempdir(), "nowhere", "a.html")), "there is no folder")
})

test_that("bad arguments of wbms_report() are named", {
  needs_python()
  fit <- iris_fit()
  expect_error(wbms_report(1, "a.html"), "'fit' must be a fit of wbms")
  expect_error(wbms_report(fit, NA), "'path' must be the name of a file")
  expect_error(wbms_report(fit, "a.html", title = 3), "'title' must be a text")
})
