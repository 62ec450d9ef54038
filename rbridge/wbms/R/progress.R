# Progress of calls that last, from Python's description of where it is: a text, and the share that is
# done at least, if that is known.

# A function that shows progress, and one that ends it; NULL if none is wanted.
progress_display <- function() {
  kind <- progress_kind(getOption("wbms.progress", interactive()))
  if (is.null(kind)) return(NULL)
  bar <- switch(kind, cli = cli_bar(), progressr = progressr_bar(), text_bar())
  begun <- proc.time()[["elapsed"]]
  shown <- FALSE
  list(
    show = function(state) {
      # A fit that is soon over shows nothing.
      shown <<- shown || proc.time()[["elapsed"]] - begun > getOption("wbms.progress_after", 2)
      if (shown) bar$show(state$text, state$share)
      FALSE
    },
    end = function() if (shown) bar$end()
  )
}

# How to show progress: "cli", "progressr", "text", or NULL for not at all.
progress_kind <- function(wanted) {
  kinds <- c("cli", "progressr", "text")
  if (isFALSE(wanted) || is.null(wanted)) return(NULL)
  if (!isTRUE(wanted)) return(check_choice(wanted, "options(wbms.progress)", kinds))
  if (isNamespaceLoaded("progressr")) return("progressr")
  if (requireNamespace("cli", quietly = TRUE)) "cli" else "text"
}

cli_bar <- function() {
  id <- NULL
  list(
    show = function(text, share) {
      if (is.null(id)) {
        id <<- cli::cli_progress_bar(
          format = "{cli::pb_spin} {cli::pb_extra$text} [{cli::pb_elapsed}]", total = NA,
          extra = list(text = text), clear = TRUE, .auto_close = FALSE
        )
      }
      cli::cli_progress_update(id = id, extra = list(text = text), force = TRUE)
    },
    end = function() if (!is.null(id)) cli::cli_progress_done(id = id)
  )
}

# Signals conditions that progressr::with_progress() shows in its own way.
progressr_bar <- function() {
  steps <- 100
  done <- 0
  progressor <- getExportedValue("progressr", "progressor")
  tell <- progressor(steps = steps, on_exit = FALSE)
  list(
    show = function(text, share) {
      now <- if (is.null(share)) done else max(done, floor(steps * share))
      tell(message = text, amount = now - done)
      done <<- now
    },
    end = function() tell(type = "finish")
  )
}

text_bar <- function() {
  bar <- NULL
  list(
    show = function(text, share) {
      if (is.null(share)) {
        cat("\r", formatC(text, width = -getOption("width", 80L) + 1L), sep = "", file = stderr())
      } else {
        if (is.null(bar)) bar <<- utils::txtProgressBar(style = 3L, file = stderr())
        utils::setTxtProgressBar(bar, share)
      }
    },
    end = function() if (is.null(bar)) cat("\n", file = stderr()) else close(bar)
  )
}
