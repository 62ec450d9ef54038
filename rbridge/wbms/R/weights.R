# Weights of rows: where they come from, and their checks.

# The weights of rows of a table, and the columns that are features. The expression may name a column
# of a data frame, which is not a feature then, as may a string; all else is evaluated.
table_weights <- function(x, expression, value) {
  if (missing(expression) || is.null(expression)) return(list(x = x, weights = NULL))
  name <- if (is.symbol(expression) && is.data.frame(x)) as.character(expression)
  if (is.null(name) || !name %in% names(x)) {
    weights <- tryCatch(value(), error = function(e) {
      named <- intersect(all.vars(expression), names(x))
      if (!is.data.frame(x) || !length(named)) stop(e)
      abort(
        "'weights' could not be evaluated (", conditionMessage(e), "): for a data frame it is a vector ",
        "or the name of a column; use a formula, as in wbms(~ a + b, data, weights = ", named[[1L]], " / 2)"
      )
    })
    if (!is.character(weights)) return(list(x = x, weights = weights))
    name <- weights
    columns <- if (is.data.frame(x)) names(x) else colnames(x)
    if (length(name) != 1L || !name %in% columns) {
      abort("'weights' must be one number per row or the name of a column of 'x', not ", described(name))
    }
  }
  if (is.data.frame(x)) return(list(x = x[names(x) != name], weights = x[[name]]))
  list(x = x[, colnames(x) != name, drop = FALSE], weights = x[, name])
}

# The argument of model.frame() for an expression; the name of a column may be a string.
frame_weights <- function(expression, data) {
  if (is.character(expression) && length(expression) == 1L && expression %in% names(data)) {
    expression <- as.name(expression)
  }
  list(weights = expression)
}

# Weights as a double vector with one number per row of a matrix, or NULL. Missing ones are an error
# unless such rows are to be omitted.
check_row_weights <- function(weights, x, missing_values) {
  if (is.null(weights)) return(NULL)
  plain <- is.null(dim(weights)) || length(dim(weights)) == 1L
  if (!(is.numeric(weights) || is.logical(weights)) || is.factor(weights) || !plain) {
    abort("'weights' must be a numeric vector, not ", described(weights))
  }
  if (length(weights) != nrow(x)) {
    abort(
      "'weights' must have one number per row: it has ", counted(length(weights), "number"), " for ",
      counted(nrow(x), "row")
    )
  }
  weights <- as.double(weights)
  bad <- which(if (missing_values != "omit") is.na(weights) else logical(length(weights)))
  if (length(bad)) {
    abort(
      "missing values in 'weights' (first in row ", row_called(x, bad[[1L]]), ", ",
      counted(length(bad), "row"), " in total); fill them in, or use na.action = na.omit"
    )
  }
  bad <- which(!is.na(weights) & (weights < 0 | weights > 1e15))
  if (length(bad)) {
    abort(
      "'weights' must be numbers from 0 to 1e15, but row ", row_called(x, bad[[1L]]), " has ",
      format(weights[[bad[[1L]]]])
    )
  }
  if (missing_values != "omit") used_weights(weights, TRUE) else weights
}

# The weights of the rows to use, not all of them 0.
used_weights <- function(weights, kept) {
  if (is.null(weights)) return(NULL)
  weights <- weights[kept]
  if (all(weights == 0)) abort("'weights' must not be 0 for all rows")
  weights
}

# A line about the weights of rows, if there are any.
row_weight_text <- function(weights) {
  if (is.null(weights)) return(NULL)
  sprintf("Weights of rows: sum %s; shares are those of the weights", format(sum(weights), digits = 6L))
}

# The share of each cluster in all rows, or in their weights if there are any.
cluster_shares <- function(fit) {
  total <- unname(fit$size)
  if (!is.null(fit$row_weights)) {
    cluster <- clustered(fit)
    inside <- !is.na(cluster)
    groups <- factor(cluster[inside], seq_along(fit$size))
    total <- unname(c(rowsum(fit$row_weights[inside], groups, reorder = TRUE)))
  }
  total / sum(total)
}
