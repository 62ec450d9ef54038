#' Clusters of new rows
#'
#' A new row gets the cluster of the nearest clustered row in the learned weighted distance. A row
#' that was clustered always gets its own cluster. The training data need not be given again.
#'
#' @param object a fit of [wbms()].
#' @param newdata a data frame or matrix with the columns that were clustered, matched by name
#'   (further columns are ignored) or, without names, by position. If missing, the clusters of the
#'   fit are returned. For a fit by formula, a data frame with the formula's variables.
#' @param na.action what to do with missing values; by default the same as in [wbms()]:
#'   [stats::na.fail()] raises an error; with [stats::na.omit()], [stats::na.exclude()] or
#'   [stats::na.pass()] such rows have `NA`.
#' @param n_jobs number of threads.
#' @param ... not used: further arguments are errors.
#' @return An integer vector of clusters, named by row.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' predict(fit, iris[c(1, 51, 101), ])
#' @exportS3Method stats::predict
predict.wbms <- function(object, newdata, na.action = NULL, n_jobs = NULL, ...) {
  call <- called(match.call(), quote(predict))
  refuse_unknown(..., topic = "predict.wbms", known = c("newdata", "na.action", "n_jobs"))
  n_jobs <- check_jobs(n_jobs)
  missing_values <- fitted_na_action(object)
  if (!is.null(na.action)) missing_values <- check_na_action(na.action, "omit")
  if (missing(newdata)) return(object$cluster)
  if (is.null(newdata)) abort("'newdata' is NULL; omit it to get the clusters of the fit")
  x <- matching_matrix(object, newdata, missing_values)
  cluster <- rep(NA_integer_, nrow(x))
  names(cluster) <- rownames(x)
  if (nrow(x) == 0L) return(cluster)
  kept <- complete_rows(x, missing_values, "newdata")
  if (!any(kept)) return(cluster)
  cluster[kept] <- py_call(
    "predict", x[kept, , drop = FALSE], object$data, object$cluster[!is.na(object$cluster)],
    object$weights, object$params$standardize, n_jobs,
    .call = call
  )
  cluster
}

# How the fit handles missing values.
fitted_na_action <- function(object) {
  if (!is.null(object$na_action)) return(object$na_action)
  if (is.null(object$na.action)) "fail" else "omit"
}

# New data as the model frame of a fit by formula, with the types and levels of the fit.
matching_frame <- function(object, newdata) {
  if (!is.data.frame(newdata)) {
    check_table(newdata, "newdata")
    newdata <- as.data.frame(newdata)
  }
  variables <- object$variables
  if (is.null(variables)) variables <- all.vars(object$terms)
  absent <- setdiff(variables, names(newdata))
  if (length(absent)) {
    abort("variable", if (length(absent) > 1L) "s", " missing from 'newdata': ", quoted(absent))
  }
  frame <- tryCatch(
    stats::model.frame(object$terms, newdata, na.action = stats::na.pass),
    error = function(e) abort("'newdata' does not match the formula: ", conditionMessage(e))
  )
  classes <- attr(object$terms, "dataClasses")
  for (name in intersect(names(frame), names(classes))) {
    frame[[name]] <- matching_variable(frame[[name]], name, classes[[name]], object$xlevels[[name]])
  }
  frame
}

matching_variable <- function(variable, name, class, levels) {
  if (is.logical(variable) && all(is.na(variable))) storage.mode(variable) <- "double"
  discrete <- c("factor", "ordered", "character")
  found <- stats::.MFclass(variable)
  alike <- found == class || found %in% discrete && class %in% discrete || all(is.na(variable))
  if (!alike) {
    abort("variable '", name, "' of 'newdata' must be ", class, " as in the fit, not ", found)
  }
  if (is.null(levels)) return(variable)
  values <- as.character(variable)
  unknown <- setdiff(values, c(levels, NA))
  if (length(unknown)) {
    abort("values of '", name, "' in 'newdata' that were not in the fit: ", quoted(unknown))
  }
  factor(values, levels, ordered = class == "ordered")
}

# New data as a matrix with the columns of the fit, in its order.
matching_matrix <- function(object, newdata, missing_values) {
  columns <- colnames(object$data)
  if (!is.null(object$terms)) {
    frame <- matching_frame(object, newdata)
    if (nrow(frame) == 0L) return(matrix(0, 0L, length(columns)))
    if (missing_values == "fail") refuse_missing(missing_in_frame(frame), "'newdata'", "variable")
    newdata <- design_matrix(object$terms, frame, object$contrasts)
  } else if (is.null(dim(newdata)) && is.numeric(newdata) && length(columns) > 1L) {
    # one row, as returned by x[1, ]
    newdata <- matrix(newdata, nrow = 1L, dimnames = list(NULL, names(newdata)))
  } else if (is.null(dim(newdata))) {
    newdata <- plain_matrix(newdata, "newdata")
    colnames(newdata) <- columns
  }
  if (is.null(colnames(newdata))) {
    if (ncol(newdata) != length(columns)) {
      abort("'newdata' must have ", counted(length(columns), "column"), ", not ", ncol(newdata))
    }
    colnames(newdata) <- columns
  }
  absent <- setdiff(columns, colnames(newdata))
  if (length(absent)) {
    abort("column", if (length(absent) > 1L) "s", " missing from 'newdata': ", quoted(absent))
  }
  newdata <- newdata[, columns, drop = FALSE]
  if (nrow(newdata) == 0L) return(matrix(0, 0L, length(columns)))
  numeric_matrix(newdata, "newdata")
}
