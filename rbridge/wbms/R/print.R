#' Print a fit
#'
#' Prints the number of clusters, the size of the data, `h` and `lambda`, whether the fit converged, the
#' sizes of the clusters and the heaviest columns. If `h` and `lambda` were chosen,
#' the confidence in the clusters is shown, and if the choice is uncertain, the other pairs that are
#' nearly as good are named.
#'
#' @param x a fit of [wbms()].
#' @param digits number of significant digits.
#' @param ... not used.
#' @return `x`, invisibly.
#' @seealso [summary.wbms()]
#' @examplesIf wbms::wbms_available()
#' print(wbms(iris[, 1:4], h = 0.05, lambda = 0.1))
#' @export
print.wbms <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  heaviest <- x$weights[heaviest_first(x)]
  lines <- c(
    headline(x, digits), x[["landmarks"]]$text, reached_text(x), confidence_text(x$confidence), nothing_found(x), "",
    paste("Cluster sizes:", some_of(vapply(x$size, counted, ""), 12L)),
    paste("Heaviest columns:", heaviest_text(heaviest, 6L)),
    labelled_text(labelled_rows(x)), omission(x$na.action), imputed_text(x$imputed), ""
  )
  writeLines(strwrap(lines, exdent = 2L))
  note <- choice_note(x)
  if (length(note)) writeLines(c(note, ""))
  writeLines(strwrap(paste0(
    "See summary(fit), plot(fit), predict(fit, newdata), fit$cluster and the other fields that names(fit) lists."
  ), exdent = 2L))
  invisible(x)
}

# How the number of clusters that was asked for was reached, if one was.
reached_text <- function(x) x[["reached"]]

# The first of some weights with their names, and how many more there are.
heaviest_text <- function(weights, limit) {
  shown <- utils::head(weights, limit)
  texts <- paste(elided(names(shown)), weight_text(shown))
  some_of(c(texts, rep("", length(weights) - length(shown))), limit)
}

# How right the clusters can be expected to be, if that is known.
confidence_text <- function(confidence) {
  if (is.null(confidence)) return(NULL)
  sprintf(
    "Confidence: %s (expected agreement with the truth %s)", confidence$word,
    decimal(confidence$expected, 2L)
  )
}

# Caveats about a choice of h and lambda that gave several clusters, as lines.
choice_note <- function(x) {
  note <- x$choice$note
  if (is.null(note) || !nzchar(note) || n_clusters(x) == 1L) return(NULL)
  note_lines(note)
}

# A note, wrapped; indented lines stay indented.
note_lines <- function(note) {
  lines <- strsplit(note, "\n", fixed = TRUE)[[1L]]
  indent <- ifelse(startsWith(lines, " "), 2L, 0L)
  unlist(Map(function(line, indent) {
    strwrap(line, indent = indent, exdent = indent + 2L)
  }, lines, indent), use.names = FALSE)
}

# For a fit or its summary.
n_clusters <- function(x) {
  if (is.null(x$size)) nrow(x$clusters) else length(x$size)
}

# The first two lines: what was found, and how.
headline <- function(x, digits) {
  c(
    sprintf(
      "Weighted Blurring Mean Shift: %s in %s x %s", counted(length(x$size), "cluster"),
      counted(nrow(x$data), "row"), counted(length(x$weights), "column")
    ),
    sprintf(
      "h = %s, lambda = %s%s; %s after %s", brief(x$h, digits), brief(x$lambda, digits),
      chosen_from_data(x), convergence_text(x),
      counted(x$iter, "iteration")
    )
  )
}

# Whether h and lambda were chosen from the data, or which of them.
chosen_from_data <- function(x) {
  if (is.null(x$selection)) return("")
  one <- if (length(x$choice$chosen) == 1L) paste0(x$choice$chosen, " ")
  paste0(" (", one, "chosen from the data)")
}

# The explanation of a single cluster, if h was searched for.
nothing_found <- function(x) {
  if (n_clusters(x) == 1L && !is.null(x$selection)) {
    reason <- "No clusters were found: no partition into several clusters was stable, so all rows form one."
    c(if (is.null(x$choice)) reason else x$choice$reason, where_to_look)
  }
}

# What to do when the answer is a single cluster.
where_to_look <- paste(
  "To look closer: plot(fit, \"selection\") shows all pairs that were tried, layers(fit) the partitions that live",
  "longest, and wbms(x, k = 2) finds the best one with two clusters."
)

convergence_text <- function(x) {
  sprintf("%s by the rule \"%s\"", if (x$converged) "converged" else "not converged", x$params$stop)
}

omission <- function(left_out) {
  if (length(left_out)) paste("Rows left out (missing values):", counted(length(left_out)))
}

# Positions of the columns by decreasing weight, equal weights in column order.
heaviest_first <- function(x) {
  order(-x$weights)
}

# A count with its noun: 1 row, 2 rows, 1,000 rows.
counted <- function(n, noun = NULL) {
  # If the decimal mark is a comma, the thousands separator is a point.
  comma <- identical(getOption("OutDec"), ",")
  number <- format(
    n, big.mark = if (comma) "." else ",", decimal.mark = if (comma) "," else ".", trim = TRUE,
    scientific = FALSE
  )
  if (is.null(noun)) number else paste0(number, " ", noun, if (n == 1) "" else "s")
}

# The first few strings, and how many more there are.
some_of <- function(texts, limit) {
  more <- length(texts) - limit
  toString(c(utils::head(texts, limit), if (more > 0L) paste("...", counted(more), "more")))
}

# A number with the given number of decimals.
decimal <- function(number, digits) {
  formatC(number, digits = digits, format = "f", width = 1L)
}

brief <- function(number, digits) {
  formatC(number, digits = digits, format = "g", width = 1L)
}

# One of several choices, which may be abbreviated; the first by default.
check_kind <- function(x, name, choices) {
  if (identical(x, choices)) return(choices[[1L]])
  found <- if (is.character(x) && length(x) == 1L) pmatch(x, choices) else NA
  if (is.na(found)) check_choice(x, name, choices) else choices[[found]]
}
