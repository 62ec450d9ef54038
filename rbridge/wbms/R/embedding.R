# The rows in the plane along which they differ most in the learned distance.

# Columns with most of the weighted variance, if there are more: no larger matrix is made.
most_columns <- 2000L

# Coordinates of rows and centres in the first two principal components (one, if the rows lie on a
# line) of the columns divided by the scale and multiplied by the square roots of the weights, and
# the labels of the axes.
embedding_places <- function(x, most = most_columns) {
  factors <- sqrt(x$weights) / ifelse(x$scale > 0, x$scale, 1)
  mean <- colMeans(x$data)
  variance <- factors^2 * colMeans(sweep(x$data, 2L, mean)^2)
  used <- sort(utils::head(order(-variance), most))
  weighted <- function(values) {
    sweep(sweep(values[, used, drop = FALSE], 2L, mean[used]), 2L, factors[used], "*")
  }
  rows <- weighted(x$data)
  axes <- principal_axes(rows)
  scores <- rows %*% axes
  share <- colMeans(scores^2) / max(sum(variance), .Machine$double.xmin)
  kept <- c(1L, which(share[-1L] > 1e-12) + 1L)
  names <- names(x$weights)[used]
  list(
    rows = unname(scores[, kept, drop = FALSE]),
    centers = unname((weighted(x$centers) %*% axes)[, kept, drop = FALSE]),
    labels = vapply(kept, function(i) component_name(names, axes[, i], i, share[[i]]), "")
  )
}

# The first two principal axes of centred rows, as columns; the largest coefficient of each is
# positive.
principal_axes <- function(rows) {
  axes <- if (ncol(rows) <= nrow(rows)) {
    eigen(crossprod(rows), symmetric = TRUE)$vectors
  } else {
    t(La.svd(rows, nu = 0L, nv = min(2L, nrow(rows)))$vt)
  }
  axes <- axes[, seq_len(min(2L, ncol(axes))), drop = FALSE]
  largest <- axes[cbind(max.col(t(abs(axes)), "first"), seq_len(ncol(axes)))]
  sweep(axes, 2L, ifelse(largest < 0, -1, 1), "*")
}

# The label of an axis: share of the variance, and the columns that make it up.
component_name <- function(names, axis, number, share) {
  order <- order(-axis^2)
  needed <- sum(cumsum(axis[order]^2) < 0.8) + 1L
  made_of <- c(elided(names[utils::head(order, min(needed, 3L))], 18L), if (needed > 3L) "...")
  sprintf(
    "component %d, %s%% of the variance\n%s", number, decimal(100 * share, 0L), toString(made_of)
  )
}

draw_embedding <- function(x, ...) {
  at <- embedding_places(x)
  draw_places(x, in_lanes(x, at), at$labels, ...)
}

gg_embedding <- function(x, ...) {
  at <- embedding_places(x)
  gg_places(x, in_lanes(x, at), at$labels, ...)
}
