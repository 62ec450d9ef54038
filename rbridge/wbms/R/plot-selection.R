# Plots of the choice of h and lambda: the map of both, or scores against the one that was chosen.

unjudged_colour <- "grey88"
unjudged_key <- "grey: not promising enough to be evaluated further"

draw_selection <- function(x, score, main = NULL, ...) {
  x$selection <- same_start(x)
  tried <- x$selection
  chosen <- chosen_row(x)
  over <- varied_in(tried)
  if (length(over) == 2L) {
    graphics::layout(map_layout(graphics::par("din")))
    shrink_texts()
    if (is.null(main)) main <- sentence(score)
    draw_heat(tried, score, judged_values(tried, score), chosen, main, ...)
    draw_heat(tried, "k", log(tried$k), chosen, "Number of clusters", ...)
    draw_plateau(tried, tried[chosen, ])
  } else {
    graphics::layout(if (is_wide()) t(1:2) else 1:2)
    shrink_texts()
    other <- setdiff(c("h", "lambda"), over)
    if (is.null(main)) main <- sprintf("Choice of %s (%s = %s)", over, other, brief(x[[other]], 4L))
    draw_scores(tried, over, score, chosen, main, least = 0, ...)
    draw_scores(tried, over, "k", chosen, "Number of clusters", least = 1, ...)
  }
}

# Three panels side by side, stacked, or the plateau below the maps.
map_layout <- function(size) {
  shape <- size[[1L]] / size[[2L]]
  if (shape > 1.8) t(1:3) else if (shape > 0.9) rbind(1:2, c(3L, 3L)) else cbind(1:3)
}

# A column against the values tried, on an axis that starts at its smallest possible value. The line
# connects the pairs that were evaluated; the others are grey.
draw_scores <- function(tried, over, column, chosen, title, least, col = palette_colours, ...) {
  start_figure()
  set_margins(c(3.6, 3.7, 2.9, 1.1) * text_line())
  order <- order(tried[[over]])
  at <- tried[[over]][order]
  value <- tried[[column]][order]
  judged <- is.finite(if (column == "k") value else judged_values(tried, column)[order])
  chosen <- match(chosen, order)
  known <- value[is.finite(value)]
  plot_with(
    list(...), at, value,
    type = "n", log = if (least > 0 && any(known > 20)) "xy" else "x",
    ylim = range(least, 1, known), main = title, xlab = over, ylab = column
  )
  graphics::points(at[!judged], value[!judged], pch = 16, col = grey_colour)
  graphics::lines(at[judged], value[judged], type = "o", pch = 16, col = rep_len(col, 1L))
  graphics::abline(v = at[chosen], lty = 2, col = accent_colour)
  graphics::points(at[chosen], value[chosen], pch = 1, cex = 2, lwd = 2, col = accent_colour)
}

# One rectangle per pair: h on a logarithmic axis, one row per lambda, the chosen pair framed. Pairs
# that were not evaluated are grey.
draw_heat <- function(tried, column, value, chosen, title, col = heat_colours(), xlab = "h",
                      ylab = "lambda", ...) {
  start_figure()
  shade <- relative(value)
  key <- if (anyNA(shade)) unjudged_key
  cells <- pair_cells(tried)
  lambda <- sort(unique(tried$lambda))
  labels <- brief(lambda, 2L)
  if (anyDuplicated(labels)) labels <- brief(lambda, 4L)
  line <- text_line()
  beside <- max(graphics::strwidth(labels, "inches", 1)) / line + 1.2
  set_margins(c(if (is.null(key)) 3.6 else 4.6, beside + 1.7, 2.6, 1.1) * line)
  plot_with(
    list(...), range(cells$left, cells$right), c(0.5, length(lambda) + 0.5),
    type = "n", log = "x", xaxs = "i", yaxs = "i", yaxt = "n", main = title, xlab = xlab, ylab = ""
  )
  graphics::title(ylab = ylab, line = beside + 0.2)
  graphics::axis(2L, at = seq_along(lambda), labels = labels, las = 1L)
  if (!is.null(key)) {
    room <- graphics::par("fin")[[1L]] / graphics::strwidth(key, "inches", 1)
    graphics::mtext(
      key, 1L, 3.5, at = graphics::grconvertX(0.5, "nfc"), cex = min(0.8, 0.95 * room) * graphics::par("cex")
    )
  }
  colours <- ifelse(is.na(shade), unjudged_colour, col[1 + round((length(col) - 1) * shade)])
  graphics::rect(
    cells$left, cells$row - 0.5, cells$right, cells$row + 0.5,
    col = colours, border = "white", lwd = 0.5
  )
  graphics::box()
  shown <- !is.na(shade)
  write_in_cells(
    cells[shown, ], cell_texts(tried[[column]][shown]),
    ifelse(shade[shown] > 0.5, "white", "black")
  )
  mark <- cells[chosen, ]
  graphics::rect(
    mark$left, mark$row - 0.5, mark$right, mark$row + 0.5,
    border = accent_colour, lwd = 3, xpd = NA
  )
}

# Writes a label into each rectangle: rotated if the rectangle is narrow, omitted if there is no room.
write_in_cells <- function(cells, texts, colours) {
  if (!nrow(cells)) return(invisible())
  inches <- graphics::par("pin") / c(
    diff(graphics::par("usr")[1:2]), diff(graphics::par("usr")[3:4])
  )
  room <- log10(cells$right / cells$left) * inches[[1L]]
  tall <- inches[[2L]]
  wide <- 1.15 * graphics::strwidth(texts, "inches", 1)
  cex <- max(0.65, min(0.9, room / wide))
  across <- cex * wide <= room & 1.2 * cex * text_line() <= tall
  upright <- !across & cex * wide <= tall & 0.8 * cex * text_line() <= room
  at <- sqrt(cells$left * cells$right)
  for (turned in c(FALSE, TRUE)) {
    here <- if (turned) upright else across
    if (any(here)) {
      graphics::text(
        at[here], cells$row[here], texts[here],
        cex = cex, col = colours[here], srt = if (turned) 90 else 0
      )
    }
  }
}

# The rectangle of each pair: its row, numbered by lambda, and its extent along h, halfway to the next
# pair in the row but at most as wide as given.
pair_cells <- function(tried, widest = sqrt(1.8)) {
  row <- match(tried$lambda, sort(unique(tried$lambda)))
  left <- tried$h / widest
  right <- tried$h * widest
  for (here in split(seq_along(row), row)) {
    here <- here[order(tried$h[here])]
    h <- tried$h[here]
    between <- sqrt(h[-1L] * h[-length(h)])
    right[here[-length(h)]] <- pmin(right[here[-length(h)]], between)
    left[here[-1L]] <- pmax(left[here[-1L]], between)
  }
  data.frame(row = row, left = left, right = right)
}

# The number of clusters against h, one line per lambda, that of the chosen pair in colour.
draw_plateau <- function(tried, chosen, col = palette_colours, ...) {
  start_figure()
  set_margins(c(3.6, 3.7, 2.6, 1.1) * text_line())
  tried <- tried[order(tried$lambda, tried$h), ]
  own <- tried$lambda == chosen$lambda
  plot_with(
    list(...), tried$h, tried$k,
    type = "n", log = "xy", ylim = c(1, max(2, tried$k)), yaxt = "n",
    main = "Number of clusters over h", xlab = "h", ylab = "k"
  )
  graphics::axis(2L, at = whole_ticks(max(2, tried$k)))
  for (pairs in split(tried[!own, ], tried$lambda[!own])) {
    graphics::lines(pairs$h, pairs$k, type = "o", pch = 16, cex = 0.6, col = grey_colour)
  }
  colour <- rep_len(col, 1L)
  graphics::lines(tried$h[own], tried$k[own], type = "o", pch = 16, lwd = 2, col = colour)
  graphics::points(chosen$h, chosen$k, pch = 1, cex = 2, lwd = 2.5, col = accent_colour)
  graphics::legend(
    "topright", c(sprintf("lambda = %s", brief(chosen$lambda, 3L)), "other lambda", "chosen"),
    col = c(colour, grey_colour, accent_colour), lwd = c(2, 1, 2.5), lty = c(1, 1, NA),
    pch = c(16, 16, 1), bty = "n", cex = 0.85
  )
}

# The pairs that were tried with the start of the chosen one: others have the same h and lambda.
same_start <- function(x) {
  tried <- x$selection
  if (is.null(tried$start)) return(tried)
  tried[tried$start == tried$start[[chosen_row(x)]], , drop = FALSE]
}

# A score, NA for pairs for which it was not computed; the screened gain is known for all.
judged_values <- function(tried, score) {
  value <- tried[[score]]
  known <- switch(score,
    screened = rep(TRUE, length(value)),
    score = value > 0,
    refined = , surplus = , centrality = , valley = tried$score > 0,
    was_judged(tried)
  )
  value[!known] <- NA
  value
}

# Whether each pair was evaluated on subsets.
was_judged <- function(tried) {
  if (is.null(tried$judged)) rep(TRUE, nrow(tried)) else tried$judged
}

# Values rescaled to the range from 0 to 1.
relative <- function(values) {
  values[!is.finite(values)] <- NA
  if (all(is.na(values))) return(as.double(values))
  known <- range(values, na.rm = TRUE)
  if (known[[1L]] == known[[2L]]) values * 0 + 0.5 else (values - known[[1L]]) / diff(known)
}

heat_colours <- function() {
  grDevices::hcl.colors(64L, "YlGnBu", rev = TRUE)
}

cell_texts <- function(values) {
  whole <- all(values == round(values), na.rm = TRUE)
  texts <- if (whole) brief(values, 4L) else decimal(values, 2L)
  ifelse(is.finite(values), texts, "")
}

# The column of the selection to draw, by name.
check_score <- function(x, score) {
  if (is.null(x$selection)) {
    abort("there is no selection to plot: 'h' and 'lambda' were given, not chosen from the data")
  }
  known <- score_columns(x$selection)
  if (!is.null(score)) return(check_choice(score, "score", known))
  if (!length(known)) abort("the selection has no score to plot")
  score_column(x$selection)
}

score_column <- function(selection) {
  known <- score_columns(selection)
  if (!length(known)) return(NULL)
  usual <- intersect(c("score", "stability", "agreement"), known)
  c(usual, known)[[1L]]
}

score_columns <- function(selection) {
  numbers <- names(selection)[vapply(selection, is.numeric, NA)]
  setdiff(numbers, c("h", "lambda", "k", "joined"))
}

# Which of h and lambda the selection varies; h if neither.
varied_in <- function(selection) {
  varied <- c("h", "lambda")[!c(one_value(selection$h), one_value(selection$lambda))]
  if (length(varied)) varied else "h"
}

one_value <- function(values) {
  length(unique(values)) <= 1L
}

chosen_row <- function(x) {
  tried <- x$selection
  found <- which(as.logical(tried$chosen))
  if (length(found)) return(found[[1L]])
  which.min(abs(log(tried$h / x$h)) + abs(log(tried$lambda / x$lambda)))
}
