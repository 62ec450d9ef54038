# Checks of single arguments. Each returns the value to send to Python, or raises an error that names
# the argument.

check_positive <- function(x, name, auto = FALSE) {
  if (auto && identical(x, "auto")) return(x)
  if (!is_number(x) || !is.finite(x) || x <= 0) {
    abort(
      "'", name, "' must be a positive number", if (auto) " or \"auto\"", ", not ", described(x)
    )
  }
  as.double(x)
}

check_whole <- function(x, name, least) {
  if (!is_number(x) || !is.finite(x) || x != round(x) || x < least || x > .Machine$integer.max) {
    abort("'", name, "' must be a whole number of at least ", least, ", not ", described(x))
  }
  as.integer(x)
}

# The number of clusters to be found, or NULL.
check_k <- function(x) {
  if (is.null(x)) NULL else check_whole(x, "k", 1)
}

# The seconds that a choice of h and lambda may take, or NULL.
check_budget <- function(x) {
  if (is.null(x)) NULL else check_positive(x, "time_budget")
}

# The number of landmarks as Python is told of it.
check_landmarks <- function(x) {
  if (is.null(x)) return("none")
  if (identical(x, "auto")) x else check_whole(x, "landmarks", 2)
}

check_flag <- function(x, name) {
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    abort("'", name, "' must be TRUE or FALSE, not ", described(x))
  }
  as.logical(x)
}

check_choice <- function(x, name, choices) {
  if (!is.character(x) || length(x) != 1L || !x %in% choices) {
    abort("'", name, "' must be one of ", quoted(choices, length(choices)), ", not ", described(x))
  }
  as.character(x)
}

check_jobs <- function(x) {
  if (is.null(x)) return(NULL)
  if (!is_number(x) || !is.finite(x) || x != round(x) || x == 0) {
    abort("'n_jobs' must be NULL or a whole number other than 0, not ", described(x))
  }
  as.integer(x)
}

check_callback <- function(x) {
  if (!is.null(x) && !is.function(x)) abort("'callback' must be a function or NULL")
  x
}

# One positive number or several, or NULL.
check_values <- function(x, name) {
  if (is.null(x)) return(NULL)
  numbers <- is.numeric(x) && !is.factor(x) && is.null(dim(x))
  if (!numbers || !length(x) || !all(is.finite(x) & x > 0)) {
    abort("'", name, "' must be a positive number, several of them, or NULL, not ", described(x))
  }
  as.double(x)
}

# The weights at the start: the name of a kind, or numbers. Their number is checked with the data.
check_init <- function(x) {
  kinds <- c("auto", "uniform", "marginal")
  if (is.character(x) && length(x) == 1L && x %in% kinds) return(as.character(x))
  if (!is.numeric(x) || is.factor(x) || !is.null(dim(x)) || !length(x)) {
    abort(
      "'init' must be one of ", quoted(kinds, length(kinds)), ", or one number per column, not ",
      described(x)
    )
  }
  if (!all(is.finite(x) & x >= 0) || all(x == 0)) {
    abort("'init' must hold finite numbers of at least 0, not all of them 0, not ", described(x))
  }
  as.double(x)
}

check_init_length <- function(init, x) {
  if (is.numeric(init) && length(init) != ncol(x)) {
    abort(
      "'init' must have one number per column: it has ", counted(length(init), "number"), " for ",
      counted(ncol(x), "column")
    )
  }
}

check_join <- function(x) {
  if (identical(x, "auto")) return(x)
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    abort("'join' must be TRUE, FALSE or \"auto\", not ", described(x))
  }
  as.logical(x)
}

check_standardize <- function(x) {
  if (identical(x, "robust")) return(x)
  if (!is.logical(x) || length(x) != 1L || is.na(x)) {
    abort("'standardize' must be TRUE, FALSE or \"robust\", not ", described(x))
  }
  as.logical(x)
}

# The settings of the iteration, under their Python names.
check_iteration <- function(settings) {
  list(
    exclude_self = check_flag(settings$exclude_self, "exclude_self"),
    warmup = check_whole(settings$warmup, "warmup", 0),
    stop = check_choice(settings$stop, "stop", c("settled", "movement", "diameter", "fixed")),
    patience = check_whole(settings$patience, "patience", 1),
    tol = check_positive(settings$tol, "tol"),
    max_iter = check_whole(settings$max_iter, "max_iter", 1),
    eps = check_positive(settings$eps, "eps"),
    standardize = check_standardize(settings$standardize),
    merge = check_flag(settings$merge, "merge"),
    init = check_init(settings$init),
    join = check_join(settings$join)
  )
}

is_number <- function(x) {
  is.numeric(x) && !is.factor(x) && length(x) == 1L && !is.na(x)
}

# Any value as text for a message.
described <- function(x) {
  text <- paste(deparse(x, width.cutoff = 60L, nlines = 1L), collapse = "")
  if (nchar(text) > 60L) paste0(substr(text, 1L, 57L), "...") else text
}
