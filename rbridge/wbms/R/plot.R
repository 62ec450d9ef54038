#' Plot a fit
#'
#' The types `"overview"`, `"collapse"` and `"selection"` have several panels and take the whole
#' page, whatever `par(mfrow = )` or [graphics::layout()] say; `"clusters"`, `"weights"` and `"tree"`
#' are one panel each and can stand beside others. Panels, legend and texts go by the size of the device.
#'
#' @param x a fit of [wbms()].
#' @param type what to draw; may be abbreviated:
#'   * `"overview"`: the clusters and the weights.
#'   * `"clusters"`: the rows in the two heaviest columns, coloured by cluster, and the centres; in
#'     one column, each cluster in a lane of its own. In columns with few values the rows are spread
#'     a little about these, always in the same way.
#'   * `"weights"`: the weights as bars, the heaviest column at the top.
#'   * `"collapse"`: how many groups there are and how wide the cloud is after each iteration; if
#'     the fit was made with `record_path = TRUE`, the paths of the rows, too.
#'   * `"selection"`: how `h` and `lambda` were chosen: score and number of clusters over the pairs
#'     that were tried, a row a `lambda`, grey where a pair was not worth judging and the chosen one
#'     framed; and the number of clusters over `h`, where a plateau is a partition that `h` hardly
#'     changes. If only one of the two was chosen, score and number of clusters over that one.
#'   * `"tree"`: which rows or clusters meet, and after how many iterations, if the fit was made
#'     with `tree = TRUE` (see [as.hclust.wbms()]). A dashed line marks the end of the fit: above it
#'     its clusters meet, and the longer their lines, the better they are separated. Dotted are the
#'     merges that were predicted, not followed.
#' @param ... graphical parameters such as `main`, `xlab`, `xlim`, `cex`, and `col` and `pch` (one a
#'   cluster). Where there are several panels, `main` is the title of the first; in an overview the
#'   others, too, are those of the clusters.
#' @param columns names of the one or two columns to draw the rows in; by default the heaviest.
#' @param top how many columns to draw the weights of. The others, if several, share a grey bar, as
#'   do those that there is no room for.
#' @param score name of the column of `x$selection` to draw.
#' @param leaves largest number of leaves of the tree; what meets at one height is never shown apart
#'   in part. By default every row of 40 or fewer is a leaf, and of more rows every cluster.
#' @return `x`, invisibly. Python is not needed.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], record_path = TRUE)
#' plot(fit)
#' plot(fit, "clusters", columns = c("Sepal.Length", "Sepal.Width"), main = "Iris")
#' plot(fit, "collapse")
#' plot(fit, "selection")
#' @export
plot.wbms <- function(x,
                      type = c("overview", "clusters", "weights", "collapse", "selection", "tree"),
                      ..., columns = NULL, top = 20, score = NULL, leaves = NULL) {
  kinds <- c("overview", "clusters", "weights", "collapse", "selection", "tree")
  type <- check_kind(type, "type", kinds)
  shown <- shown_columns(x, columns)
  top <- check_whole(top, "top", 1)
  if (type == "selection") score <- check_score(x, score)
  on_page(
    switch(type,
      overview = draw_overview(x, shown, top, ...),
      clusters = draw_clusters(x, shown, ...),
      weights = draw_weights(x, top, ...),
      collapse = draw_collapse(x, shown, ...),
      selection = draw_selection(x, score, ...),
      tree = draw_tree(x, leaves, ...)
    ),
    panels = type %in% c("overview", "collapse", "selection")
  )
  invisible(x)
}

# Runs code that draws, of which several panels take the whole page, and leaves the settings as
# they were.
on_page <- function(code, panels = TRUE) {
  # Setting mfrow resets cex and mex, hence after it.
  old <- graphics::par(c("mfrow", "cex", "mex", "mar", "xpd", "las", "mgp"))
  on.exit(graphics::par(if (panels) old else old[c("mar", "xpd", "las", "mgp")]))
  graphics::par(las = 0L, mgp = c(2.4, 0.8, 0))
  force(code)
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
  shrink_texts()
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
  line <- text_line()
  fin <- graphics::par("fin")
  wanted <- max(graphics::strwidth(texts, "inches", text_cex)) + 2.5 * line
  # In a narrow figure the legend goes below; it gives way where it would take too much.
  wide <- fin[[1L]] > 1.1 * fin[[2L]]
  side <- if (wanted < (if (wide) 0.35 else 0.25) * fin[[1L]]) "right" else "below"
  across <- max(1, min(length(texts), floor((fin[[1L]] - line) / wanted)))
  tall <- if (side == "below") (ceiling(length(texts) / across) + 1.6) * line else 0
  if (tall > 0.25 * fin[[2L]]) {
    side <- if (wanted < 0.4 * fin[[1L]]) "right" else "none"
    tall <- 0
  }
  set_margins(
    c(3.6, 3.7, 2.6, 1) * line + c(tall, 0, 0, if (side == "right") wanted - 0.5 * line else 0)
  )
  plot_with(
    list(...), at$rows[, 1L], at$rows[, 2L],
    main = paste0(counted(k, "cluster"), ", ", counted(length(cluster), "row")),
    xlab = axis_label(x, shown[[1L]]), ylab = if (lanes) "cluster" else axis_label(x, shown[[2L]]),
    ylim = if (lanes) c(k + 0.5, 0.5), yaxt = if (lanes) "n" else "s",
    col = col[cluster], pch = pch[cluster], cex = min(1, max(0.3, sqrt(500 / length(cluster))))
  )
  if (lanes) graphics::axis(2L, at = lane_places(k), las = 1L)
  draw_centres(at$centers)
  draw_legend(side, texts, col, pch, text_cex, across, tall)
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
  } else {
    rows[, 1L] <- spread(rows[, 1L], 0.754877666)
    rows[, 2L] <- spread(rows[, 2L], 0.569840291)
  }
  list(rows = unname(rows), centers = unname(centers))
}

# Values of which there are only a few, spread a little, lest the rows lie upon each other: by
# multiples of an irrational number, which are even but show no order.
spread <- function(values, step) {
  distinct <- sort(unique(values))
  if (length(distinct) > 10L || length(values) < 3L * length(distinct)) return(values)
  gap <- if (length(distinct) > 1L) min(diff(distinct)) else 1
  values + 0.5 * gap * ((seq_along(values) * step) %% 1 - 0.5)
}

# The clusters to label, of k lanes.
lane_places <- function(k) {
  at <- if (k <= 10L) seq_len(k) else pretty(c(1, k))
  at[at >= 1 & at <= k]
}

draw_centres <- function(centers) {
  size <- min(1.2, max(0.5, sqrt(20 / nrow(centers))))
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

draw_legend <- function(side, texts, col, pch, cex, across, tall) {
  if (side == "none") return(invisible())
  n <- sum(!texts %in% "centre" & !startsWith(texts, "..."))
  gap <- rep(NA, length(texts) - n - 1L)
  right <- side == "right"
  graphics::legend(
    if (right) graphics::grconvertX(1, "npc") else graphics::grconvertX(0.5, "nfc"),
    if (right) graphics::grconvertY(1, "npc") else graphics::grconvertY(legend_top(tall), "inches"),
    texts,
    xjust = if (right) 0 else 0.5, ncol = if (right) 1L else across,
    title = "cluster", title.adj = if (right) 0.1 else 0.5, col = c(col[seq_len(n)], gap, "black"),
    pch = c(pch[seq_len(n)], gap, 4), pt.lwd = c(rep(1, n), gap, 2),
    bty = "n", cex = cex, xpd = NA
  )
}

# Where a legend below the figure begins, in inches from the bottom of the device.
legend_top <- function(tall) {
  graphics::grconvertY(0, "nfc", "inches") + tall
}

draw_weights <- function(x, top, col = palette_colours[[1L]], cex.names = NULL, ...) {
  start_figure()
  line <- text_line()
  room <- max(1, graphics::par("fin")[[2L]] / line - 6.2) # for bars, in lines of text
  bars <- ranked_weights(x, min(top, max(1, floor(room / 0.95) - 1)), 40L)
  slots <- max(nrow(bars), 6L) # room is kept for as many, lest a few bars swell
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

# Where an axis of bars has to end, so that there is room for the number beside the longest.
number_room <- function(weights, cex) {
  text <- max(graphics::strwidth(weight_text(weights), "inches", cex)) + text_line()
  max(weights) / max(0.4, 1 - text / graphics::par("pin")[[1L]])
}

# The heaviest columns, and the others, if there are several, as one.
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

draw_collapse <- function(x, shown, main = NULL, ...) {
  recorded <- !is.null(x$path)
  beside <- is_wide()
  if (recorded) {
    graphics::layout(if (beside) matrix(c(1, 2, 3, 3), 2L) else rbind(1:2, c(3, 3)))
  } else {
    graphics::layout(if (beside) t(1:2) else 1:2)
  }
  shrink_texts()
  if (is.null(main)) main <- "The rows meet"
  draw_history(x, "groups", main, "number of groups", log = "y", ...)
  draw_history(x, "diameter", "The cloud shrinks", "diameter", ...)
  if (recorded) draw_paths(x, shown, ...)
}

# A column of the history, the phases one after the other.
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

# Whole numbers for an axis of logarithms from 1.
whole_ticks <- function(largest) {
  if (largest < 7) return(seq_len(max(1, floor(largest))))
  tens <- 10^(0:floor(log10(largest)))
  ticks <- if (largest > 2000) tens else sort(c(tens, 2 * tens, 5 * tens))
  ticks[ticks <= largest]
}

draw_paths <- function(x, shown, col = palette_colours, ...) {
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

draw_note <- function(text, main) {
  plot(0, 0, type = "n", axes = FALSE, main = main, xlab = "", ylab = "")
  graphics::text(0, 0, text)
}

# plot() with what the user gave in place of our own settings.
plot_with <- function(given, x, y, ...) {
  settings <- utils::modifyList(list(...), given)
  title <- settings$main
  settings["main"] <- list(NULL)
  if (is.null(settings$cex.lab)) settings$cex.lab <- label_size(settings)
  # By name: plot() would turn the numbers themselves into text.
  do.call("plot", c(list(quote(x), quote(y)), settings))
  draw_title(title, given)
}

# The title, centred on the panel or, if it is longer, on the figure, and smaller where that is
# not wide enough.
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

# A size at which the labels of both axes are no longer than these.
label_size <- function(settings) {
  texts <- list(settings$xlab, settings$ylab)
  room <- graphics::par("pin") + rowSums(matrix(graphics::par("mai"), 2L)[2:1, ]) / 2
  sizes <- mapply(function(text, room) {
    if (length(text)) room / max(0.01, graphics::strwidth(text, "inches", 1)) else 1
  }, texts, room)
  max(0.5, min(graphics::par("cex.lab"), sizes))
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
  size[[1L]] > 1.2 * size[[2L]]
}

# Smaller texts on a small device, where there are several panels.
shrink_texts <- function() {
  size <- graphics::par("din") / (if (is_wide()) c(7.5, 4) else c(5.5, 6))
  graphics::par(cex = graphics::par("cex") * max(0.65, min(1, size)))
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
  ifelse(weight > 0 & weight < 0.005, paste("<", decimal(0.01, 2L)), decimal(weight, 2L))
}
