# tidyclust and modelenv are not needed for these tests: stand-ins take their place.

test_that("clusters are factors named as in tidyclust", {
  fit <- toy_fit()
  found <- tidyclust_assignment(fit)
  expect_named(found, ".cluster")
  expect_identical(levels(found$.cluster), c("Cluster_1", "Cluster_2"))
  expect_identical(as.integer(found$.cluster), unname(fit$cluster))
  expect_identical(levels(tidyclust_assignment(fit, prefix = "C")$.cluster), c("C1", "C2"))
  expect_identical(levels(tidyclust_assignment(fit, labels = c("one", "two"))$.cluster), c("one", "two"))
  expect_error(tidyclust_assignment(fit, labels = "one"), "must name 2 clusters", class = "wbms_error")
})

test_that("the summary of a fit has what extract_fit_summary() returns", {
  needs_python()
  fit <- iris_fit()
  found <- tidyclust_summary(fit)
  expect_named(found, c(
    "cluster_names", "centroids", "n_members", "sse_within_total_total", "sse_total", "orig_labels",
    "cluster_assignments"
  ))
  expect_identical(as.character(found$cluster_names), paste0("Cluster_", seq_along(fit$size)))
  expect_identical(as.matrix(found$centroids), unname(fit$centers), ignore_attr = TRUE)
  expect_identical(found$n_members, unname(fit$size))
  expect_identical(found$sse_within_total_total, fit$withinss)
  expect_identical(found$sse_total, fit$totss)
  expect_identical(as.integer(found$cluster_assignments), found$orig_labels)
})

test_that("the engine fits and predicts", {
  needs_python()
  fit <- .mean_shift_fit_wbms(iris[, 1:4], bandwidth = sqrt(0.05), lambda = 0.1)
  expect_identical(fit$cluster, wbms(iris[, 1:4], h = sqrt(0.05)^2, lambda = 0.1)$cluster)
  expect_identical(
    as.character(.mean_shift_predict_wbms(fit, iris[c(1, 51), ])),
    paste0("Cluster_", fit$cluster[c(1, 51)])
  )
  expect_error(.mean_shift_fit_wbms(iris[, 1:4], bandwidth = -1), "'bandwidth'", class = "wbms_error")
  expect_identical(.mean_shift_fit_wbms(iris[, 3:4])$cluster, wbms(iris[, 3:4])$cluster)
})

test_that("the engine is registered as modelenv asks for", {
  told <- list()
  register_engine(function(name) function(...) told[[name]] <<- list(...))
  expect_setequal(
    names(told),
    c("set_model_engine", "set_dependency", "set_fit", "set_encoding", "set_model_arg", "set_pred")
  )
  for (given in told) {
    expect_identical(given$model, "mean_shift")
    expect_identical(given$eng, "wbms")
  }
  for (func in list(told$set_fit$value$func, told$set_pred$value$func)) {
    expect_true(is.function(getExportedValue(func[["pkg"]], func[["fun"]])))
  }
  protected <- told$set_fit$value$protect
  expect_true(all(protected %in% names(formals(.mean_shift_fit_wbms))))
  expect_true(all(names(told$set_pred$value$args) %in% names(formals(.mean_shift_predict_wbms))))
})

test_that("loading tidyclust registers methods, and the engine where there is mean_shift()", {
  skip_if(nzchar(system.file(package = "tidyclust")), "tidyclust is installed")
  done <- run_r("
    package <- function(name, code, exports) {
      folder <- file.path(tempdir(), 'sources', name)
      dir.create(file.path(folder, 'R'), recursive = TRUE)
      writeLines(c(paste('Package:', name), 'Version: 1.0', 'Title: A', 'Description: B.',
                   'License: GPL-2', 'Author: C', 'Maintainer: C <c@d.org>'), file.path(folder, 'DESCRIPTION'))
      writeLines(paste0('export(', exports, ')'), file.path(folder, 'NAMESPACE'))
      writeLines(code, file.path(folder, 'R', 'code.R'))
      library <- file.path(tempdir(), 'library')
      dir.create(library, showWarnings = FALSE)
      utils::install.packages(folder, library, repos = NULL, type = 'source', quiet = TRUE)
      .libPaths(c(library, .libPaths()))
    }
    verbs <- c('set_model_engine', 'set_dependency', 'set_fit', 'set_encoding', 'set_model_arg', 'set_pred')
    package('modelenv', c('told <- new.env()', 'heard <- function() sort(ls(told))', sprintf(
      '%s <- function(...) assign(\"%s\", list(...), told)', verbs, verbs
    )), c('heard', verbs))
    package('tidyclust', c(
      'extract_fit_summary <- function(object, ...) UseMethod(\"extract_fit_summary\")',
      'extract_cluster_assignment <- function(object, ...) UseMethod(\"extract_cluster_assignment\")',
      'mean_shift <- function() NULL'
    ), c('extract_fit_summary', 'extract_cluster_assignment', 'mean_shift'))
    loadNamespace('wbms')
    stopifnot(!isNamespaceLoaded('tidyclust'), !isNamespaceLoaded('modelenv'))
    loadNamespace('tidyclust')
    stopifnot(identical(modelenv::heard(), sort(verbs)))
    fit <- structure(list(cluster = c(2L, 1L, 1L), size = 2:1), class = 'wbms')
    found <- tidyclust::extract_cluster_assignment(fit)$.cluster
    stopifnot(identical(as.character(found), c('Cluster_2', 'Cluster_1', 'Cluster_1')))
  ")
  expect_identical(done$status, 0L, info = done$said)
})
