# Figures, margins, titles and text sizes that adapt to the device.

# plot() with our settings, overridden by the user's.
plot_with <- function(given, x, y, ...) {
  settings <- utils::modifyList(list(...), given)
  title <- settings$main
  settings["main"] <- list(NULL)
  if (is.null(settings$cex.lab)) settings$cex.lab <- label_size(settings)
  # By name: plot() would turn the numbers themselves into text.
  do.call("plot", c(list(quote(x), quote(y)), settings))
  draw_title(title, given)
}

# Draws the title, centred on the panel or, if it is longer, on the figure, and smaller if necessary.
draw_title <- function(title, given, line = 0.9) {
  if (is.null(title) || !any(nzchar(as.character(title)))) return(invisible())
  style <- function(name) if (is.null(given[[name]])) graphics::par(name) else given[[name]]
  font <- style("font.main")
  wide <- graphics::strwidth(title, "inches", 1, font)
  room <- graphics::par("fin")[[1L]] - text_line()
  cex <- min(style("cex.main"), room / wide)
  mai <- graphics::par("mai")
  inside <- graphics::par("pin")[[1L]] + 2 * min(mai[c(2L, 4L)]) - text_line()
  graphics::mtext(
    title, 3L, line,
    at = graphics::grconvertX(0.5, if (cex * wide > inside) "nfc" else "npc"),
    cex = cex * graphics::par("cex"), font = font, col = style("col.main")
  )
}

# A text size at which the axis labels are no longer than the axes.
label_size <- function(settings) {
  texts <- list(settings$xlab, settings$ylab)
  room <- graphics::par("pin") + rowSums(matrix(graphics::par("mai"), 2L)[2:1, ]) / 2
  sizes <- mapply(function(text, room) {
    if (length(text)) room / max(0.01, graphics::strwidth(text, "inches", 1)) else 1
  }, texts, room)
  max(0.5, min(graphics::par("cex.lab"), sizes))
}

# Opens the next figure without margins, so that it fits on any device and text can be measured
# before the margins are set.
start_figure <- function() {
  graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot.new()
}

# Sets the margins, in inches, of the open figure; narrower if they would leave no room.
set_margins <- function(mai) {
  most <- 0.75 * graphics::par("fin")
  mai[c(2L, 4L)] <- mai[c(2L, 4L)] * min(1, most[[1L]] / sum(mai[c(2L, 4L)]))
  mai[c(1L, 3L)] <- mai[c(1L, 3L)] * min(1, most[[2L]] / sum(mai[c(1L, 3L)]))
  graphics::par(mai = mai, new = TRUE)
}

# Height of a line of text in inches.
text_line <- function() {
  graphics::par("cin")[[2L]] * graphics::par("cex")
}

is_wide <- function() {
  size <- graphics::par("din")
  size[[1L]] > 1.2 * size[[2L]]
}

# Shrinks the text on a small device with several panels.
shrink_texts <- function() {
  size <- graphics::par("din") / (if (is_wide()) c(7.5, 4) else c(5.5, 6))
  graphics::par(cex = graphics::par("cex") * max(0.65, min(1, size)))
}
