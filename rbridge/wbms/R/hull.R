#' Distance to a convex hull
#'
#' The Euclidean distance of each point to the convex hull of the vertices, in any number of
#' dimensions; 0 for points inside. The hull is never constructed: for each point an active-set
#' method finds the nearest point of the hull.
#'
#' @param points a numeric matrix or data frame, one row per point.
#' @param vertices a numeric matrix or data frame, one row per vertex, with as many columns.
#' @param certificate also return a certificate of the distances?
#' @return A vector of distances, named by row. With `certificate = TRUE` a list: `distance`;
#'   `coefficients`, the convex combinations of the vertices that give the nearest points, an upper
#'   bound on the distances; `direction`, unit vectors along which the hull lies that far behind, a
#'   lower bound; and `nearest`, the nearest points.
#' @examplesIf wbms::wbms_available()
#' square <- rbind(c(0, 0), c(0, 1), c(1, 0), c(1, 1))
#' hull_distance(rbind(inside = c(0.5, 0.5), outside = c(2, 0.5)), square)
#' @export
hull_distance <- function(points, vertices, certificate = FALSE) {
  certificate <- check_flag(certificate, "certificate")
  points <- numeric_matrix(points, "points")
  vertices <- numeric_matrix(vertices, "vertices")
  complete_rows(points, name = "points")
  complete_rows(vertices, name = "vertices")
  if (ncol(points) != ncol(vertices)) {
    abort("'points' has ", ncol(points), " columns, 'vertices' has ", ncol(vertices))
  }
  found <- py_call("hull_distance", points, vertices, certificate)
  if (!certificate) return(stats::setNames(found, rownames(points)))
  names(found$distance) <- rownames(points)
  dimnames(found$coefficients) <- list(rownames(points), rownames(vertices))
  dimnames(found$direction) <- dimnames(found$nearest) <- dimnames(points)
  found
}
