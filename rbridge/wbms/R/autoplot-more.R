# The profile and the tree as ggplot2 objects.

gg_profile <- function(x, top, ...) {
  .data <- ggplot2::.data
  if (is.null(x$profile)) abort("the fit has no profile: refit with this version of wbms")
  values <- x$profile[, seq_len(min(top, ncol(x$profile))), drop = FALSE]
  values <- utils::head(values, profile_clusters)
  k <- nrow(values)
  p <- ncol(values)
  tiles <- expand.grid(row = seq_len(k), column = seq_len(p))
  tiles$value <- pmax(-profile_limit, pmin(profile_limit, as.vector(values)))
  ggplot2::ggplot(tiles, ggplot2::aes(.data[["column"]], .data[["row"]], fill = .data[["value"]])) +
    ggplot2::geom_tile(...) +
    ggplot2::scale_fill_gradientn(
      "sd from\nthe mean", colours = profile_colours, limits = c(-1, 1) * profile_limit
    ) +
    ggplot2::scale_x_continuous(
      breaks = seq_len(p), labels = elided(colnames(values)), minor_breaks = NULL, expand = c(0, 0)
    ) +
    ggplot2::scale_y_reverse(
      breaks = seq_len(k), minor_breaks = NULL, expand = c(0, 0),
      labels = sprintf("%d (%s)", seq_len(k), vapply(x$size[seq_len(k)], counted, "", noun = "row"))
    ) +
    ggplot2::labs(x = NULL, y = "cluster", title = paste(profile_title(x, k, p), collapse = "\n")) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 60, hjust = 1))
}

gg_tree <- function(x, leaves, ...) {
  .data <- ggplot2::.data
  tree <- tree_of(x)
  n <- nrow(x$data)
  k <- length(x$size)
  end <- log1p(x$iter)
  cluster <- tree_clusters(x)
  layout <- tree_layout(
    tree, number_of_leaves(tree$height, most_shown(leaves, n, 1L + sum(tree$height > end))), cluster
  )
  names <- leaf_names(x, layout$members, cluster)
  lines <- layout$lines
  lines$part <- factor(lines$cluster, 0:k)
  lines$found <- factor(ifelse(tree$observed[lines$merge], "computed", "predicted"), c("computed", "predicted"))
  marks <- iteration_marks(max(1.1 * tree$height, 1.5 * end, 1))
  ggplot2::ggplot(lines) +
    ggplot2::geom_segment(
      ggplot2::aes(
        x = .data[["x0"]], y = .data[["y0"]], xend = .data[["x1"]], yend = .data[["y1"]],
        colour = .data[["part"]], linetype = .data[["found"]]
      ), ...
    ) +
    ggplot2::geom_hline(yintercept = end, linetype = 2) +
    ggplot2::scale_colour_manual(
      "cluster", values = stats::setNames(c(grey_dark, rep_len(palette_colours, k)), 0:k),
      breaks = as.character(seq_len(min(k, legend_entries)))
    ) +
    ggplot2::scale_linetype_manual(
      "merge", values = c(computed = 1, predicted = 3), guide = if (all(tree$observed)) "none" else "legend"
    ) +
    ggplot2::scale_x_continuous(
      breaks = seq_along(names), labels = elided(names), minor_breaks = NULL
    ) +
    ggplot2::scale_y_continuous(breaks = marks$at, labels = marks$labels, minor_breaks = NULL) +
    ggplot2::labs(
      x = if (length(names) == n) "row" else "cluster (number of rows)",
      y = "iterations until they merge (log scale)", title = tree_title(x, n, k),
      caption = "dashed: the end of the fit"
    ) +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}
