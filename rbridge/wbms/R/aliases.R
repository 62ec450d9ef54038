# Other spellings of arguments, which are accepted: with points, as elsewhere in R, and as in kmeans().
aliases <- local({
  underscored <- c(
    "lambda_scale", "exclude_self", "max_iter", "n_jobs", "record_path", "n_subsets",
    "time_budget"
  )
  c(
    stats::setNames(underscored, gsub("_", ".", underscored, fixed = TRUE)),
    iter.max = "max_iter", na_action = "na.action"
  )
})

# Settings with those that were given by another spelling.
with_aliases <- function(settings, others, given) {
  for (other in names(others)) {
    name <- aliases[[other]]
    if (name %in% given) abort("'", other, "' is another name of '", name, "': give only one of them")
    settings[name] <- others[other]
  }
  settings
}

# Names of arguments without those that are only spelled in another way.
without_aliases <- function(names, known) {
  names[!(names %in% names(aliases) & aliases[names] %in% known)]
}

# Functions such as factoextra::fviz_nbclust() and cluster::clusGap() take a function of the data and the
# number of clusters, which they call FUNcluster.
called_for_k <- function(call) {
  if (is.null(call)) return(FALSE)
  identical(call[[1L]], quote(FUNcluster)) && length(call) > 2L && !nzchar(c(names(call), "", "", "")[[3L]])
}

# wbms(data, ~ a + b), as after a pipe.
refuse_formula_second <- function(h, name) {
  if (inherits(h, "formula")) {
    abort(
      "the formula comes first, then the data: ", name, "(", described(h), ", data = df); after a pipe, ",
      "name the data: df |> ", name, "(", described(h), ", data = _)"
    )
  }
}

# wbms(~ a + b, df, 0.1): the third argument of the formula method is subset, as in lm(), not h.
refuse_third <- function(call, name) {
  names <- names(call)
  if (is.null(names)) names <- rep("", length(call))
  unnamed <- sum(!nzchar(names[-1L])) + sum(c("x", "formula", "data") %in% names)
  if (unnamed > 2L) {
    abort(
      "with a formula, arguments after 'data' must be named: ", name,
      "(~ a + b, data = df, h = 0.1), or subset = for some of the rows"
    )
  }
}
