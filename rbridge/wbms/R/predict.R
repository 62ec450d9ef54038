#' Clusters of new rows
#'
#' A new row gets the cluster of the nearest clustered row in the learned weighted distance
#' (`method = "nearest"`), or of the mode that it reaches when it moves as the rows of the fit did, from
#' iteration to iteration to the kernel-weighted mean of these (`"follow"`). A row that was clustered
#' always gets its own cluster. The training data need not be given again.
#'
#' Rows that are far outside everything that was clustered raise a warning; in a fit with
#' `outliers = "label"`, rows with an [outlier_score()] above 0.999 have `NA` instead.
#'
#' @param object a fit of [wbms()].
#' @param newdata a data frame or matrix with the columns that were clustered, matched by name
#'   (further columns are ignored) or, without names, by position. If missing, the clusters of the
#'   fit are returned. For a fit by formula, a data frame with the formula's variables.
#' @param type what to return: `"cluster"`, the cluster of each row; `"prob"`, its memberships in all
#'   clusters, see [membership()]; or `"distance"`, its distance to the centre of each cluster in the
#'   learned weighted distance, on the scale of z-scores.
#' @param na.action what to do with missing and infinite values; by default the same as in [wbms()]:
#'   [stats::na.fail()] raises an error; with [stats::na.omit()], [stats::na.exclude()] or
#'   [stats::na.pass()] such rows have `NA`; `"impute"`, for a fit with the same, replaces the values by
#'   the medians and most frequent levels of the fit.
#' @param n_jobs number of threads.
#' @param method how new rows get their clusters: `"nearest"`, the default, or `"follow"`, the default for a
#'   fit with landmarks, as its other rows got theirs in this way.
#' @param ... not used: further arguments are errors.
#' @return For `"cluster"` an integer vector, named by row; for `"prob"` and `"distance"` a matrix with
#'   one row per row and one column per cluster; rows of memberships sum to 1.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' predict(fit, iris[c(1, 51, 101), ])
#' predict(fit, iris[c(1, 51, 101), ], type = "prob")
#' predict(fit, iris[c(1, 51, 101), ], type = "distance")
#' @exportS3Method stats::predict
predict.wbms <- function(object, newdata, type = c("cluster", "prob", "distance"), na.action = NULL,
                         n_jobs = NULL, method = NULL, ...) {
  call <- called(match.call(), quote(predict))
  refuse_unknown(..., topic = "predict.wbms", known = c("newdata", "type", "na.action", "n_jobs", "method"))
  type <- check_kind(type, "type", c("cluster", "prob", "distance"))
  n_jobs <- check_jobs(n_jobs)
  if (!is.null(method)) method <- check_choice(method, "method", c("nearest", "follow"))
  missing_values <- fitted_na_action(object)
  if (!is.null(na.action)) missing_values <- check_na_action(na.action, "omit")
  if (missing(newdata)) {
    return(switch(type,
      cluster = object$cluster, prob = membership(object, n_jobs = n_jobs),
      distance = padded_rows(object, distances_to_centers(object, object$data, call))
    ))
  }
  if (is.null(newdata)) abort("'newdata' is NULL; omit it to get the clusters of the fit")
  x <- matching_matrix(object, newdata, missing_values)
  if (type == "distance") return(new_distances(object, x, missing_values, call))
  k <- length(object$size)
  found <- if (type == "prob") matrix(NA_real_, nrow(x), k) else matrix(NA_integer_, nrow(x), 1L)
  dimnames(found) <- list(rownames(x), if (type == "prob") seq_len(k))
  kept <- if (nrow(x)) complete_rows(x, missing_values, "newdata")
  if (any(kept)) {
    known <- for_python(object, !is.null(object$landmarks) || identical(method, "follow"))
    new <- x[kept, , drop = FALSE]
    values <- if (type == "prob") {
      py_call("membership", new, known, n_jobs, .call = call)
    } else {
      py_call("predict", new, known, n_jobs, method, .call = call)
    }
    found[kept, ] <- if (type == "prob") values else na_for_outliers(values)
  }
  if (type == "prob") found else stats::setNames(found[, 1L], rownames(x))
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

# Missing values can be filled in only with what the fit knows.
with_fills <- function(missing_values, object) {
  if (missing_values == "impute" && is.null(object$encoding$fills)) {
    abort("na.action = \"impute\" needs a fit with na.action = \"impute\", whose medians are used")
  }
  missing_values
}

# New data with categories or missing values as the matrix that the encoding of the fit makes of them.
encoded_newdata <- function(object, newdata, missing_values) {
  encoding <- object$encoding
  columns <- if (is.null(encoding$fills)) {
    unique(c(names(encoding$levels), setdiff(colnames(object$data), indicator_names(encoding))))
  } else {
    names(encoding$fills)
  }
  rows <- if (is.data.frame(newdata)) row.names(newdata) else rownames(newdata)
  if (is.null(dim(newdata))) newdata <- as.data.frame(as.list(newdata), check.names = FALSE)
  if (!is.data.frame(newdata)) {
    check_table(newdata, "newdata")
    newdata <- as.data.frame(newdata)
  }
  absent <- setdiff(columns, names(newdata))
  if (length(absent)) {
    abort("column", if (length(absent) > 1L) "s", " missing from 'newdata': ", quoted(absent))
  }
  if (nrow(newdata) == 0L) return(matrix(0, 0L, ncol(object$data)))
  newdata <- newdata[columns]
  for (text in names(encoding$levels)) { # a column that is NA throughout is logical
    if (all(is.na(newdata[[text]]))) newdata[[text]] <- as.character(newdata[[text]])
    if (!is_category(newdata[[text]])) {
      abort("column '", text, "' of 'newdata' must hold texts or a factor, as in the fit")
    }
  }
  x <- encode_table(
    newdata, with_fills(missing_values, object), "indicators", "newdata", encoding
  )$x
  rownames(x) <- rows
  x[, colnames(object$data), drop = FALSE]
}

indicator_names <- function(encoding) {
  unlist(Map(function(name, levels) paste0(name, "=", levels), names(encoding$levels), encoding$levels))
}

# New data as a matrix with the columns of the fit, in its order.
matching_matrix <- function(object, newdata, missing_values) {
  columns <- colnames(object$data)
  if (is.null(object$terms) && !is.null(object$encoding)) {
    return(encoded_newdata(object, newdata, missing_values))
  }
  if (is.null(object$terms)) with_fills(missing_values, object)
  if (!is.null(object$terms)) {
    frame <- matching_frame(object, newdata)
    if (nrow(frame) == 0L) return(matrix(0, 0L, length(columns)))
    if (missing_values == "fail") refuse_missing(missing_in_frame(frame), "'newdata'", "variable")
    if (!is.null(object$encoding)) {
      frame <- encode_frame(frame, with_fills(missing_values, object), object$encoding)$frame
    }
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
