#' Plot a fit with ggplot2
#'
#' The plots of [plot.wbms()] as ggplot2 objects, to which layers, scales and themes can be
#' added.
#' The package ggplot2 must be attached for `autoplot()`.
#'
#' @param object a fit of [wbms()].
#' @param type what to draw; may be abbreviated: `"clusters"`, `"embedding"`, `"weights"`, `"collapse"`,
#'   `"path"`, `"selection"`, `"tree"` or `"profile"` as in [plot.wbms()]; or `"overview"`, which shows only the clusters, as a ggplot2 object
#'   is a single plot.
#' @param ... passed to the layer that draws the rows ([ggplot2::geom_point()] or
#'   [ggplot2::geom_path()]) or the bars ([ggplot2::geom_col()]), and to `geom_line()` or
#'   `geom_rect()` of the others.
#' @inheritParams plot.wbms
#' @return A ggplot2 object.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE) && wbms::wbms_available()
#' library(ggplot2)
#' fit <- wbms(iris[, 1:4])
#' autoplot(fit)
#' autoplot(fit, "weights") + theme_minimal()
#' @exportS3Method ggplot2::autoplot
autoplot.wbms <- function(object,
                          type = c(
                            "clusters", "weights", "collapse", "path", "selection", "overview",
                            "embedding", "tree", "profile"
                          ),
                          ..., columns = NULL, top = 20, score = NULL, leaves = NULL) {
  kinds <- c(
    "clusters", "weights", "collapse", "path", "selection", "overview", "embedding", "tree", "profile"
  )
  type <- check_kind(type, "type", kinds)
  shown <- shown_columns(object, columns)
  top <- check_whole(top, "top", 1)
  switch(type,
    overview = ,
    clusters = gg_clusters(object, shown, ...),
    embedding = gg_embedding(object, ...),
    weights = gg_weights(object, top, ...),
    collapse = gg_collapse(object, ...),
    path = gg_path(object, shown, ...),
    tree = gg_tree(object, leaves, ...),
    profile = gg_profile(object, top, ...),
    selection = gg_selection(object, check_score(object, score), ...)
  )
}

gg_clusters <- function(x, shown, ...) {
  gg_places(x, cluster_places(x, shown), axis_labels(x, shown), ...)
}

# Rows and centres at these places; with one label, in lanes.
gg_places <- function(x, at, labels, ...) {
  .data <- ggplot2::.data
  k <- length(x$size)
  one <- length(labels) == 1L
  rows <- data.frame(
    x = at$rows[, 1L], y = at$rows[, 2L], cluster = factor(clustered(x), seq_len(k))
  )
  centers <- data.frame(x = at$centers[, 1L], y = at$centers[, 2L], number = seq_len(k))
  numbered <- seq_len(k) <= n_numbered(k, one)
  numbers <- centers[rev(which(numbered)), ] # those of the largest clusters on top
  centers <- centers[!numbered, ]
  size <- min(1, max(0.4, sqrt(20 / k)))
  ggplot2::ggplot(rows, ggplot2::aes(.data[["x"]], .data[["y"]])) +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data[["cluster"]], shape = .data[["cluster"]]), ...
    ) +
    ggplot2::geom_point(
      data = centers, shape = 4, size = 3 * size, stroke = 2.5 * size, colour = "white"
    ) +
    ggplot2::geom_point(data = centers, shape = 4, size = 3 * size, stroke = 1.2 * size) +
    (if (nrow(numbers)) gg_numbers(numbers)) +
    gg_cluster_scale(ggplot2::scale_colour_manual, palette_colours, x$size) +
    gg_cluster_scale(ggplot2::scale_shape_manual, palette_symbols, x$size) +
    (if (one) ggplot2::scale_y_reverse(breaks = lane_places(k))) +
    ggplot2::labs(
      x = labels[[1L]], y = if (one) "cluster" else labels[[2L]],
      title = clusters_title(k, nrow(rows), anyNA(rows$cluster))
    )
}

# Numbers just above the centres, on white.
gg_numbers <- function(numbers) {
  .data <- ggplot2::.data
  ggplot2::geom_label(
    ggplot2::aes(label = .data[["number"]]), data = numbers, size = if (nrow(numbers) <= 25L) 3 else 2.4, fontface = "bold",
    label.size = 0, label.padding = ggplot2::unit(0.08, "lines"), vjust = -0.1
  )
}

# Colours or symbols for clusters of these sizes; the legend shows the largest.
gg_cluster_scale <- function(scale, values, size) {
  k <- length(size)
  shown <- seq_len(min(k, legend_entries))
  more <- if (k > legend_entries) sprintf("\n(%d of %d)", legend_entries, k)
  scale(
    name = paste0("cluster", more),
    values = stats::setNames(rep_len(values, k), seq_len(k)),
    breaks = as.character(shown),
    labels = sprintf("%d (%s)", shown, vapply(size[shown], counted, "", noun = "row"))
  )
}

gg_weights <- function(x, top, fill = NULL, ...) {
  .data <- ggplot2::.data
  alike <- all_alike(x, top)
  if (!is.null(alike)) {
    return(
      ggplot2::ggplot() + ggplot2::annotate("text", 0, 0, label = alike) + ggplot2::theme_void() +
        ggplot2::labs(title = "Weights of the columns")
    )
  }
  bars <- ranked_weights(x, top)
  bars$place <- seq_len(nrow(bars))
  if (is.null(fill)) fill <- ifelse(bars$others, grey_colour, palette_colours[[1L]])
  ggplot2::ggplot(bars, ggplot2::aes(.data[["length"]], .data[["place"]])) +
    ggplot2::geom_col(fill = fill, orientation = "y", ...) +
    ggplot2::geom_text(
      ggplot2::aes(label = .data[["text"]]), hjust = -0.2, size = 3
    ) +
    ggplot2::scale_y_reverse(
      breaks = bars$place, labels = bars$name, minor_breaks = NULL,
      limits = c(max(nrow(bars), 6L) + 0.6, 0.4) # room for six, so that few bars are not too wide
    ) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(c(0, 0.2))) +
    ggplot2::labs(x = "weight", y = NULL, title = "Weights of the columns")
}

gg_collapse <- function(x, ...) {
  .data <- ggplot2::.data
  history <- x$history
  if (nrow(history) == 0L) abort("nothing to draw: no row moved")
  measures <- c("number of groups", "diameter")
  steps <- data.frame(
    iteration = rep(history$iteration, 2L),
    value = c(history$groups, history$diameter),
    measure = factor(rep(measures, each = nrow(history)), measures),
    phase = factor(ifelse(history$phase == "warmup", "warm-up", "main"), c("warm-up", "main"))
  )
  ggplot2::ggplot(steps, ggplot2::aes(.data[["iteration"]], .data[["value"]])) +
    ggplot2::geom_line(colour = grey_colour, ...) +
    ggplot2::geom_point(colour = palette_colours[[1L]]) +
    ggplot2::facet_grid(
      ggplot2::vars(.data[["measure"]]), ggplot2::vars(.data[["phase"]]),
      scales = "free", switch = "y"
    ) +
    ggplot2::scale_x_continuous(breaks = function(limits) unique(round(pretty(limits)))) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(x = "iteration", y = NULL, title = "The cloud shrinks") +
    ggplot2::theme(strip.placement = "outside")
}

gg_path <- function(x, shown, ...) {
  .data <- ggplot2::.data
  if (is.null(x$path)) abort("the fit has no path: refit with record_path = TRUE")
  k <- length(x$size)
  lines <- path_lines(x, shown)
  steps <- data.frame(
    x = lines$x, y = lines$y, row = lines$row, iteration = lines$iteration,
    cluster = factor(lines$cluster, seq_len(k))
  )
  steps <- steps[!is.na(steps$iteration), ]
  ggplot2::ggplot(steps, ggplot2::aes(.data[["x"]], .data[["y"]], colour = .data[["cluster"]])) +
    ggplot2::geom_path(ggplot2::aes(group = .data[["row"]]), ...) +
    ggplot2::geom_point(data = steps[steps$iteration == 0, ], size = 0.7) +
    gg_cluster_scale(ggplot2::scale_colour_manual, palette_colours, x$size) +
    ggplot2::labs(x = lines$xlab, y = lines$ylab, title = "Paths of the rows")
}

gg_selection <- function(x, score, ...) {
  x$selection <- same_start(x)
  tried <- x$selection
  n <- nrow(tried)
  panels <- c(score, "number of clusters")
  over <- varied_in(tried)
  long <- data.frame(
    h = rep(tried$h, 2L), lambda = rep(tried$lambda, 2L),
    value = c(judged_values(tried, score), tried$k),
    panel = factor(rep(panels, each = n), panels),
    chosen = rep(seq_len(n) == chosen_row(x), 2L)
  )
  if (length(over) == 2L) gg_heat(long, ...) else gg_scores(long, over, ...)
}

gg_scores <- function(long, over, ...) {
  .data <- ggplot2::.data
  other <- setdiff(c("h", "lambda"), over)
  known <- long[is.finite(long$value), ]
  marked <- known[known$chosen, ]
  ggplot2::ggplot(known, ggplot2::aes(.data[[over]], .data[["value"]])) +
    ggplot2::geom_vline(xintercept = marked[[over]], linetype = 2, colour = accent_colour) +
    ggplot2::geom_line(colour = palette_colours[[1L]], ...) +
    ggplot2::geom_point(colour = palette_colours[[1L]]) +
    ggplot2::geom_point(data = marked, shape = 1, size = 4, stroke = 1.2, colour = accent_colour) +
    ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), ncol = 1L, scales = "free_y") +
    ggplot2::scale_x_log10() +
    ggplot2::labs(
      x = over, y = NULL,
      title = sprintf("Choice of %s (%s = %s)", over, other, brief(marked[[other]][[1L]], 4L))
    )
}

gg_heat <- function(long, ...) {
  .data <- ggplot2::.data
  first <- as.integer(long$panel) == 1L
  long$text <- ifelse(is.na(long$value), "", c(
    cell_texts(long$value[first]), cell_texts(long$value[!first])
  ))
  # One colour scale per panel: logarithmic for the number of clusters, linear for scores.
  long$shade <- c(relative(long$value[first]), relative(log(long$value[!first])))
  dark <- long$shade > 0.5 & !is.na(long$shade)
  lambda <- sort(unique(long$lambda))
  long <- cbind(long, pair_cells(long[first, ]))
  long$bottom <- long$row - 0.5
  long$top <- long$row + 0.5
  cell <- ggplot2::aes(
    xmin = .data[["left"]], xmax = .data[["right"]], ymin = .data[["bottom"]],
    ymax = .data[["top"]], fill = .data[["shade"]]
  )
  ggplot2::ggplot(long) +
    ggplot2::geom_rect(cell, colour = "white", ...) +
    ggplot2::geom_rect(
      cell, data = long[long$chosen, ], fill = NA, colour = accent_colour, linewidth = 1.2
    ) +
    ggplot2::geom_text(
      ggplot2::aes(sqrt(.data[["left"]] * .data[["right"]]), .data[["row"]], label = .data[["text"]]),
      colour = ifelse(dark, "white", "black"), size = 2.4
    ) +
    ggplot2::facet_wrap(ggplot2::vars(.data[["panel"]]), ncol = 1L) +
    ggplot2::scale_fill_gradientn(
      colours = heat_colours(), guide = "none", na.value = unjudged_colour
    ) +
    ggplot2::scale_x_log10() +
    ggplot2::scale_y_continuous(
      breaks = seq_along(lambda), labels = brief(lambda, 3L), minor_breaks = NULL
    ) +
    ggplot2::labs(
      x = "h", y = "lambda", title = "Choice of h and lambda",
      caption = if (anyNA(long$shade)) unjudged_key
    )
}
