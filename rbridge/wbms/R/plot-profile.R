# The heat map of the clusters' means in the columns that set them apart most.

# Blue, white, red: from two standard deviations below the mean of all rows to two above.
profile_colours <- grDevices::colorRampPalette(
  c("#053061", "#4393C3", "#D1E5F0", "#F7F7F7", "#FDDBC7", "#D6604D", "#67001F")
)(101L)
profile_limit <- 2
profile_clusters <- 80L # of more clusters, only the largest are drawn

draw_profile <- function(x, top, col = profile_colours, ...) {
  if (is.null(x$profile)) abort("the fit has no profile: refit with this version of wbms")
  values <- x$profile[, seq_len(min(top, ncol(x$profile))), drop = FALSE]
  values <- utils::head(values, profile_clusters)
  k <- nrow(values)
  p <- ncol(values)
  start_figure()
  line <- text_line()
  fin <- graphics::par("fin")
  names <- elided(colnames(values))
  rows <- sprintf("%d (%s)", seq_len(k), vapply(x$size[seq_len(k)], counted, "", noun = "row"))
  title <- profile_title(x, k, p)
  fits <- function(room, n) min(0.9, max(0.4, room / (n * 1.1 * line)))
  column_cex <- fits(0.75 * fin[[1L]], p)
  row_cex <- fits(0.7 * fin[[2L]], k)
  wide <- function(texts, cex) max(graphics::strwidth(texts, "inches", cex)) + 0.8 * line
  below <- min(wide(names, column_cex), 0.4 * fin[[2L]])
  # Slanted names reach to the left of their columns.
  left <- min(max(wide(rows, row_cex), wide(names, column_cex) / 2), 0.3 * fin[[1L]])
  set_margins(c(below, left, (1.3 * length(title) + 1.4) * line, 5.2 * line))
  plot_with(
    list(...), 0, 0,
    type = "n", axes = FALSE, xaxs = "i", yaxs = "i", xlim = c(0.5, p + 0.5), ylim = c(k + 0.5, 0.5),
    main = paste(title, collapse = "\n"), xlab = "", ylab = ""
  )
  shade <- function(z) col[round((pmax(-1, pmin(1, z / profile_limit)) + 1) / 2 * (length(col) - 1L)) + 1L]
  at <- expand.grid(row = seq_len(k), column = seq_len(p))
  graphics::rect(
    at$column - 0.5, at$row - 0.5, at$column + 0.5, at$row + 0.5,
    col = shade(as.vector(values)), border = NA
  )
  graphics::text(
    seq_len(p), graphics::grconvertY(0, "npc") + 0, names,
    srt = 60, adj = c(1.05, 1), cex = column_cex, xpd = NA
  )
  graphics::text(0.5, seq_len(k), rows, pos = 2L, offset = 0.3, cex = row_cex, xpd = NA)
  draw_profile_key(shade, line)
}

# The scale of the colours, right of the heat map.
draw_profile_key <- function(shade, line) {
  inches <- function(x) graphics::grconvertX(x, "inches")
  edge <- graphics::grconvertX(1, "npc", "inches")
  left <- inches(edge + 0.8 * line)
  right <- inches(edge + 1.6 * line)
  steps <- seq(0.15, 0.85, length.out = 52L)
  y <- graphics::grconvertY(steps, "npc")
  z <- seq(-profile_limit, profile_limit, length.out = 51L)
  graphics::rect(left, y[-52L], right, y[-1L], col = shade(z), border = NA, xpd = NA)
  ticks <- -2:2
  places <- graphics::grconvertY(0.15 + 0.7 * (ticks + 2) / 4, "npc")
  texts <- ifelse(ticks == 0, "mean", sprintf("%+d sd", ticks))
  graphics::text(right, places, texts, pos = 4L, offset = 0.25, cex = 0.75, xpd = NA)
}

profile_title <- function(x, k, p) {
  if (length(x$size) == 1L) return("All rows are one cluster")
  c(
    "Cluster profiles",
    if (p < length(x$weights)) {
      sprintf("the %d of %s columns that set them apart most", p, counted(length(x$weights)))
    },
    if (k < length(x$size)) sprintf("the %d largest of %s clusters", k, counted(length(x$size)))
  )
}
