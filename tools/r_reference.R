# Make the reference of the R package with pkgdown, without a network.
# usage: Rscript r_reference.R PACKAGE SITE FOLDER
# PACKAGE is the source, SITE has pkgdown's settings and templates, FOLDER gets the pages. The
# examples are executed: the package must be in R's library.
arguments <- commandArgs(TRUE)
source <- file.path(tempfile(), "wbms")
dir.create(source, recursive = TRUE)
invisible(file.copy(list.files(arguments[[1]], full.names = TRUE), source, recursive = TRUE))
invisible(file.copy(arguments[[2]], source, recursive = TRUE))
invisible(file.rename(file.path(source, "pkgdown", "_pkgdown.yml"), file.path(source, "_pkgdown.yml")))
# Articles are pages of the site already.
unlink(file.path(source, "vignettes"), recursive = TRUE)

folder <- file.path(normalizePath(dirname(arguments[[3]])), basename(arguments[[3]]))
package <- pkgdown::as_pkgdown(source, override = list(destination = folder))
# It tells of each page.
invisible(utils::capture.output(suppressMessages({
  pkgdown::init_site(package)
  pkgdown::build_reference(package, examples = TRUE, lazy = FALSE, devel = FALSE, preview = FALSE)
})))
