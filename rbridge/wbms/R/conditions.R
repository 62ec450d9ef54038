# Raises an error of this package: its class lets callers catch it, its message names the argument.
abort <- function(..., call = NULL, class = character(), fields = list()) {
  condition <- c(list(message = paste0(...), call = call), fields)
  stop(structure(condition, class = c(class, "wbms_error", "error", "condition")))
}

# Turns the outcome of a call to Python into R conditions: warnings first, then the value or error.
resolve <- function(outcome, call) {
  if (is.null(outcome)) {
    abort("the call to Python failed; the console may show why", call = call)
  }
  if (outcome$kind == "jump") .Call(C_go_on) # on to a handler or restart, out of a callback
  if (outcome$kind == "interrupt") {
    if (outcome$r_handles) {
      .Call(C_interrupt)
    } else { # a Python that embeds R handles it: R itself signals no interrupt then
      signalCondition(structure(list(), class = c("interrupt", "condition")))
    }
    # Reached only if no handler caught it, or if R code has suspended interrupts.
    abort("interrupted", call = call, class = "wbms_interrupt")
  }
  for (i in seq_along(outcome$warnings)) {
    warning(structure(
      list(message = in_r_terms(outcome$warnings[[i]]), call = call),
      class = c(paste0("python_", outcome$warning_classes[[i]]), "wbms_warning", "warning", "condition")
    ))
  }
  if (outcome$kind == "error") {
    abort(
      in_r_terms(outcome$message),
      call = call, class = paste0("python_", outcome$classes),
      fields = list(python_class = outcome$classes[[1L]], python_traceback = outcome$traceback)
    )
  }
  outcome$value
}

# Replaces Python's names of arguments and values in a message by R's.
in_r_terms <- function(text) {
  text <- gsub("\\blam\\b", "lambda", text)
  text <- gsub("\\blam_scale\\b", "lambda_scale", text)
  text <- gsub("\\bTrue\\b", "TRUE", text)
  gsub("\\bFalse\\b", "FALSE", text)
}

# Names for a message: quoted, and only the first few of many.
quoted <- function(names, limit = 5L) {
  shown <- paste0("'", utils::head(names, limit), "'", collapse = ", ")
  more <- length(names) - limit
  if (more > 0L) paste(shown, "and", more, "more") else shown
}
