#' Plot a fit
#'
#' The types `"overview"`, `"collapse"` and `"selection"` have several panels and use the whole page,
#' whatever `par(mfrow = )` or [graphics::layout()] was set to; `"clusters"`, `"embedding"`,
#' `"weights"`, `"profile"`, `"path"` and `"tree"` are single panels and can be combined with others. Panels,
#' legend and text adapt to the device size.
#'
#' @param x a fit of [wbms()].
#' @param type what to draw; may be abbreviated:
#'   * `"overview"`: the clusters and the weights.
#'   * `"clusters"`: the rows in the two heaviest columns, coloured by cluster, and the centres; with
#'     one column, each cluster in a lane of its own. In columns with few distinct values the rows are
#'     jittered slightly, always in the same way. Of more than eight clusters the numbers are written at
#'     the centres (of more than 60, those of the largest).
#'   * `"embedding"`: the rows in the plane along which they differ most in the learned distance, the
#'     first two principal components of the columns divided by `scale` and multiplied by the square
#'     roots of `weights`; for clusters that differ in more than two columns. The axes name the columns
#'     that make up most of each component. Of more than 2,000 columns, those with most of the weighted
#'     variance are used.
#'   * `"weights"`: the weights as bars, the heaviest column at the top; if there are too many to draw and
#'     all are equal, a sentence says so.
#'   * `"profile"`: a heat map of the clusters' means in the columns that set them apart most.
#'   * `"collapse"`: the number of groups and the diameter of the cloud after each iteration; if
#'     the fit was made with `record_path = TRUE`, also the paths of the rows.
#'   * `"path"`: the paths of the rows alone.
#'   * `"selection"`: how `h` and `lambda` were chosen: score and number of clusters for the pairs
#'     that were tried, one row per `lambda`, grey for pairs that were not evaluated further, with the
#'     chosen pair framed; and the number of clusters against `h`, where a plateau is a partition that
#'     hardly depends on `h`. If only one of the two was chosen, score and number of clusters against it.
#'   * `"tree"`: which rows or clusters merge, and after how many iterations, if the fit was made
#'     with `tree = TRUE` (see [as.hclust.wbms()]). A dashed line marks the end of the fit: above it
#'     the clusters merge, and the longer their lines, the better they are separated. Merges that were
#'     predicted, not computed, are dotted.
#' @param ... graphical parameters such as `main`, `xlab`, `xlim`, `cex`, and `col` and `pch` (one per
#'   cluster). If there are several panels, `main` is the title of the first; in an overview all of
#'   them apply to the clusters.
#' @param columns names of the one or two columns in which to draw the rows; by default the heaviest.
#' @param top number of columns whose weights, or profile (at most 60), are drawn. The others, if several, share a grey bar, as
#'   do those for which there is no room.
#' @param score name of the column of `x$selection` to draw.
#' @param leaves maximum number of leaves of the tree; merges at the same height are shown either all
#'   or not at all. By default each row is a leaf if there are at most 40, otherwise each cluster.
#' @return `x`, invisibly. Python is not needed.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], record_path = TRUE)
#' plot(fit)
#' plot(fit, "clusters", columns = c("Sepal.Length", "Sepal.Width"), main = "Iris")
#' plot(fit, "collapse")
#' plot(fit, "selection")
#' @export
plot.wbms <- function(x,
                      type = c(
                        "overview", "clusters", "weights", "collapse", "selection", "tree",
                        "embedding", "profile", "path"
                      ),
                      ..., columns = NULL, top = 20, score = NULL, leaves = NULL) {
  kinds <- c(
    "overview", "clusters", "weights", "collapse", "selection", "tree", "embedding", "profile",
    "path"
  )
  type <- check_kind(type, "type", kinds)
  shown <- shown_columns(x, columns)
  top <- check_whole(top, "top", 1)
  if (type == "selection") score <- check_score(x, score)
  on_page(
    switch(type,
      overview = draw_overview(x, shown, top, ...),
      clusters = draw_clusters(x, shown, ...),
      embedding = draw_embedding(x, ...),
      weights = draw_weights(x, top, ...),
      collapse = draw_collapse(x, shown, ...),
      selection = draw_selection(x, score, ...),
      tree = draw_tree(x, leaves, ...),
      profile = draw_profile(x, top, ...),
      path = draw_paths(x, shown, ...)
    ),
    panels = type %in% c("overview", "collapse", "selection")
  )
  invisible(x)
}

# Runs drawing code and restores the graphical parameters; several panels use the whole page.
on_page <- function(code, panels = TRUE) {
  # Setting mfrow resets cex and mex, so these come after it.
  old <- graphics::par(c("mfrow", "cex", "mex", "mar", "xpd", "las", "mgp"))
  on.exit(graphics::par(if (panels) old else old[c("mar", "xpd", "las", "mgp")]))
  graphics::par(las = 0L, mgp = c(2.4, 0.8, 0))
  force(code)
}

# Okabe and Ito's palette, which is safe for colour-blind readers; black is reserved for the centres,
# and yellow, faint on white, comes last.
palette_colours <- c("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
# Nine symbols and seven colours are coprime: 63 consecutive clusters all differ.
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

# Positions of the one or two columns in which to draw the rows.
shown_columns <- function(x, columns) {
  if (is.null(columns)) return(utils::head(heaviest_first(x), 2L))
  if (!is.character(columns) || !length(columns) %in% 1:2 || anyDuplicated(columns)) {
    abort("'columns' must name one or two columns, not ", described(columns))
  }
  unknown <- setdiff(columns, colnames(x$data))
  if (length(unknown)) abort("'columns' that were not clustered: ", quoted(unknown))
  match(columns, colnames(x$data))
}
