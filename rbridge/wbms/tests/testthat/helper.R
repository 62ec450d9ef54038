# Tests that compute need Python. In continuous integration its absence is a failure, not a skip.
needs_python <- function() {
  available <- wbms_available()
  if (available) return(invisible())
  reason <- attr(available, "reason")
  if (any(nzchar(Sys.getenv(c("CI", "WBMS_TEST"))))) stop("Python is not available: ", reason)
  skip(paste("Python is not available:", reason))
}

# A fit with fixed h and lambda, shared by the tests.
iris_fit <- function(x = iris[, 1:4], ...) {
  wbms(x, h = 0.05, lambda = 0.1, ...)
}

# A fit made without Python, small enough to know everything about it: six rows, of which the third
# was omitted.
toy_fit <- function() {
  rows <- c("r1", "r2", "r4", "r5", "r6")
  columns <- c("a", "b")
  data <- matrix(c(0, 2, 10, 12, 14, 0, 4, 0, 4, 8), 5L, dimnames = list(rows, columns))
  centers <- matrix(c(12, 1, 4, 2), 2L, dimnames = list(1:2, columns))
  cluster <- c(r1 = 2L, r2 = 2L, r3 = NA, r4 = 1L, r5 = 1L, r6 = 1L)
  modes <- centers[c(2L, 2L, 1L, 1L, 1L), ]
  rownames(modes) <- rows
  history <- data.frame(
    phase = rep(c("warmup", "main"), each = 3L), iteration = rep(1:3, 2L),
    diameter = c(3, 2, 1.5, 2.5, 1.2, 1), movement = c(1, 0.1, 0, 1, 0.1, 0),
    groups = c(5L, 3L, 2L, 5L, 2L, 2L), entropy = 0.5, n_points = 5L
  )
  structure(
    list(
      cluster = cluster, weights = c(a = 0.75, b = 0.25), centers = centers, modes = modes,
      size = c("1" = 3L, "2" = 2L), h = 0.1, lambda = 0.2, iter = 3L, converged = TRUE,
      history = history, selection = NULL, data = data, scale = c(a = 1, b = 2), path = NULL,
      params = list(standardize = TRUE, stop = "settled"),
      na.action = structure(c(r3 = 3L), class = "omit"), call = quote(wbms(x = toy))
    ),
    class = "wbms"
  )
}

# The toy fit with all rows in one cluster.
toy_one <- function() {
  fit <- toy_fit()
  fit$cluster[!is.na(fit$cluster)] <- 1L
  fit$size <- c("1" = 5L)
  fit$centers <- fit$centers[1L, , drop = FALSE]
  fit
}

# The toy fit with a selection: over h only, or over both h and lambda.
toy_selected <- function(lambda = 0.2) {
  fit <- toy_fit()
  fit$selection <- expand.grid(h = c(0.05, 0.1, 0.2), lambda = lambda)
  fit$selection$k <- rep(c(5L, 2L, 1L), length(lambda))
  fit$selection$stability <- seq(0.1, 0.9, length.out = nrow(fit$selection))
  fit$selection$chosen <- fit$selection$h == 0.1 & fit$selection$lambda == 0.2
  fit
}

# The toy fit with an uncertain choice between two pairs.
toy_uncertain <- function() {
  fit <- toy_selected(c(0.1, 0.2, 0.4))
  fit$selection$judged <- fit$selection$h < 0.2
  fit$choice <- list(
    h = 0.1, lambda = 0.2, k = 2L, certain = FALSE, complete = TRUE,
    reason = "The 2 clusters come back.",
    note = paste0(
      "The choice of h and lambda is uncertain. Nearly as good:\n",
      "  k = 5 at h = 0.05, lambda = 0.4 (", strrep("very ", 12), "good)"
    ),
    alternatives = data.frame(h = 0.05, lambda = 0.4, k = 5L), n_fits = 9L, n_rows = 5L
  )
  fit
}

toy_with_path <- function() {
  fit <- toy_fit()
  fit$path <- array(0, c(4L, 5L, 2L), list(0:3, rownames(fit$data), colnames(fit$data)))
  for (i in 0:3) fit$path[i + 1L, , ] <- fit$data + i / 3 * (fit$modes - fit$data)
  fit
}

# The toy fit with a tree whose last merge was predicted.
toy_tree <- function() {
  fit <- toy_fit()
  fit$tree <- list(
    merge = rbind(c(-3L, -4L), c(-1L, -2L), c(-5L, 1L), c(2L, 3L)),
    height = c(log1p(1), log1p(2), log1p(2), 9), order = c(1L, 2L, 5L, 3L, 4L),
    observed = c(TRUE, TRUE, TRUE, FALSE)
  )
  fit
}

# Draws on a null device and checks that the graphical parameters are restored.
draws <- function(code, width = 7, height = 7) {
  grDevices::pdf(NULL, width, height)
  on.exit(grDevices::dev.off())
  kept <- c("mfrow", "mar", "mai", "cex", "mex", "mgp", "las", "xpd", "oma", "pty", "fig", "new")
  before <- graphics::par(kept)
  force(code)
  expect_identical(graphics::par(kept), before)
}

# Runs R code in a separate session.
run_r <- function(code, env = character(), libraries = .libPaths()) {
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(code, file)
  env <- c(paste0("R_LIBS=", paste(libraries, collapse = .Platform$path.sep)), "R_TESTS=", env)
  said <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--no-init-file", shQuote(file)),
    stdout = TRUE, stderr = TRUE, env = env
  ))
  status <- attr(said, "status")
  list(status = if (is.null(status)) 0L else status, said = paste(said, collapse = "\n"))
}
