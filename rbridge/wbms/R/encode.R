# Factors and texts become indicator columns, and missing values are filled in. What the rows of a fit
# tell (levels, medians) is kept in the fit and applied to new rows.

is_category <- function(column) {
  is.factor(column) || is.character(column)
}

check_categories <- function(x) {
  check_choice(x, "categories", c("error", "indicators"))
}

# The levels that occur in a column, sorted by their codes, as in Python: neither the order of the rows
# nor that of the factor's levels matters.
seen_levels <- function(column) {
  sort(unique(enc2utf8(as.character(column[!is.na(column)]))), method = "radix")
}

# A category with more levels than this is no category but a text; Python has the same limit.
most_levels <- 1000L

refuse_many_levels <- function(levels, noun) {
  many <- Filter(function(found) length(found) > most_levels, levels)
  if (length(many)) {
    abort(
      noun, " '", names(many)[[1L]], "' has ", counted(length(many[[1L]])),
      " levels, each of which would become a column (at most ", counted(most_levels),
      "): leave it out, or join some of its levels"
    )
  }
}

# Sums of weights that differ by less, as a share, are equal: their order must not matter.
weight_rounding <- 1e-12

# The level of most rows, the first of several; NA if no row has one.
most_frequent <- function(column, levels, weights = NULL) {
  code <- match(enc2utf8(as.character(column)), levels)
  if (is.null(weights)) weights <- rep(1, length(code))
  total <- vapply(seq_along(levels), function(level) sum(weights[which(code == level)]), 0)
  if (!any(total > 0)) return(NA)
  levels[[which(total >= max(total) * (1 - weight_rounding))[[1L]]]]
}

# The median of the finite values, NA if there is none. Python takes half of each of the two in the
# middle as well, which cannot overflow.
middle <- function(values, weights = NULL) {
  if (is.null(weights)) weights <- rep(1, length(values))
  counts <- is.finite(values) & weights > 0
  if (!any(counts)) return(NA_real_)
  values <- values[counts]
  weights <- weights[counts]
  sorted <- order(values, weights)
  ends <- cumsum(weights[sorted])
  half <- ends[[length(ends)]] / 2
  places <- c(
    which(ends >= half * (1 - weight_rounding))[[1L]], which(ends > half * (1 + weight_rounding))[[1L]]
  )
  ends <- values[sorted][places]
  if (ends[[1L]] == ends[[2L]]) ends[[1L]] else ends[[1L]] / 2 + ends[[2L]] / 2
}

# A table as a double matrix with one indicator column per level of a category.
#
# 'known' is the encoding of the fit whose levels and medians are to be used; by default the rows of the
# table tell. Returns the matrix of all rows, which of them to use, the category of each column (0 for
# numbers), the number of values filled in, by column of the table, the encoding, and the checked weights
# of all rows.
encode_table <- function(x, missing_values, categories = "error", name = "x", known = NULL,
                         weights = NULL) {
  texts <- character()
  if (is.data.frame(x) && categories == "indicators" && !is.null(names(x))) {
    texts <- names(x)[vapply(x, is_category, NA)]
  }
  numbers <- x
  if (length(texts)) numbers[texts] <- rep(list(numeric(nrow(x))), length(texts))
  numbers <- numeric_matrix(numbers, name)
  weights <- check_row_weights(weights, numbers, missing_values)
  missing_in <- is.na(numbers)
  for (text in texts) missing_in[, text] <- is.na(x[[text]])
  if (missing_values == "fail") refuse_missing(missing_in, paste0("'", name, "'"))
  infinite <- is.infinite(numbers)
  if (missing_values == "fail") refuse_infinite(infinite, numbers, name)
  gaps <- missing_in | infinite
  kept <- missing_values != "omit" | rowSums(gaps) == 0L
  kept <- rep_len(kept, nrow(numbers))
  if (!is.null(weights)) kept <- kept & !is.na(weights)
  levels <- known$levels
  if (is.null(known)) levels <- lapply(x[texts], function(column) seen_levels(column[kept]))
  refuse_many_levels(levels, "column")
  fills <- known$fills
  if (missing_values == "impute") {
    if (is.null(fills)) fills <- fills_of(numbers, x, levels, weights)
    refuse_empty(fills, name)
    numbers <- filled_numbers(numbers, gaps, fills)
    for (text in texts) x[[text]] <- filled_texts(x[[text]], fills[[text]])
  }
  encoded <- with_indicators(numbers, x, levels, kept, name)
  c(encoded, list(
    kept = kept, encoding = if (length(levels) || !is.null(fills)) list(levels = levels, fills = fills),
    imputed = if (missing_values == "impute") colSums(gaps), weights = weights
  ))
}

# What a missing value of each column is replaced by.
fills_of <- function(numbers, x, levels, weights = NULL) {
  columns <- colnames(numbers)
  fills <- lapply(columns, function(column) {
    if (column %in% names(levels)) {
      most_frequent(x[[column]], levels[[column]], weights)
    } else {
      middle(numbers[, column], weights)
    }
  })
  stats::setNames(fills, columns)
}

refuse_empty <- function(fills, name) {
  empty <- names(fills)[vapply(fills, anyNA, NA)]
  if (length(empty)) {
    abort("no value at all in ", if (length(empty) == 1L) "column " else "columns ", quoted(empty),
          " of '", name, "': leave it out")
  }
}

filled_numbers <- function(numbers, gaps, fills) {
  for (column in colnames(numbers)[colSums(gaps) > 0L]) {
    if (is.numeric(fills[[column]])) numbers[gaps[, column], column] <- fills[[column]]
  }
  numbers
}

filled_texts <- function(column, fill) {
  column <- as.character(column)
  column[is.na(column)] <- fill
  column
}

# The matrix with the columns of categories replaced by their indicators.
with_indicators <- function(numbers, x, levels, kept, name) {
  groups <- rep(0L, ncol(numbers))
  if (!length(levels)) return(list(x = numbers, groups = groups))
  blocks <- lapply(colnames(numbers), function(column) {
    if (!column %in% names(levels)) return(numbers[, column, drop = FALSE])
    indicators_of(x[[column]], levels[[column]], kept, column, name)
  })
  group <- match(colnames(numbers), names(levels), nomatch = 0L)
  matrix <- do.call(cbind, blocks)
  rownames(matrix) <- rownames(numbers)
  if (anyDuplicated(colnames(matrix))) {
    twice <- unique(colnames(matrix)[duplicated(colnames(matrix))])
    abort("duplicated column names in '", name, "', indicators included: ", quoted(twice))
  }
  list(x = matrix, groups = rep(group, vapply(blocks, ncol, 0L)))
}

indicators_of <- function(column, levels, kept, label, name) {
  values <- enc2utf8(as.character(column))
  unknown <- setdiff(values[kept], c(levels, NA))
  if (length(unknown)) {
    abort("values of '", label, "' in '", name, "' that were not in the fit: ", quoted(unknown))
  }
  block <- outer(match(values, levels), seq_along(levels), `==`) + 0
  colnames(block) <- paste0(label, "=", levels)
  block
}

# The variables of a model frame as encode_table() prepares columns: with the levels that occur as
# factors, and, if asked for, without gaps. 'known' is the encoding of the fit, if there is one.
encode_frame <- function(frame, missing_values, known = NULL, weights = NULL) {
  gaps <- gaps_in_frame(frame)
  kept <- missing_values != "omit" | rowSums(gaps) == 0L
  kept <- rep_len(kept, nrow(frame))
  if (!is.null(weights)) kept <- kept & !is.na(weights)
  texts <- names(frame)[vapply(frame, is_category, NA)]
  levels <- known$levels
  if (is.null(known)) levels <- lapply(frame[texts], function(column) seen_levels(column[kept]))
  refuse_many_levels(levels, "variable")
  fills <- known$fills
  if (missing_values == "impute") {
    if (is.null(fills)) {
      fills <- Map(function(column, name) {
        if (name %in% texts) return(most_frequent(column, levels[[name]], weights))
        apply(as.matrix(column), 2L, middle, weights = weights)
      }, frame, names(frame))
    }
    refuse_empty(fills, "data")
    frame[] <- Map(filled_variable, frame, fills)
  }
  for (text in texts) {
    frame[[text]] <- factor(enc2utf8(as.character(frame[[text]])), levels[[text]])
  }
  list(
    frame = frame,
    encoding = if (length(levels) || !is.null(fills)) list(levels = levels, fills = fills),
    imputed = if (missing_values == "impute") colSums(gaps)
  )
}

filled_variable <- function(column, fill) {
  if (is_category(column)) return(filled_texts(column, fill))
  if (is.null(dim(column))) return(replace(column, !is.finite(column), fill))
  for (j in seq_along(fill)) column[!is.finite(column[, j]), j] <- fill[[j]]
  column
}

# Where the variables of a model frame, which may be matrices, are missing or infinite.
gaps_in_frame <- function(frame) {
  infinite <- vapply(frame, function(variable) {
    if (is.numeric(variable)) rowSums(is.infinite(as.matrix(variable))) > 0L else logical(nrow(frame))
  }, logical(nrow(frame)))
  missing_in_frame(frame) | matrix(infinite, nrow(frame))
}

# Which category each column of a design matrix indicates levels of: the terms made of categories only.
groups_of_design <- function(terms, frame, assign) {
  made_of <- attr(terms, "factors")
  categories <- vapply(frame, is_category, NA)[match(rownames(made_of), names(frame))]
  pure <- which(colSums((made_of > 0) & !categories) == 0L)
  match(assign, pure, nomatch = 0L)
}

# All indicators of a factor, called variable=level in a design matrix.
all_indicators <- function(frame) {
  lapply(Filter(is.factor, as.list(frame)), function(column) {
    k <- nlevels(column)
    matrix(diag(k), k, k, dimnames = list(levels(column), paste0("=", levels(column))))
  })
}

# The line about imputed values, if there are any.
imputed_text <- function(imputed) {
  found <- imputed[imputed > 0]
  if (length(found)) {
    sprintf(
      "Imputed values: %s (%s)", counted(sum(found)), some_of(paste(elided(names(found)), found), 6L)
    )
  }
}
