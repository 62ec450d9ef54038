# Distances to the centres, in the learned weighted distance.

distances_to_centers <- function(object, x, call) {
  found <- py_call("distances", x, for_python(object), object$centers, .call = call)
  dimnames(found) <- list(rownames(x), rownames(object$centers))
  found
}

# Of new rows; those with missing values have NA.
new_distances <- function(object, x, missing_values, call) {
  found <- matrix(
    NA_real_, nrow(x), nrow(object$centers), dimnames = list(rownames(x), rownames(object$centers))
  )
  if (nrow(x) == 0L) return(found)
  kept <- complete_rows(x, missing_values, "newdata")
  if (any(kept)) found[kept, ] <- distances_to_centers(object, x[kept, , drop = FALSE], call)
  found
}

# A matrix over the rows that were clustered as one over all rows: omitted rows have NA.
padded_rows <- function(object, values) {
  all_rows <- matrix(
    NA_real_, length(object$cluster), ncol(values),
    dimnames = list(names(object$cluster), colnames(values))
  )
  all_rows[clustered_rows(object), ] <- values
  all_rows
}
