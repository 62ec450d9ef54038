# The plot of the weights.

draw_weights <- function(x, top, col = palette_colours[[1L]], cex.names = NULL, ...) {
  start_figure()
  line <- text_line()
  room <- max(1, graphics::par("fin")[[2L]] / line - 6.2) # for bars, in lines of text
  bars <- ranked_weights(x, min(top, max(1, floor(room / 0.95) - 1)), 40L)
  slots <- max(nrow(bars), 6L) # room for at least six, so that few bars are not too wide
  cex <- if (is.null(cex.names)) min(1, max(0.7, room / slots / 1.15)) else cex.names
  most <- 0.5 * graphics::par("fin")[[1L]]
  wide <- function(names) max(graphics::strwidth(names, "inches", cex)) + line
  if (wide(bars$name) > most) {
    bars$name <- elided(bars$name, max(6L, floor(25 * most / wide(strrep("n", 25L)))))
  }
  set_margins(c(3.6 * line, min(most, wide(bars$name)), 2.6 * line, line))
  plot_with(
    list(...), 0, 1,
    type = "n", axes = FALSE, xaxs = "i", yaxs = "i", ylim = c(slots + 0.5, 0.5),
    xlim = c(0, number_room(bars$weight, 0.85 * cex)),
    main = "Weights of the columns", xlab = "weight", ylab = ""
  )
  at <- seq_len(nrow(bars))
  colours <- ifelse(bars$others, grey_colour, rep_len(col, nrow(bars)))
  graphics::rect(0, at - 0.4, bars$weight, at + 0.4, col = colours, border = NA)
  room <- graphics::par("pin")[[1L]] / (2.5 * line)
  ticks <- pretty(c(0, max(bars$weight)), max(1, min(6, floor(room))))
  graphics::axis(1L, at = ticks[ticks <= graphics::par("usr")[[2L]]])
  graphics::text(0, at, bars$name, pos = 2L, offset = 0.4, cex = cex, xpd = NA)
  graphics::text(bars$weight, at, weight_text(bars$weight), pos = 4L, cex = 0.85 * cex, xpd = NA)
}

# The upper limit of the axis of the bars that leaves room for the number beside the longest.
number_room <- function(weights, cex) {
  text <- max(graphics::strwidth(weight_text(weights), "inches", cex)) + text_line()
  max(weights) / max(0.4, 1 - text / graphics::par("pin")[[1L]])
}

# The heaviest columns, and the others, if there are several, combined.
ranked_weights <- function(x, top, width = 25L) {
  weights <- x$weights[heaviest_first(x)]
  n <- length(weights)
  if (top >= n - 1L) top <- n
  bars <- data.frame(
    name = elided(names(weights)[seq_len(top)], width), weight = unname(weights[seq_len(top)]),
    others = rep(FALSE, top)
  )
  if (top == n) return(bars)
  rest <- data.frame(
    name = counted(n - top, "other"), weight = sum(weights[-seq_len(top)]), others = TRUE
  )
  rbind(bars, rest)
}

weight_text <- function(weight) {
  ifelse(weight > 0 & weight < 0.005, paste("<", decimal(0.01, 2L)), decimal(weight, 2L))
}
