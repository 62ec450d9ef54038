# The plot of the clusters: rows, centres and legend.

# Beyond so many clusters colours are hard to tell apart: their numbers are written at the centres,
# those of the largest if there are too many to be read.
most_by_colour <- 8L
most_numbered <- 60L

draw_clusters <- function(x, shown, ...) {
  draw_places(x, cluster_places(x, shown), axis_labels(x, shown), ...)
}

# Draws rows and centres at these places; with one label, in lanes.
draw_places <- function(x, at, labels, col = palette_colours, pch = palette_symbols, ...) {
  cluster <- clustered(x)
  k <- length(x$size)
  col <- rep_len(col, k)
  pch <- rep_len(pch, k)
  lanes <- length(labels) == 1L

  start_figure()
  more <- if (any(grepl("\n", labels, fixed = TRUE))) 1.2 else 0 # labels of two lines
  numbered <- n_numbered(k, lanes)
  texts <- legend_texts(x, numbered)
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
    c(3.6 + more, 3.7 + 2 * more, 2.6, 1) * line +
      c(tall, 0, 0, if (side == "right") wanted - 0.5 * line else 0)
  )
  plot_with(
    list(...), at$rows[, 1L], at$rows[, 2L],
    main = clusters_title(k, length(cluster), anyNA(cluster)),
    xlab = labels[[1L]], ylab = if (lanes) "cluster" else labels[[2L]],
    mgp = graphics::par("mgp") + c(more, 0, 0), ylim = if (lanes) c(k + 0.5, 0.5),
    yaxt = if (lanes) "n" else "s",
    col = style_of(cluster, col, grey_colour), pch = style_of(cluster, pch, 4),
    cex = min(1, max(0.3, sqrt(500 / length(cluster))))
  )
  if (lanes) graphics::axis(2L, at = lane_places(k), las = 1L)
  if (numbered < k) draw_centres(at$centers[seq_len(k) > numbered, , drop = FALSE])
  write_centres(at$centers, numbered)
  draw_legend(side, texts, col, pch, text_cex, across, tall)
}

# The colour or symbol of each row, given those of the clusters and of rows in none.
style_of <- function(cluster, styles, otherwise) {
  of_rows <- styles[cluster]
  of_rows[is.na(cluster)] <- otherwise
  of_rows
}

# Coordinates of rows and centres: in two columns, or in one column and one lane per cluster.
cluster_places <- function(x, shown) {
  rows <- x$data[, shown, drop = FALSE]
  centers <- x$centers[, shown, drop = FALSE]
  if (length(shown) == 2L) {
    rows[, 1L] <- spread(rows[, 1L], 0.754877666)
    rows[, 2L] <- spread(rows[, 2L], 0.569840291)
  }
  in_lanes(x, list(rows = unname(rows), centers = unname(centers)))
}

# Places on a line as places in lanes, one per cluster; those in a plane are unchanged.
in_lanes <- function(x, at) {
  if (ncol(at$rows) > 1L) return(at)
  # Multiples of the golden ratio are evenly spread without visible order.
  jitter <- (seq_len(nrow(at$rows)) * (1 + sqrt(5)) / 2) %% 1 - 0.5
  at$rows <- unname(cbind(at$rows, clustered(x) + 0.6 * jitter))
  at$centers <- unname(cbind(at$centers, seq_len(nrow(at$centers))))
  at
}

# How many clusters, the largest, have their numbers at their centres.
n_numbered <- function(k, lanes) {
  if (lanes || k <= most_by_colour) 0L else min(k, most_numbered)
}

# Numbers with a white outline, just above the centres, those of the largest clusters on top.
write_centres <- function(centers, n) {
  if (n == 0L) return(invisible())
  cex <- if (n <= 25L) 0.85 else 0.7
  tall <- graphics::strheight("0", cex = cex)
  shift <- graphics::strwidth("0", cex = cex) / 7
  around <- seq(0, 2 * pi, length.out = 13L)[-1L]
  for (i in rev(seq_len(n))) {
    x <- centers[i, 1L]
    y <- centers[i, 2L] + 0.8 * tall
    graphics::text(
      x + shift * cos(around), y + tall / 7 * sin(around), i, col = "white", font = 2L, cex = cex
    )
    graphics::text(x, y, i, font = 2L, cex = cex)
  }
}

clusters_title <- function(k, n, outliers = FALSE) {
  if (k == 1L && !outliers) return(paste0("One cluster: all ", counted(n, "row")))
  paste0(counted(k, "cluster"), ", ", counted(n, "row"))
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
legend_texts <- function(x, numbered = 0L) {
  k <- length(x$size)
  room <- floor((graphics::par("fin")[[2L]] / text_line() - 8) / 1.1)
  n <- min(k, legend_entries, max(1, room))
  c(
    sprintf("%d (%s)", seq_len(n), vapply(x$size[seq_len(n)], counted, "", noun = "row")),
    if (k > n) paste("...", counted(k - n), "more"), if (numbered > 0L) by_number,
    if (numbered < k) "centre"
  )
}

draw_legend <- function(side, texts, col, pch, cex, across, tall) {
  if (side == "none") return(invisible())
  n <- sum(!texts %in% c("centre", by_number) & !startsWith(texts, "..."))
  gap <- rep(NA, sum(startsWith(texts, "...")))
  centres <- c(if (by_number %in% texts) 48, if ("centre" %in% texts) 4) # "0" and a cross
  right <- side == "right"
  graphics::legend(
    if (right) graphics::grconvertX(1, "npc") else graphics::grconvertX(0.5, "nfc"),
    if (right) graphics::grconvertY(1, "npc") else graphics::grconvertY(legend_top(tall), "inches"),
    texts,
    xjust = if (right) 0 else 0.5, ncol = if (right) 1L else across,
    title = "cluster", title.adj = if (right) 0.1 else 0.5, 
    col = c(col[seq_len(n)], gap, rep("black", length(centres))),
    pch = c(pch[seq_len(n)], gap, centres), pt.lwd = c(rep(1, n), gap, rep(2, length(centres))),
    bty = "n", cex = cex, xpd = NA
  )
}

# The top of a legend below the figure, in inches from the bottom of the device.
legend_top <- function(tall) {
  graphics::grconvertY(0, "nfc", "inches") + tall
}

by_number <- "centre, by number"

# The names of the columns shown, each with its weight.
axis_labels <- function(x, shown) {
  sprintf("%s (weight %s)", elided(names(x$weights)[shown]), weight_text(unname(x$weights[shown])))
}
