#' Plot a fit
#'
#' @param x a fit of [wbms()].
#' @param type what to draw; may be abbreviated:
#'   * `"overview"`: the clusters and the weights.
#'   * `"clusters"`: the rows in the two heaviest columns, coloured by cluster, and the centres; in
#'     one column, each cluster in a lane of its own.
#'   * `"weights"`: the weights as bars, the heaviest column at the top.
#'   * `"collapse"`: how many groups there are and how wide the cloud is after each iteration; if
#'     the fit was made with `record_path = TRUE`, the paths of the rows, too.
#'   * `"selection"`: how `h` and `lambda` were chosen: score and number of clusters over `h`, or
#'     over the grid of both as heat maps, with the values taken marked.
#' @param ... graphical parameters such as `main`, `xlab`, `xlim`, `cex`, and `col` and `pch` (one a
#'   cluster). Where there are several panels, `main` is the title of the first; in an overview the
#'   others, too, are those of the clusters.
#' @param columns names of the one or two columns to draw the rows in; by default the heaviest.
#' @param top how many columns to draw the weights of. The others share a grey bar, as do those that
#'   there is no room for.
#' @param score name of the column of `x$selection` to draw.
#' @return `x`, invisibly. Python is not needed.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], record_path = TRUE)
#' plot(fit)
#' plot(fit, "clusters", columns = c("Sepal.Length", "Sepal.Width"), main = "Iris")
#' plot(fit, "collapse")
#' plot(fit, "selection")
#' @export
plot.wbms <- function(x, type = c("overview", "clusters", "weights", "collapse", "selection"),
                      ..., columns = NULL, top = 20, score = NULL) {
  kinds <- c("overview", "clusters", "weights", "collapse", "selection")
  type <- check_kind(type, "type", kinds)
  shown <- shown_columns(x, columns)
  top <- check_whole(top, "top", 1)
  if (type == "selection") score <- check_score(x, score)
  # Setting mfrow resets cex and mex, hence after it.
  old <- graphics::par(c("mfrow", "cex", "mex", "mar", "xpd"))
  panels <- type %in% c("overview", "collapse", "selection")
  on.exit(graphics::par(if (panels) old else old[c("mar", "xpd")]))
  switch(type,
    overview = draw_overview(x, shown, top, ...),
    clusters = draw_clusters(x, shown, ...),
    weights = draw_weights(x, top, ...),
    collapse = draw_collapse(x, shown, ...),
    selection = draw_selection(x, score, ...)
  )
  invisible(x)
}

# Okabe and Ito's palette, told apart by colour-blind readers; black is kept for the centres, and
# yellow, faint on white, comes last.
palette_colours <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
# Nine symbols and seven colours have no common divisor: 63 clusters in a row all differ.
palette_symbols <- c(16, 15, 17, 18, 1, 0, 2, 5, 6)
accent_colour <- "#D55E00"
grey_colour <- "#999999"
legend_entries <- 10L

draw_overview <- function(x, shown, top, ...) {
  beside <- is_wide()
  graphics::layout(
    if (beside) t(1:2) else 1:2,
    widths = if (beside) 3:2 else 1, heights = if (beside) 1 else 3:2
  )
  draw_clusters(x, shown, ...)
  draw_weights(x, top)
}

draw_clusters <- function(x, shown, col = palette_colours, pch = palette_symbols, ...) {
  cluster <- x$cluster[!is.na(x$cluster)]
  k <- length(x$size)
  col <- rep_len(col, k)
  pch <- rep_len(pch, k)
  at <- cluster_places(x, shown)
  lanes <- length(shown) == 1L

  start_figure()
  texts <- legend_texts(x)
  text_cex <- 0.9
  wanted <- max(graphics::strwidth(texts, "inches", text_cex)) + 3 * text_line()
  # The legend gives way where it would take too much of a small figure.
  keyed <- wanted < 0.45 * graphics::par("fin")[[1L]]
  lines <- c(4.1, 4.1, 3.1, if (keyed) 1 else 1.1)
  set_margins(lines * text_line() + c(0, 0, 0, if (keyed) wanted else 0))
  plot_with(
    list(...), at$rows[, 1L], at$rows[, 2L],
    main = paste0(counted(k, "cluster"), ", ", counted(length(cluster), "row")),
    xlab = axis_label(x, shown[[1L]]), ylab = if (lanes) "cluster" else axis_label(x, shown[[2L]]),
    ylim = if (lanes) c(k + 0.5, 0.5), yaxt = if (lanes) "n" else "s",
    col = col[cluster], pch = pch[cluster], cex = min(1, max(0.3, sqrt(500 / length(cluster))))
  )
  if (lanes) graphics::axis(2L, at = lane_places(k), las = 1L)
  draw_centres(at$centers)
  if (keyed) draw_legend(texts, col, pch, text_cex)
}

# Where rows and centres are drawn: in two columns, or in one and a lane for each cluster.
cluster_places <- function(x, shown) {
  rows <- x$data[, shown, drop = FALSE]
  centers <- x$centers[, shown, drop = FALSE]
  if (length(shown) == 1L) {
    # Multiples of the golden ratio are spread evenly, but in no visible order.
    jitter <- (seq_len(nrow(rows)) * (1 + sqrt(5)) / 2) %% 1 - 0.5
    rows <- cbind(rows, x$cluster[!is.na(x$cluster)] + 0.6 * jitter)
    centers <- cbind(centers, seq_len(nrow(centers)))
  }
  list(rows = unname(rows), centers = unname(centers))
}

# The clusters to label, of k lanes.
lane_places <- function(k) {
  at <- if (k <= 10L) seq_len(k) else pretty(c(1, k))
  at[at >= 1 & at <= k]
}

draw_centres <- function(centers) {
  size <- min(1.3, max(0.5, sqrt(20 / nrow(centers))))
  graphics::points(centers, pch = 4, col = "white", lwd = 3.5 * size, cex = size)
  graphics::points(centers, pch = 4, col = "black", lwd = 1.5 * size, cex = size)
}

# The largest clusters, how many more there are, and the centres.
legend_texts <- function(x) {
  k <- length(x$size)
  room <- floor((graphics::par("fin")[[2L]] / text_line() - 8) / 1.1)
  n <- min(k, legend_entries, max(1, room))
  c(
    sprintf("%d (%s)", seq_len(n), vapply(x$size[seq_len(n)], counted, "", noun = "row")),
    if (k > n) paste("...", counted(k - n), "more"), "centre"
  )
}

draw_legend <- function(texts, col, pch, cex) {
  n <- sum(!texts %in% "centre" & !startsWith(texts, "..."))
  gap <- rep(NA, length(texts) - n - 1L)
  graphics::legend(
    graphics::grconvertX(1, "npc"), graphics::grconvertY(1, "npc"), texts,
    title = "cluster", title.adj = 0.1, col = c(col[seq_len(n)], gap, "black"),
    pch = c(pch[seq_len(n)], gap, 4), pt.lwd = c(rep(1, n), gap, 2),
    bty = "n", cex = cex, xpd = NA
  )
}

draw_weights <- function(x, top, col = palette_colours[[1L]], cex.names = NULL, ...) {
  start_figure()
  line <- text_line()
  room <- max(1, graphics::par("fin")[[2L]] / line - 7.2) # for bars, in lines of text
  bars <- ranked_weights(x, min(top, max(1, floor(room / 0.7) - 1)))
  slots <- max(nrow(bars), 6L) # room is kept for as many, lest a few bars swell
  cex <- if (is.null(cex.names)) min(1, max(0.5, room / slots / 1.3)) else cex.names
  most <- 0.45 * graphics::par("fin")[[1L]]
  wide <- function(names) max(graphics::strwidth(names, "inches", cex)) + line
  if (wide(bars$name) > most) {
    bars$name <- elided(bars$name, max(6L, floor(25 * most / wide(strrep("n", 25L)))))
  }
  set_margins(c(4.1 * line, min(most, wide(bars$name)), 3.1 * line, line))
  plot_with(
    list(...), 0, 1,
    type = "n", axes = FALSE, xaxs = "i", yaxs = "i", ylim = c(slots + 0.5, 0.5),
    xlim = c(0, 1.2 * max(bars$weight)), # with room for the numbers
    main = "Weights of the columns", xlab = "weight", ylab = ""
  )
  at <- seq_len(nrow(bars))
  colours <- ifelse(bars$others, grey_colour, rep_len(col, nrow(bars)))
  graphics::rect(0, at - 0.4, bars$weight, at + 0.4, col = colours, border = NA)
  graphics::axis(1L)
  graphics::text(0, at, bars$name, pos = 2L, cex = cex, xpd = NA)
  graphics::text(bars$weight, at, weight_text(bars$weight), pos = 4L, cex = 0.85 * cex, xpd = NA)
}

# The heaviest columns, and the others as one.
ranked_weights <- function(x, top) {
  weights <- x$weights[heaviest_first(x)]
  n <- length(weights)
  top <- min(top, n)
  bars <- data.frame(
    name = elided(names(weights)[seq_len(top)]), weight = unname(weights[seq_len(top)]),
    others = rep(FALSE, top)
  )
  if (top == n) return(bars)
  rest <- data.frame(
    name = counted(n - top, "other"), weight = sum(weights[-seq_len(top)]), others = TRUE
  )
  rbind(bars, rest)
}

draw_collapse <- function(x, shown, main = NULL, ...) {
  recorded <- !is.null(x$path)
  beside <- is_wide()
  if (recorded) {
    graphics::layout(if (beside) matrix(c(1, 2, 3, 3), 2L) else rbind(1:2, c(3, 3)))
  } else {
    graphics::layout(if (beside) t(1:2) else 1:2)
  }
  if (is.null(main)) main <- "The rows meet"
  draw_history(x, "groups", main, "number of groups", log = "y", ...)
  draw_history(x, "diameter", "The cloud shrinks", "diameter", ...)
  if (recorded) draw_paths(x, shown, ...)
}

# A column of the history, the phases one after the other.
draw_history <- function(x, column, title, label, log = "", col = palette_colours, ...) {
  start_figure()
  set_margins(c(4.1, 4.1, 3.1, 1.1) * text_line())
  steps <- nrow(x$history)
  if (steps == 0L) return(draw_note("no row moved", title))
  values <- as.double(x$history[[column]])
  warm <- x$history$phase == "warmup"
  colours <- ifelse(warm, grey_colour, rep_len(col, 1L))
  y <- if (log == "y") pmax(values, 1) else values
  plot_with(
    list(...), seq_len(steps), y,
    type = "n", log = log, ylim = if (log == "y") range(1, y) else range(0, y), main = "",
    xlab = "iteration", ylab = label, xaxt = "n"
  )
  graphics::title(title, line = 1.7)
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
  for (phase in unique(warm)) {
    here <- which(warm == phase)
    at <- unique(round(pretty(c(1, length(here)), n = max(1, 6 * length(here) / length(warm)))))
    at <- at[at >= 1 & at <= length(here)]
    if (!length(at)) at <- length(here)
    graphics::axis(1L, at = here[at], labels = iteration[here[at]])
  }
}

draw_paths <- function(x, shown, col = palette_colours, ...) {
  start_figure()
  set_margins(c(4.1, 4.1, 3.1, 1.1) * text_line())
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

# The paths of up to 500 rows, one after the other, with a missing value between two of them.
path_lines <- function(x, shown) {
  cluster <- x$cluster[!is.na(x$cluster)]
  rows <- unique(round(seq(1, length(cluster), length.out = min(length(cluster), 500L))))
  steps <- dim(x$path)[[1L]]
  along <- function(column) {
    as.vector(rbind(matrix(x$path[, rows, column], steps), NA, deparse.level = 0L))
  }
  iteration <- rep(c(seq_len(steps) - 1L, NA), length(rows))
  one <- length(shown) == 1L
  list(
    x = if (one) as.double(iteration) else along(shown[[1L]]), y = along(shown[[length(shown)]]),
    xlab = if (one) "iteration" else axis_label(x, shown[[1L]]),
    ylab = axis_label(x, shown[[length(shown)]]),
    row = rep(rows, each = steps + 1L), cluster = unname(rep(cluster[rows], each = steps + 1L)),
    iteration = iteration
  )
}

draw_selection <- function(x, score, main = NULL, ...) {
  tried <- x$selection
  chosen <- chosen_row(x)
  graphics::layout(if (is_wide()) t(1:2) else 1:2)
  over <- varied_in(tried)
  if (length(over) == 2L) {
    if (is.null(main)) main <- sentence(score)
    draw_heat(tried, score, tried[[score]], chosen, main, ...)
    draw_heat(tried, "k", log(tried$k), chosen, "Number of clusters", ...)
  } else {
    other <- setdiff(c("h", "lambda"), over)
    if (is.null(main)) main <- sprintf("Choice of %s (%s = %s)", over, other, brief(x[[other]], 4L))
    draw_scores(tried, over, score, chosen, main, least = 0, ...)
    draw_scores(tried, over, "k", chosen, "Number of clusters", least = 1, ...)
  }
}

# A column over the values tried, on an axis that starts at the least it could be.
draw_scores <- function(tried, over, column, chosen, title, least, col = palette_colours, ...) {
  start_figure()
  set_margins(c(4.1, 4.1, 3.1, 1.1) * text_line())
  order <- order(tried[[over]])
  at <- tried[[over]][order]
  value <- tried[[column]][order]
  chosen <- match(chosen, order)
  known <- value[is.finite(value)]
  plot_with(
    list(...), at, value,
    type = "o", log = if (least > 0 && any(known > 20)) "xy" else "x", pch = 16,
    col = rep_len(col, 1L), ylim = range(least, 1, known), main = title, xlab = over, ylab = column
  )
  graphics::abline(v = at[chosen], lty = 2, col = accent_colour)
  graphics::points(at[chosen], value[chosen], pch = 1, cex = 2, lwd = 2, col = accent_colour)
}

draw_heat <- function(tried, column, value, chosen, title, col = heat_colours(), xlab = "h",
                      ylab = "lambda", ...) {
  start_figure()
  set_margins(c(4.1, 5.1, 3.1, 1.1) * text_line())
  h <- sort(unique(tried$h))
  lambda <- sort(unique(tried$lambda))
  cell <- cbind(match(tried$h, h), match(tried$lambda, lambda))
  z <- matrix(NA_real_, length(h), length(lambda))
  z[cell] <- relative(value)
  graphics::image(
    seq_along(h), seq_along(lambda), z,
    zlim = c(0, 1), col = col, axes = FALSE, main = title, xlab = xlab, ylab = "", ...
  )
  graphics::title(ylab = ylab, line = 4)
  graphics::axis(1L, at = seq_along(h), labels = brief(h, 3L))
  graphics::axis(2L, at = seq_along(lambda), labels = brief(lambda, 3L), las = 1L)
  graphics::box()
  texts <- cell_texts(tried[[column]])
  roomy <- graphics::par("pin") / c(length(h), length(lambda))
  cex <- min(
    0.9, roomy[[1L]] / (1.4 * max(graphics::strwidth(texts, "inches", 1))),
    roomy[[2L]] / (1.5 * text_line())
  )
  if (cex >= 0.4) {
    colours <- ifelse(z[cell] > 0.5 & !is.na(z[cell]), "white", "black")
    graphics::text(cell[, 1L], cell[, 2L], texts, cex = cex, col = colours)
  }
  mark <- cell[chosen, ]
  graphics::rect(
    mark[[1L]] - 0.5, mark[[2L]] - 0.5, mark[[1L]] + 0.5, mark[[2L]] + 0.5,
    border = accent_colour, lwd = 3, xpd = NA
  )
}

# Where values lie between the least and the largest of them, from 0 to 1.
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
  texts <- if (whole) brief(values, 4L) else sprintf("%.2f", values)
  ifelse(is.finite(values), texts, "")
}

draw_note <- function(text, main) {
  plot(0, 0, type = "n", axes = FALSE, main = main, xlab = "", ylab = "")
  graphics::text(0, 0, text)
}

# plot() with what the user gave in place of our own settings.
plot_with <- function(given, x, y, ...) {
  settings <- utils::modifyList(list(...), given)
  # By name: plot() would turn the numbers themselves into text.
  do.call("plot", c(list(quote(x), quote(y)), settings))
}

# Opens the next figure without margins, so that no device is too small for it and texts can be
# measured before the margins are set.
start_figure <- function() {
  graphics::par(mar = c(0, 0, 0, 0))
  graphics::plot.new()
}

# Sets margins, in inches, of the figure that was opened; narrower where they leave no room.
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
  size[[1L]] > 1.3 * size[[2L]]
}

# Positions of the one or two columns to draw rows in.
shown_columns <- function(x, columns) {
  if (is.null(columns)) return(utils::head(heaviest_first(x), 2L))
  if (!is.character(columns) || !length(columns) %in% 1:2 || anyDuplicated(columns)) {
    abort("'columns' must name one or two columns, not ", described(columns))
  }
  unknown <- setdiff(columns, colnames(x$data))
  if (length(unknown)) abort("'columns' that were not clustered: ", quoted(unknown))
  match(columns, colnames(x$data))
}

axis_label <- function(x, column) {
  sprintf("%s (weight %s)", elided(names(x$weights)[[column]]), weight_text(x$weights[[column]]))
}

weight_text <- function(weight) {
  ifelse(weight > 0 & weight < 0.001, "< 0.001", brief(weight, 3L))
}

# The column of the selection to draw, by name.
check_score <- function(x, score) {
  if (is.null(x$selection)) {
    abort("there is no selection to draw: 'h' and 'lambda' were given, not chosen from the data")
  }
  known <- score_columns(x$selection)
  if (!is.null(score)) return(check_choice(score, "score", known))
  if (!length(known)) abort("the selection holds no score to draw")
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
  setdiff(numbers, c("h", "lambda", "k"))
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
