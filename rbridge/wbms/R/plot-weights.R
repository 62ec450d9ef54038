# The plot of the weights.

draw_weights <- function(x, top, col = palette_colours[[1L]], cex.names = NULL, ...) {
  alike <- all_alike(x, top)
  if (!is.null(alike)) {
    start_figure()
    set_margins(c(1, 1, 2.6, 1) * text_line())
    return(draw_note(alike, "Weights of the columns"))
  }
  start_figure()
  line <- text_line()
  room <- max(1, graphics::par("fin")[[2L]] / line - 6.2) # for bars, in lines of text
  bars <- ranked_weights(x, min(top, max(1, floor(room / 0.95) - 1)), 40L)
  slots <- max(nrow(bars), 6L) # room for at least six, so that few bars are not too wide
  cex <- if (is.null(cex.names)) min(1, max(0.7, room / slots / 1.15)) else cex.names
  most <- 0.5 * graphics::par("fin")[[1L]]
  wide <- function(names) max(graphics::strwidth(names, "inches", cex)) + line
  if (wide(bars$name) > most) {
    own <- names(x$weights)[heaviest_first(x)][seq_len(sum(!bars$others))]
    bars$name[!bars$others] <- elided(own, max(6L, floor(25 * most / wide(strrep("n", 25L)))))
  }
  set_margins(c(3.6 * line, min(most, wide(bars$name)), 2.6 * line, line))
  plot_with(
    list(...), 0, 1,
    type = "n", axes = FALSE, xaxs = "i", yaxs = "i", ylim = c(slots + 0.5, 0.5),
    xlim = c(0, number_room(bars, 0.85 * cex)),
    main = "Weights of the columns", xlab = "weight", ylab = ""
  )
  at <- seq_len(nrow(bars))
  colours <- ifelse(bars$others, grey_colour, rep_len(col, nrow(bars)))
  graphics::rect(0, at - 0.4, bars$length, at + 0.4, col = colours, border = NA)
  room <- graphics::par("pin")[[1L]] / (2.5 * line)
  ticks <- pretty(c(0, max(bars$length)), max(1, min(6, floor(room))))
  graphics::axis(1L, at = ticks[ticks <= graphics::par("usr")[[2L]]])
  graphics::text(0, at, bars$name, pos = 2L, offset = 0.4, cex = cex, xpd = NA)
  graphics::text(bars$length, at, bars$text, pos = 4L, cex = 0.85 * cex, xpd = NA)
}

# The upper limit of the axis of the bars that leaves room for the number beside the longest.
number_room <- function(bars, cex) {
  text <- max(graphics::strwidth(bars$text, "inches", cex)) + text_line()
  max(bars$length) / max(0.4, 1 - text / graphics::par("pin")[[1L]])
}

# That all weights are alike, if they are too many to be drawn: bars of the same length show nothing.
all_alike <- function(x, top, factor = 1.05) {
  p <- length(x$weights)
  if (p <= top || max(x$weights) > factor * min(x$weights)) return(NULL)
  sprintf(
    "all %s are %s: %s", counted(p, "weight"),
    if (max(x$weights) == min(x$weights)) "equal" else "about equal",
    if (p <= 1000L) brief(1 / p, 3L) else paste0("1/", counted(p))
  )
}

# The heaviest columns, and the others, if there are several, combined. A bar of the others that would
# dwarf the rest has no length, only its number.
ranked_weights <- function(x, top, width = 25L, longest = 3) {
  weights <- x$weights[heaviest_first(x)]
  n <- length(weights)
  if (top >= n - 1L) top <- n
  shown <- unname(weights[seq_len(top)])
  bars <- data.frame(
    name = elided(names(weights)[seq_len(top)], width), weight = shown, others = rep(FALSE, top),
    length = shown, text = weight_text(shown)
  )
  if (top == n) return(bars)
  total <- sum(weights[-seq_len(top)])
  dwarfs <- total > longest * shown[[1L]]
  rest <- data.frame(
    name = counted(n - top, "other"), weight = total, others = TRUE,
    length = if (dwarfs) 0 else total, text = paste0(weight_text(total), if (dwarfs) " in total")
  )
  rbind(bars, rest)
}
