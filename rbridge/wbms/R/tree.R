#' The coalescence tree of a fit
#'
#' A fit stops when its partition has settled, but a Gaussian kernel is never zero: the clusters keep
#' attracting each other and merge one by one, after a number of iterations that grows exponentially
#' with their distance. With `tree = TRUE`, [wbms()] continues until all clusters have merged. The
#' merges, at the logarithm of 1 + the iterations after the warm-up, form a hierarchical clustering,
#' which R's functions for hierarchical clustering can cut and draw. Cut at the end of the fit, or into
#' as many clusters as the fit has, it gives the clusters of the fit (before any were joined, see `join`
#' in [wbms()]); higher up, coarser ones. The longer a partition persists, the better its clusters are
#' separated.
#'
#' Rows that meet in the same iteration are merged by their distance in the iteration before, the nearest
#' first, as in single linkage, and the heights of these merges differ by a few parts in 10^15. So
#' [stats::cutree()] separates what was farthest apart even between them; but such clusters are no partition
#' that the fit went through. [at()] and `wbms(k = )` never cut there.
#'
#' Equal rows merge at height 0, other rows at the iteration from which they remain closer than
#' `eps`. After the fit, many iterations are computed at a time wherever the clusters only drift; the
#' heights are then accurate to about 0.01. If this takes more than a fixed amount of work
#' (independent of the speed of the computer), or if a callback has stopped the fit, the merges at the
#' top are predicted, each as if its two clusters were alone; `x$tree$observed` tells which.
#'
#' @param x,object a fit of [wbms()] with `tree = TRUE` and at least two rows.
#' @param ... not used by `as.hclust()`; passed on by `as.dendrogram()`.
#' @return An object of class [hclust][stats::hclust()] (or [dendrogram][stats::as.dendrogram()])
#'   over the rows that were clustered. Python is not needed.
#' @seealso [at()], [layers()]; `plot(fit, "tree")`, see [plot.wbms()]; [stats::cutree()], [stats::rect.hclust()]
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1, tree = TRUE)
#' tree <- as.hclust(fit)
#' tree
#' table(cutree(tree, k = 2), iris$Species)
#' plot(fit, "tree")
#' @export
as.hclust.wbms <- function(x, ...) {
  refuse_unknown(..., topic = "as.hclust.wbms")
  tree <- tree_of(x)
  if (!length(tree$height)) abort("a tree needs at least two rows, but the fit has one")
  structure(
    list(
      merge = tree$merge, height = tree$height, order = tree$order, labels = rownames(x$data),
      method = "coalescence", call = x$call, dist.method = "log iterations"
    ),
    class = "hclust"
  )
}

#' @rdname as.hclust.wbms
#' @export
as.dendrogram.wbms <- function(object, ...) {
  stats::as.dendrogram(stats::as.hclust(object), ...)
}

tree_of <- function(x) {
  if (is.null(x$tree)) abort("the fit has no tree: refit with tree = TRUE")
  x$tree
}

# The cluster of each row of the tree, which is that of all rows, those labelled as outliers included; 0
# for none.
tree_clusters <- function(x) {
  cluster <- if (is.null(x$assigned)) unname(clustered(x)) else x$assigned
  cluster[cluster > length(x$size)] <- 0L
  cluster
}

most_leaves <- 60L
most_rows <- 40L # up to this number, every row is a leaf

draw_tree <- function(x, leaves, col = palette_colours, cex.names = NULL, xlab = NULL,
                      ylab = "iterations until they merge (log scale)", ...) {
  tree <- tree_of(x)
  n <- nrow(x$data)
  end <- log1p(x$iter)
  k <- 1L + sum(tree$height > end)
  cluster <- tree_clusters(x)
  layout <- tree_layout(tree, number_of_leaves(tree$height, most_shown(leaves, n, k)), cluster)
  names <- leaf_names(x, layout$members, cluster)
  root <- max(0, tree$height)
  highest <- max(1.1 * root, 1.5 * end, 1)

  start_figure()
  line <- text_line()
  fin <- graphics::par("fin")
  note <- c("fit ends:", counted(k, "cluster"))
  room <- max(graphics::strwidth(note, "inches", 0.85)) + 0.7 * line
  if (room > 0.3 * fin[[1L]]) room <- line # too narrow for a note
  slot <- (fin[[1L]] - 4.8 * line - room) / length(names)
  cex <- if (is.null(cex.names)) min(1, max(0.45, slot / (1.1 * line))) else cex.names
  wide <- function(texts) max(graphics::strwidth(texts, "inches", cex))
  upright <- wide(names) + 0.3 * line > slot
  # The names of the leaves may take a third of the height.
  if (upright && wide(names) > fin[[2L]] / 3) {
    names <- elided(names, max(6L, floor(max(nchar(names)) * fin[[2L]] / 3 / wide(names))))
  }
  below <- if (upright) wide(names) + 0.4 * line else 1.2 * line
  set_margins(c(below + 2 * line, 4.8 * line, 2.6 * line, room))
  plot_with(
    list(...), 0, 0,
    type = "n", axes = FALSE, xaxs = "i", yaxs = "i", xlim = c(0.3, length(names) + 0.7),
    ylim = c(0, highest), main = tree_title(x, n, length(x$size)), xlab = "", ylab = ""
  )
  colours <- c(grey_dark, rep_len(col, length(x$size)))
  draw_tree_lines(layout, tree$observed, colours, root, highest)
  cut <- Inf
  if (identical(x$reached_by, "tree")) {
    cut <- mean(c(tree$height, highest)[n - length(x$size) + 0:1])
    mark_height(cut, c("cut:", counted(length(x$size), "cluster")), 4L, room > line, 0)
  }
  # Notes that are close to each other are above and below their lines.
  mark_height(end, note, 2L, room > line, if (cut - end < 0.12 * highest) 1 else 0.5)
  tree_axes(names, cex, upright, slot, below, highest)
  if (is.null(xlab)) xlab <- if (length(names) == n) "row" else "cluster (number of rows)"
  size <- label_size(list(xlab = xlab, ylab = ylab))
  graphics::title(xlab = xlab, line = below / line + 0.5, cex.lab = size)
  graphics::title(ylab = ylab, line = 3.5, cex.lab = size)
}

# A line across the tree, with a note beside it if there is room; `above` is 0 above the line, 1 below it.
mark_height <- function(height, note, lty, with_note, above) {
  graphics::abline(h = height, lty = lty)
  if (with_note) {
    graphics::text(
      graphics::grconvertX(1, "npc") + 0.3 * graphics::strwidth("M", cex = 0.85), height,
      paste(note, collapse = "\n"), adj = c(0, above), cex = 0.85, xpd = NA
    )
  }
}

grey_dark <- "#444444"

# The lines of the merges, dotted if predicted, and the stem. The first colour is that of lines that
# belong to several clusters.
draw_tree_lines <- function(layout, observed, colours, root, highest) {
  lines <- layout$lines
  graphics::segments(
    lines$x0, lines$y0, lines$x1, lines$y1,
    col = colours[lines$cluster + 1L], lty = ifelse(observed[lines$merge], 1L, 3L), lwd = 1.5
  )
  stem <- if (nrow(lines)) root else 0
  one_cluster <- length(colours) == 2L
  graphics::segments(
    layout$root, stem, layout$root, highest,
    col = colours[one_cluster + 1L], lwd = 1.5
  )
}

tree_title <- function(x, n, k) {
  paste0(
    counted(k, "cluster"), ", ", counted(n, "row"),
    if (!all(x$tree$observed)) "; dotted: predicted"
  )
}

# Names of leaves, as many as fit, and the numbers of iterations on a logarithmic axis.
tree_axes <- function(names, cex, upright, slot, below, highest) {
  line <- text_line()
  every <- max(1, ceiling(0.95 * cex * line / slot))
  shown <- if (upright) seq(1, length(names), every) else seq_along(names)
  at <- graphics::grconvertY(0, "npc", "inches") - 0.25 * line
  graphics::text(
    shown, graphics::grconvertY(at, "inches"), names[shown],
    srt = if (upright) 90 else 0, adj = if (upright) c(1, 0.5) else c(0.5, 1), cex = cex, xpd = NA
  )
  most <- max(2, min(7, floor(graphics::par("pin")[[2L]] / (2 * line))))
  marks <- iteration_marks(highest, most)
  graphics::axis(2L, at = marks$at, labels = marks$labels, las = 1L)
}

# The maximum number of leaves to draw.
most_shown <- function(leaves, n, k) {
  if (!is.null(leaves)) return(check_whole(leaves, "leaves", 1))
  if (n <= most_rows) n else if (k == 1L) most_rows else min(k, most_leaves)
}

# The largest number of clusters, up to a bound, that the tree has at some height. Heights that differ by
# less than a billionth are those of one iteration.
number_of_leaves <- function(height, most) {
  found <- length(height) + 2L - which(diff(c(-1, height)) > 1e-9 * pmax(height, 1))
  max(1L, found[found <= most])
}

leaf_names <- function(x, members, cluster) {
  vapply(members, function(rows) {
    if (length(rows) == 1L && length(cluster) <= most_rows) return(as.character(row_called(x$data, rows)))
    found <- unique(cluster[rows])
    size <- sprintf("(%s)", counted(length(rows)))
    if (length(found) > 1L) return(paste(length(found), "clusters", size))
    if (found > 0L && sum(cluster == found) == length(rows)) paste(found, size) else size
  }, "")
}

# The layout of the last merges of a tree, the larger of two clusters on the left: the rows of each
# leaf, the lines with the cluster of the fit that each belongs to (0: several), and the root's place.
tree_layout <- function(tree, leaves, cluster) {
  n <- length(cluster)
  # Nodes are numbered consecutively: the rows, then the merges.
  child <- ifelse(tree$merge < 0L, -tree$merge, n + tree$merge)
  first <- max(2L * n - leaves, n) + 1L # earlier nodes are leaves or inside leaves
  size <- c(rep(1L, n), integer(n - 1L))
  for (i in seq_len(n - 1L)) size[[n + i]] <- sum(size[child[i, ]])

  nodes <- integer()
  stack <- 2L * n - 1L
  while (length(stack)) {
    node <- stack[[length(stack)]]
    stack <- stack[-length(stack)]
    if (node < first) {
      nodes <- c(nodes, node)
    } else {
      pair <- child[node - n, ]
      stack <- c(stack, pair[order(size[pair], -pair)])
    }
  }
  leaf <- integer(2L * n - 1L) # the leaf that each node belongs to
  leaf[nodes] <- seq_along(nodes)
  for (i in rev(seq_len(first - n - 1L))) leaf[child[i, ]] <- pmax(leaf[child[i, ]], leaf[[n + i]])
  members <- unname(split(seq_len(n), leaf[seq_len(n)]))

  place <- bottom <- double(2L * n - 1L)
  part <- integer(2L * n - 1L)
  place[nodes] <- seq_along(nodes)
  part[nodes] <- vapply(members, function(rows) one_or_zero(cluster[rows]), 0L)
  drawn <- if (first < 2L * n) seq(first, 2L * n - 1L) else integer()
  lines <- matrix(0, 3L * length(drawn), 6L)
  colnames(lines) <- c("x0", "x1", "y0", "y1", "cluster", "merge")
  for (i in seq_along(drawn)) {
    node <- drawn[[i]]
    pair <- child[node - n, ]
    at <- place[pair]
    high <- tree$height[[node - n]]
    part[[node]] <- one_or_zero(part[pair])
    lines[3L * i - 2:0, ] <- cbind(
      c(at, at[[1L]]), c(at, at[[2L]]), c(bottom[pair], high), high, c(part[pair], part[[node]]),
      node - n
    )
    place[[node]] <- mean(at)
    bottom[[node]] <- high
  }
  list(members = members, lines = as.data.frame(lines), root = place[[2L * n - 1L]])
}

one_or_zero <- function(values) {
  if (length(unique(values)) == 1L) values[[1L]] else 0L
}

# Tick heights and the numbers of iterations they represent: 0 and powers of ten.
iteration_marks <- function(highest, most = 7) {
  decades <- highest / log(10)
  step <- 10^floor(log10(max(decades / most, 1)))
  step <- step * Find(function(m) decades / (step * m) <= most, c(1, 2, 5, 10))
  powers <- seq(if (step == 1) 0 else step, max(decades, step), by = step)
  at <- ifelse(powers * log(10) > 700, powers * log(10), log1p(exp(pmin(700, powers * log(10)))))
  powers <- powers[at <= highest]
  texts <- lapply(powers, function(power) {
    if (power <= 2) 10^power else bquote(10^.(format(power, digits = 15, scientific = power >= 1e15)))
  })
  list(at = c(0, at[at <= highest]), labels = as.expression(c(0, texts)))
}
