# The plots of the collapse: groups and diameter per iteration, and the paths of the rows.

draw_collapse <- function(x, shown, main = NULL, ...) {
  recorded <- !is.null(x$path)
  beside <- is_wide()
  if (recorded) {
    graphics::layout(if (beside) matrix(c(1, 2, 3, 3), 2L) else rbind(1:2, c(3, 3)))
  } else {
    graphics::layout(if (beside) t(1:2) else 1:2)
  }
  shrink_texts()
  if (is.null(main)) main <- "The rows merge"
  draw_history(x, "groups", main, "number of groups", log = "y", ...)
  draw_history(x, "diameter", "The cloud shrinks", "diameter", ...)
  if (recorded) draw_paths(x, shown, ...)
}

# A column of the history, one phase after the other.
draw_history <- function(x, column, title, label, log = "", col = palette_colours, ...) {
  start_figure()
  set_margins(c(3.6, 3.7, 2.9, 1.1) * text_line())
  steps <- nrow(x$history)
  if (steps == 0L) return(draw_note("no row moved", title))
  values <- as.double(x$history[[column]])
  warm <- x$history$phase == "warmup"
  colours <- ifelse(warm, grey_colour, rep_len(col, 1L))
  y <- if (log == "y") pmax(values, 1) else values
  plot_with(
    list(...), seq_len(steps), y,
    type = "n", log = log, ylim = if (log == "y") range(1, y) else range(0, y), main = "",
    xlab = "iteration", ylab = label, xaxt = "n", yaxt = if (log == "y") "n" else "s"
  )
  draw_title(title, list(...), 1.5)
  if (log == "y") graphics::axis(2L, at = whole_ticks(max(y)))
  iteration_axis(x$history$iteration, warm)
  for (phase in unique(warm)) {
    graphics::lines(which(warm == phase), y[warm == phase], col = grey_colour)
  }
  graphics::points(seq_len(steps), y, pch = 16, col = colours, cex = 0.8)
  if (any(warm) && !all(warm)) {
    graphics::abline(v = sum(warm) + 0.5, lty = 2)
    graphics::mtext(
      c("warm-up", "main"),
      at = c(mean(which(warm)), mean(which(!warm))), line = 0.3, cex = 0.8 * graphics::par("cex")
    )
  }
}

# Iterations are counted from 1 in each phase.
iteration_axis <- function(iteration, warm) {
  # The same step in both: 1, 2, 5, 10, ...
  steps <- c(1, 2, 5) * rep(10^(0:8), each = 3L)
  room <- graphics::par("pin")[[1L]] / (1.5 * text_line())
  step <- steps[steps >= length(warm) / room][[1L]]
  for (phase in unique(warm)) {
    here <- which(warm == phase)
    at <- if (step <= length(here)) seq(step, length(here), step) else length(here)
    graphics::axis(1L, at = here[at], labels = iteration[here[at]])
  }
}

# Integer ticks for a logarithmic axis from 1.
whole_ticks <- function(largest) {
  if (largest < 7) return(seq_len(max(1, floor(largest))))
  tens <- 10^(0:floor(log10(largest)))
  ticks <- if (largest > 2000) tens else sort(c(tens, 2 * tens, 5 * tens))
  ticks[ticks <= largest]
}

draw_paths <- function(x, shown, col = palette_colours, ...) {
  if (is.null(x$path)) abort("the fit has no path: refit with record_path = TRUE")
  start_figure()
  set_margins(c(3.6, 3.7, 2.9, 1.1) * text_line())
  col <- rep_len(col, length(x$size))
  lines <- path_lines(x, shown)
  plot_with(
    list(...), lines$x, lines$y,
    type = "n", main = "Paths of the rows", xlab = lines$xlab, ylab = lines$ylab
  )
  for (colour in unique(col[lines$cluster])) {
    mine <- col[lines$cluster] == colour
    graphics::lines(lines$x[mine], lines$y[mine], col = colour, lwd = 0.7)
    start <- mine & lines$iteration %in% 0
    graphics::points(lines$x[start], lines$y[start], pch = 16, cex = 0.4, col = colour)
  }
  last <- max(lines$iteration, na.rm = TRUE)
  if (length(shown) == 1L) {
    draw_centres(cbind(last, x$centers[, shown]))
  } else {
    draw_centres(x$centers[, shown, drop = FALSE])
  }
}

# The paths of up to 500 rows, one after the other, separated by missing values.
path_lines <- function(x, shown) {
  cluster <- clustered(x)
  rows <- unique(round(seq(1, length(cluster), length.out = min(length(cluster), 500L))))
  steps <- dim(x$path)[[1L]]
  along <- function(column) {
    as.vector(rbind(matrix(x$path[, rows, column], steps), NA, deparse.level = 0L))
  }
  iteration <- rep(c(seq_len(steps) - 1L, NA), length(rows))
  one <- length(shown) == 1L
  list(
    x = if (one) as.double(iteration) else along(shown[[1L]]), y = along(shown[[length(shown)]]),
    xlab = if (one) "iteration" else axis_labels(x, shown)[[1L]],
    ylab = axis_labels(x, shown)[[length(shown)]],
    row = rep(rows, each = steps + 1L), cluster = unname(rep(cluster[rows], each = steps + 1L)),
    iteration = iteration
  )
}

draw_note <- function(text, main) {
  plot(0, 0, type = "n", axes = FALSE, main = main, xlab = "", ylab = "")
  graphics::text(0, 0, text)
}
