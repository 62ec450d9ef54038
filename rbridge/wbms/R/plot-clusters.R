# The plot of the clusters: rows, centres and legend.

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
  # In a narrow figure the legend goes below; it is omitted if it would take too much room.
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

# Coordinates of rows and centres: in two columns, or in one column and one lane per cluster.
cluster_places <- function(x, shown) {
  rows <- x$data[, shown, drop = FALSE]
  centers <- x$centers[, shown, drop = FALSE]
  if (length(shown) == 1L) {
    # Multiples of the golden ratio are evenly spread without visible order.
    jitter <- (seq_len(nrow(rows)) * (1 + sqrt(5)) / 2) %% 1 - 0.5
    rows <- cbind(rows, x$cluster[!is.na(x$cluster)] + 0.6 * jitter)
    centers <- cbind(centers, seq_len(nrow(centers)))
  } else {
    rows[, 1L] <- spread(rows[, 1L], 0.754877666)
    rows[, 2L] <- spread(rows[, 2L], 0.569840291)
  }
  list(rows = unname(rows), centers = unname(centers))
}

# Jitters a column with few distinct values so that rows do not overlap, by multiples of an irrational
# number, which are evenly spread without visible order.
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

# The top of a legend below the figure, in inches from the bottom of the device.
legend_top <- function(tall) {
  graphics::grconvertY(0, "nfc", "inches") + tall
}

axis_label <- function(x, column) {
  sprintf("%s (weight %s)", elided(names(x$weights)[[column]]), weight_text(x$weights[[column]]))
}
