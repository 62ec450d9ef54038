two_blobs <- function(n = 60) {
  set.seed(3)
  x <- matrix(rnorm(4 * n, sd = 0.3), ncol = 4, dimnames = list(NULL, letters[1:4]))
  x[seq_len(n / 2), 1:2] <- x[seq_len(n / 2), 1:2] + 3
  x
}

test_that("a choice has the documented fields", {
  needs_python()
  x <- two_blobs()
  choice <- wbms_select(x)
  expect_s3_class(choice, "wbms_select", exact = TRUE)
  expect_named(choice, c(
    "h", "lambda", "chosen", "k", "start", "init", "starts", "join", "confidence", "certain",
    "complete", "reason", "note", "grid", "alternatives", "n_fits", "n_rows", "call"
  ))
  expect_identical(choice$chosen, c("h", "lambda"))
  expect_identical(choice$k, 2L)
  expect_identical(choice$n_rows, 60L)
  expect_named(choice$grid, c(
    "start", "h", "lambda", "k", "joined", "judged", "screened", "refined", "surplus", "valley",
    "centrality", "stability", "gain", "score", "chosen"
  ))
  chosen <- choice$grid[choice$grid$chosen, ]
  expect_identical(c(chosen$h, chosen$lambda), c(choice$h, choice$lambda))
  expect_identical(chosen$joined, choice$k)
  expect_identical(chosen$start, choice$start)
  clear <- 1.02 - chosen$valley
  expect_equal(chosen$score, sqrt(chosen$refined) * clear * chosen$centrality^0.15)
  expect_equal(chosen$score, max(choice$grid$score))
  expect_false(anyNA(choice$grid))
  expect_named(choice$alternatives, c(
    "start", "h", "lambda", "k", "stability", "gain", "score", "share", "expected"
  ))
  expect_named(choice$init, letters[1:4])
  expect_equal(sum(choice$init), 1)
  expect_identical(choice$starts[[choice$start]], choice$init)
  expect_setequal(names(choice$starts), choice$grid$start)
  expect_identical(choice$join, choice$k < chosen$k)
  expect_named(choice$confidence, c("expected", "word"))
  expect_true(choice$confidence$word %in% c("high", "medium", "low"))
  expect_match(choice$reason, "^The 2 clusters recur")
  expect_identical(choice$call, quote(wbms_select(x = x)))
  plain <- c("logical", "integer", "double", "character", "list", "language")
  kinds <- function(x) if (is.list(x)) unlist(lapply(x, kinds)) else typeof(x)
  expect_true(all(kinds(unclass(choice)) %in% plain))
})

test_that("a fit makes the same choice, whatever the order of the rows and n_jobs", {
  needs_python()
  x <- two_blobs()
  choice <- wbms_select(x)
  fit <- wbms(x)
  expect_identical(c(fit$h, fit$lambda), c(choice$h, choice$lambda))
  expect_identical(fit$selection, choice$grid)
  expect_identical(fit$choice, unclass(choice)[names(fit$choice)])
  same <- setdiff(names(choice), "call")
  expect_identical(wbms_select(x[60:1, ], n_jobs = 2)[same], choice[same])
  frame <- as.data.frame(x)
  expect_identical(wbms_select(frame)[same], choice[same])
  expect_identical(wbms_select(~ a + b + c + d, data = frame)[same], choice[same])
})

test_that("one of h and lambda, or candidate values, can be given", {
  needs_python()
  x <- two_blobs()
  by_h <- wbms_select(x, h = 0.1)
  expect_identical(by_h$h, 0.1)
  expect_true(all(by_h$grid$h == 0.1))
  expect_gt(length(unique(by_h$grid$lambda)), 1L)
  by_lambda <- wbms_select(x, lambda = 0.1)
  expect_identical(by_lambda$lambda, 0.1)
  expect_gt(length(unique(by_lambda$grid$h)), 1L)
  expect_identical(by_lambda$chosen, "h")
  fit <- wbms(x, h = 0.1)
  expect_identical(fit$selection, by_h$grid)
  expect_identical(fit$choice, unclass(by_h)[names(fit$choice)])
  expect_output(print(fit), "(lambda chosen from the", fixed = TRUE)
  expect_identical(wbms(x, lambda = 0.1)$selection, by_lambda$grid)
  grid <- wbms_select(x, c(0.3, 0.1), c(0.05, 0.1), init = "uniform")$grid
  expect_identical(grid[c("h", "lambda")], expand.grid(
    h = c(0.1, 0.3), lambda = c(0.05, 0.1), KEEP.OUT.ATTRS = FALSE
  ))
})

test_that("a fit with the chosen start and join repeats wbms(x)", {
  needs_python()
  for (x in list(two_blobs(), wbms_data("two_moons", seed = 0, n = 150))) {
    choice <- wbms_select(x)
    fit <- wbms(x)
    again <- wbms(x, choice$h, choice$lambda, init = choice$init, join = choice$join)
    same <- c("cluster", "weights", "centers", "modes", "size", "h", "lambda", "init", "params")
    expect_identical(again[same], fit[same])
    expect_identical(fit$init, choice$init)
    expect_identical(fit$params$join, choice$join)
    expect_identical(fit$confidence, choice$confidence)
    expect_null(again$confidence)
  }
})

test_that("the start can be given", {
  needs_python()
  x <- two_blobs()
  for (init in c("uniform", "marginal")) {
    choice <- wbms_select(x, h = c(0.1, 0.2), lambda = 0.1, init = init)
    expect_identical(choice$start, init)
    expect_identical(unique(choice$grid$start), init)
  }
  given <- wbms_select(x, h = c(0.1, 0.2), lambda = 0.1, init = 4:1)
  expect_identical(given$start, "given")
  expect_identical(unname(given$init), c(4, 3, 2, 1))
})

test_that("noise has no clusters", {
  needs_python()
  set.seed(1)
  noise <- matrix(rnorm(300), ncol = 3)
  expect_match(wbms_select(noise)$reason, "^No clusters")
  expect_silent(said <- capture.output(fit <- wbms(noise), print(fit), print(summary(fit))))
  expect_identical(sum(grepl("^No clusters", said)), 2L)
})

test_that("an uncertain choice names its alternatives", {
  needs_python()
  choice <- wbms_select(iris[, 1:4])
  expect_false(choice$certain)
  expect_true(all(choice$alternatives$share >= 0.75))
  expect_match(choice$note, "lambda is uncertain")
  expect_no_match(choice$note, "\\blam\\b")
  expect_match(capture.output(print(choice)), "is uncertain. Nearly as good:", all = FALSE)
  expect_match(capture.output(print(wbms(iris[, 1:4]))), "is uncertain", all = FALSE)
})

test_that("lambda is on the scale of the fit, also in the note", {
  needs_python()
  by_mean <- wbms(iris[, 1:4])
  by_sum <- wbms(iris[, 1:4], lambda_scale = "sum")
  expect_equal(by_sum$choice$lambda, by_sum$lambda)
  expect_equal(by_sum$choice$alternatives$lambda, 150 * by_mean$choice$alternatives$lambda)
  expect_match(by_sum$choice$note, paste("lambda =", signif(by_sum$choice$alternatives$lambda[1], 4)))
})

test_that("rows with missing values are rejected or omitted", {
  needs_python()
  x <- two_blobs()
  x[2, 1] <- NA
  expect_error(wbms_select(x), "missing values in column 'a'", class = "wbms_error")
  expect_identical(wbms_select(x, na.action = na.omit, h = 0.1)$n_rows, 59L)
})

test_that("arguments are checked, by name", {
  x <- two_blobs()
  refused <- function(code, said) expect_error(code, said, fixed = TRUE, class = "wbms_error")
  refused(wbms_select(), "'x' is missing: wbms_select() needs")
  for (value in list(0, -1, NA, Inf, "auto", c(0.1, -1), numeric(), TRUE, list(1))) {
    refused(wbms_select(x, h = value), "'h' must be a positive number, several of them, or NULL")
    refused(wbms_select(x, lambda = value), "'lambda' must be a positive number, several")
  }
  refused(wbms_select(x, n_subsets = 1), "'n_subsets' must be a whole number of at least 2")
  refused(wbms_select(x, seed = -1), "'seed' must be a whole number of at least 0")
  refused(wbms_select(x, n_jobs = 0), "'n_jobs'")
  refused(wbms_select(x, eps = 0), "'eps'")
  refused(wbms_select(x, init = "equal"), "'init' must be one of 'auto', 'uniform', 'marginal'")
  refused(wbms_select(x, init = 1:3), "'init' must have one number per column")
  refused(wbms_select(x, join = NA), "'join' must be TRUE, FALSE or \"auto\", not NA")
  refused(wbms_select(x, callback = 1), "'callback' must be a function or NULL")
  refused(wbms_select(x, lam = 1), "did you mean 'lambda'? (see ?wbms_select)")
  refused(wbms_select(x, n_subset = 3), "did you mean 'n_subsets'?")
  refused(wbms_select(x, subset = 1), "only be used with a formula: wbms_select(~ a + b, data = df)")
  refused(wbms_select(~ a, data = as.data.frame(x), tree = TRUE), "unknown argument: 'tree'")
  refused(wbms_select(a ~ b, data = as.data.frame(x)), "no left-hand side")
  refused(wbms_select(iris), "'Species'")
})

test_that("a callback sees every fit, can stop the search, and its errors are raised in R", {
  needs_python()
  x <- two_blobs()
  seen <- integer()
  choice <- wbms_select(x, callback = function(state) {
    seen <<- c(seen, state$fit)
    state$fit == 6L
  })
  expect_identical(seen, 1:6)
  expect_false(choice$complete)
  expect_false(choice$certain)
  expect_match(choice$note, "^The search for h and lambda was stopped after")
  expect_error(wbms_select(x, callback = function(state) stop("oops")), "oops")
  expect_output(wbms_select(x, h = 0.1, verbose = TRUE), "choosing h and lambda: fit 1, ")
})

test_that("the callback of a fit sees the choice, too", {
  needs_python()
  phases <- character()
  fit <- wbms(two_blobs(), h = 0.1, callback = function(state) {
    phases <<- c(phases, state$phase)
    FALSE
  })
  expect_identical(unique(phases), c("select", "warmup", "main"))
  expect_identical(sum(phases == "select"), fit$choice$n_fits)
})

test_that("a choice ends when its time is over, and says so", {
  needs_python()
  choice <- wbms_select(two_blobs(), time_budget = 1e-6)
  expect_false(choice$complete)
  expect_match(choice$note, "budget")
  expect_false(wbms(two_blobs(), time_budget = 1e-6)$choice$complete)
  expect_true(wbms(two_blobs(), time.budget = 600)$choice$complete)
  refused <- "'time_budget' must be a positive number, not -1"
  expect_error(wbms(two_blobs(), time_budget = -1), refused, class = "wbms_error")
  expect_error(wbms_select(two_blobs(), time_budget = -1), refused, class = "wbms_error")
})

test_that("a choice is printed and drawn, with and without clusters", {
  needs_python()
  choice <- wbms_select(two_blobs())
  said <- capture.output(shown <- withVisible(print(choice, top = 1)))
  expect_false(shown$visible)
  expect_match(said[[1L]], "Choice of h and lambda: 2 clusters in 60 rows", fixed = TRUE)
  best <- which(said == "Best pairs:")
  expect_match(said[[best + 2L]], "\\*$")
  expect_identical(said[[best + 3L]], "")
  expect_error(print(choice, tops = 1), "did you mean 'top'", class = "wbms_error")
  draws(expect_identical(plot(choice), choice))
  draws(plot(choice, score = "stability", main = "Stability of blobs"), width = 10, height = 4)
  expect_error(plot(choice, score = "k"), "'score' must be one of", class = "wbms_error")
  draws(plot(wbms_select(two_blobs(), lambda = 0.1)))
  draws(plot(wbms_select(two_blobs(), h = 0.1, lambda = 0.1)))
  few <- wbms_select(two_blobs()[1:5, ])
  expect_match(few$reason, "Fewer than 10 rows")
  expect_output(print(few), "1 cluster in 5 rows")
  draws(plot(few))
})

test_that("cells of the map go halfway to their neighbours", {
  cells <- pair_cells(data.frame(h = c(1, 100, 1.21), lambda = 2))
  expect_equal(cells$right, c(1.1, 100 * sqrt(1.8), 1.21 * sqrt(1.8)))
  expect_equal(cells$left, c(1 / sqrt(1.8), 100 / sqrt(1.8), 1.1))
  expect_identical(cells$row, c(1L, 1L, 1L))
})
