#' The theorems, checked on a fit
#'
#' Checks the paper's theorems on a fit: that the weights minimise the entropy-regularised
#' displacement (Theorem 1), that the convex hull of the cloud only shrinks (Theorem 2), that the
#' change of its diameter eventually stays below any bound (Theorem 3), and at which order and rate a
#' Gaussian cloud of that spread collapses (Theorem 5). Theorem 4 concerns Gaussian clouds only: see
#' [gaussian_recursion()].
#'
#' The fit is repeated, from the data that it holds, to record the paths of the rows.
#'
#' @param fit a fit of [wbms()].
#' @param delta the bound of Theorem 3, relative to the initial diameter.
#' @param verbose print one line per iteration?
#' @param x the result of `wbms_theory()`.
#' @param digits number of significant digits to print.
#' @param ... for `plot`, arguments of [graphics::plot()]; otherwise not used. The two panels take
#'   the whole page.
#' @return A data frame of class `wbms_theory` with one row per check: `theorem`, `checked`, `deviation`
#'   (the largest one found), `tolerance` and `holds`. Its attribute `"steps"` is a data frame with one
#'   row per iteration: `outside` (the largest distance of a row to the previous hull), `diameter`,
#'   `volume` (for up to three columns) and `holds`. `plot` draws these.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' wbms_theory(fit)
#' @export
wbms_theory <- function(fit, delta = 0.01, verbose = FALSE) {
  call <- match.call()
  if (!inherits(fit, "wbms")) abort("'fit' must be a fit of wbms(), not ", described(class(fit)))
  delta <- check_positive(delta, "delta")
  verbose <- check_flag(verbose, "verbose")
  last <- fit$history[nrow(fit$history), ]
  params <- c(list(h = fit$h, lam = fit$lambda), fit$params)
  found <- suppressWarnings( # the fit has already warned if it did not converge
    py_call(
      "check_theory", fit$data, colnames(fit$data), params, fit$converged,
      if (nrow(last)) last$phase else "", if (nrow(last)) last$iteration else 0L, delta, verbose,
      fit$row_weights,
      .call = call
    ),
    classes = "wbms_warning"
  )
  structure(
    found$checks,
    class = c("wbms_theory", "data.frame"), steps = found$steps, nobs = nrow(fit$data)
  )
}

#' @rdname wbms_theory
#' @export
print.wbms_theory <- function(x, digits = 3, ...) {
  if (!nrow(x)) {
    cat("Nothing to check: no row moved.\n")
    return(invisible(x))
  }
  shown <- data.frame(
    theorem = x$theorem, checked = x$checked, deviation = format(x$deviation, digits = digits),
    tolerance = format(x$tolerance, digits = digits), holds = ifelse(x$holds, "yes", "NO")
  )
  # One line per check, whatever the width: a wrapped table is hard to read.
  old <- options(width = max(getOption("width"), 120L))
  on.exit(options(old))
  print(shown, row.names = FALSE, right = FALSE)
  invisible(x)
}

#' @rdname wbms_theory
#' @export
plot.wbms_theory <- function(x, ...) {
  steps <- attr(x, "steps")
  if (is.null(steps)) abort("nothing to draw: no row moved")
  old <- graphics::par(c("mfrow", "cex", "mex", "mar", "las", "mgp"))
  on.exit(graphics::par(old))
  graphics::par(mfrow = if (is_wide()) 1:2 else 2:1, las = 0L, mgp = c(2.4, 0.8, 0))
  shrink_texts()
  margins <- c(3.6, 3.7, 2.6, 1.1)
  start_figure()
  set_margins(margins * text_line())
  plot_with(
    list(...), steps$iteration, steps$diameter,
    type = "b", pch = 16, xlab = "iteration", ylab = "diameter of the cloud",
    main = "The cloud shrinks", ylim = c(0, max(steps$diameter))
  )
  # Values below the smallest distinguishable from 0 are drawn at that bound.
  outside <- pmax(steps$outside, 1e-17)
  start_figure()
  set_margins(margins * text_line())
  plot_with(
    list(...), steps$iteration, outside,
    type = "b", pch = 16, log = "y", xlab = "iteration", ylim = c(1e-17, max(1e-6, outside)),
    ylab = "distance to the previous hull", main = "No row leaves the hull"
  )
  graphics::abline(h = 1e-8, lty = 2)
  graphics::text(max(steps$iteration), 1e-8, "tolerance", adj = c(1, -0.4), cex = 0.8)
  invisible(x)
}
