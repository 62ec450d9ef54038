#' Write a fit as a page for readers who do not code
#'
#' The page is one HTML file that needs no network. It tells what was found, how certain that is and
#' what the alternatives are; it shows the clusters, weights and profiles, the collapse of the cloud as
#' an animation, the other pairs (h, lambda), the merge tree with a cut that can be dragged, outliers
#' and the checks of the theorems, and says how to get the result again. Of many rows a part is drawn,
#' which the page says.
#'
#' @param fit a fit of [wbms()].
#' @param path the file, such as `"report.html"`. An existing one is replaced as a whole, or stays as it
#'   is if the new one cannot be written.
#' @param title the title of the page; by default the number of clusters and the size of the table.
#' @return The path, invisibly.
#' @seealso [wbms_save()] for a file that can be read again.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' path <- tempfile(fileext = ".html")
#' wbms_report(fit, path, title = "Three flowers")
#' file.size(path) < 3e6
#' @export
wbms_report <- function(fit, path, title = NULL) {
  check_stored(fit, "report it")
  path <- check_path(path)
  if (!is.null(title) && !(is.character(title) && length(title) == 1L && !is.na(title))) {
    abort("'title' must be a text, not ", described(title))
  }
  py_call("report", path, held_fit(fit), title)
  invisible(path)
}
