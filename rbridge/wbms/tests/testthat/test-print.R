test_that("print shows the result, the parameters and what to call next", {
  said <- capture.output(shown <- withVisible(print(toy_fit())))
  expect_false(shown$visible)
  expect_s3_class(shown$value, "wbms")
  expect_identical(said, c(
    "Weighted Blurring Mean Shift: 2 clusters in 5 rows x 2 columns",
    "h = 0.1, lambda = 0.2; converged by the rule \"settled\" after 3", "  iterations", "",
    "Cluster sizes: 3, 2", "Heaviest columns: a 0.75, b 0.25",
    "Rows left out (missing values): 1", "",
    "See summary(fit), plot(fit), predict(fit, newdata), fit$cluster and the",
    "  other fields that names(fit) lists."
  ))
})

test_that("print reports a chosen pair, and a fit that did not converge", {
  expect_output(print(toy_selected()), "lambda = 0.2 (chosen from the data)", fixed = TRUE)
  fit <- toy_fit()
  fit$converged <- FALSE
  expect_output(print(fit), "not converged by the rule")
  fit$na.action <- NULL
  expect_false(any(grepl("left out", capture.output(print(fit)))))
})

test_that("print stays short for many clusters and long names", {
  fit <- toy_fit()
  fit$size <- rep(1:0, c(5L, 4995L))
  name <- strrep("long ", 20)
  names(fit$weights)[1] <- name
  said <- capture.output(print(fit))
  expect_lt(length(said), 15)
  expect_match(said, "... 4,988 more", fixed = TRUE, all = FALSE)
  expect_false(any(grepl(name, said, fixed = TRUE)))
  expect_lte(max(nchar(said)), getOption("width"))
})

test_that("print works on real fits, even of one row", {
  needs_python()
  expect_output(print(iris_fit()), "3 clusters in 150 rows x 4 columns")
  expect_output(print(iris_fit(iris[1, 1:4])), "1 cluster in 1 row x 4 columns")
})

test_that("a summary has one row per cluster", {
  summary <- summary(toy_selected())
  expect_s3_class(summary, "summary.wbms")
  expect_identical(
    summary$clusters,
    data.frame(cluster = 1:2, size = 3:2, share = c(0.6, 0.4), a = c(12, 1), b = c(4, 2))
  )
  expect_identical(summary$weights, c(a = 0.75, b = 0.25))
  expect_equal(summary$eff.columns, exp(-0.75 * log(0.75) - 0.25 * log(0.25)))
  expect_identical(names(summary(toy_fit(), top = 1)$clusters), c("cluster", "size", "share", "a"))
  expect_error(summary(toy_fit(), top = "a"), "'top'", class = "wbms_error")
})

test_that("a summary sorts the weights and keeps names unique", {
  fit <- toy_fit()
  fit$weights <- c(a = 0.25, size = 0.75)
  colnames(fit$data) <- colnames(fit$centers) <- c("a", "size")
  summary <- summary(fit)
  expect_named(summary$weights, c("size", "a"))
  expect_named(summary$clusters, c("cluster", "size", "share", "size.1", "a"))
  expect_identical(summary$clusters$size.1, c(4, 2))
})

test_that("a summary prints all its fields", {
  said <- capture.output(shown <- withVisible(print(summary(toy_selected()))))
  expect_false(shown$visible)
  for (text in c(
    "wbms(x = toy)", "h = 0.1, lambda = 0.2", "among 3 values (stability 0.5)",
    "Converged by the rule \"settled\" after 3 iterations", "Rows left out (missing values): 1",
    "2 clusters in 5 rows:", "60.0%", "Weights of 2 columns:", "0.7500"
  )) {
    expect_match(said, text, fixed = TRUE, all = FALSE)
  }
  expect_output(print(summary(toy_selected(c(0.1, 0.2)))), "among 6 pairs")
  expect_false(any(grepl("Chosen", capture.output(print(summary(toy_fit()))))))
  raw <- toy_fit()
  raw$params$standardize <- FALSE
  expect_output(print(summary(raw)), "not standardized")
})

test_that("a summary prints no more rows than asked for", {
  said <- capture.output(print(summary(toy_fit()), max_rows = 1))
  expect_match(said, "... and 1 other", fixed = TRUE, all = FALSE)
  expect_match(said, "1 other with 0.2500 in total", fixed = TRUE, all = FALSE)
})

test_that("a single cluster found by a search is reported as no clusters", {
  fit <- toy_selected()
  fit$size <- c("1" = 5L)
  fit$centers <- fit$centers[1L, , drop = FALSE]
  expect_output(print(fit), "No clusters were found")
  expect_output(print(summary(fit)), "No clusters were found")
  fit$selection <- NULL
  expect_no_match(capture.output(print(fit)), "No clusters were found")
  expect_no_match(capture.output(print(toy_selected())), "No clusters were found")
})

test_that("an uncertain choice is reported, with the alternatives", {
  fit <- toy_uncertain()
  expect_silent(said <- capture.output(print(fit)))
  expect_match(said, "^The choice of h and lambda is uncertain", all = FALSE)
  alternative <- which(startsWith(said, "  k = 5 at h = 0.05, lambda = 0.4"))
  expect_match(said[alternative + 1L], "^    very") # the continuation is indented
  expect_lte(max(nchar(said)), getOption("width"))
  expect_no_match(said, "come back")
  summary <- summary(fit)
  expect_identical(summary$choice, fit$choice)
  said <- capture.output(print(summary))
  expect_match(said, "^The choice of h and lambda is uncertain", all = FALSE)
  expect_match(said, "The 2 clusters come back.", fixed = TRUE, all = FALSE)
  fit$choice$note <- ""
  expect_no_match(capture.output(print(fit), print(summary(fit))), "uncertain")
})

test_that("the confidence is printed in one line, if there is one", {
  fit <- toy_uncertain()
  fit$confidence <- list(expected = 0.618, word = "medium")
  line <- "Confidence: medium (expected agreement with the truth 0.62)"
  for (shown in list(fit, summary(fit))) {
    expect_identical(sum(capture.output(print(shown)) == line), 1L)
  }
  expect_no_match(capture.output(print(toy_fit()), print(summary(toy_fit()))), "Confidence")
})

test_that("if all rows are one cluster, the reason is given", {
  fit <- toy_uncertain()
  fit$size <- c("1" = 5L)
  fit$centers <- fit$centers[1L, , drop = FALSE]
  fit$choice$reason <- "No clusters: none."
  for (shown in list(fit, summary(fit))) {
    said <- capture.output(print(shown))
    expect_identical(sum(said == "No clusters: none."), 1L)
    expect_no_match(said, "uncertain|were found")
  }
})

test_that("numbers use the decimal mark of the options, without a warning", {
  old <- options(OutDec = ",")
  on.exit(options(old))
  fit <- toy_selected()
  fit$size <- c(5000L, 2L)
  expect_silent(said <- capture.output(print(fit), print(summary(fit))))
  expect_match(said, "h = 0,1, lambda = 0,2", fixed = TRUE, all = FALSE)
  expect_match(said, "a 0,75, b 0,25", fixed = TRUE, all = FALSE)
  expect_match(said, "Cluster sizes: 5.000, 2", fixed = TRUE, all = FALSE)
  expect_match(said, "stability 0,5", fixed = TRUE, all = FALSE)
  expect_no_match(said[!startsWith(said, "Cluster sizes")], "[0-9][.][0-9]")
})

test_that("a call that contains the data is printed in a few lines", {
  fit <- toy_fit()
  fit$call <- as.call(list(quote(wbms), x = iris))
  expect_lt(length(capture.output(print(summary(fit)))), 25)
  expect_length(call_text(fit$call), 5L)
  expect_identical(call_text(quote(wbms(x = a))), "wbms(x = a)")
})
