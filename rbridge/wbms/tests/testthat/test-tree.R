partition <- function(cluster) {
  match(cluster, unique(cluster))
}

test_that("cut into the fit's number of clusters, the tree gives its clusters", {
  needs_python()
  for (h in c(0.02, 0.05, 0.3)) {
    fit <- wbms(iris[, 1:4], h = h, lambda = 0.1, tree = TRUE)
    tree <- as.hclust(fit)
    expect_identical(partition(cutree(tree, k = length(fit$size))), partition(fit$cluster))
    expect_identical(partition(cutree(tree, h = log1p(fit$iter))), partition(fit$cluster))
    expect_false(is.unsorted(tree$height))
    expect_true(all(tree$height >= 0))
  }
  without <- wbms(iris[, 1:4], h = 0.3, lambda = 0.1)
  expect_null(without$tree)
  same <- setdiff(names(without), c("call", "tree", "state"))
  expect_identical(fit[same], without[same])
})

test_that("the tree works like the result of hclust", {
  needs_python()
  fit <- wbms(mtcars, h = 0.1, lambda = 0.1, tree = TRUE)
  tree <- as.hclust(fit)
  usual <- stats::hclust(stats::dist(mtcars))
  expect_s3_class(tree, "hclust")
  expect_identical(names(tree), names(usual))
  expect_identical(lapply(unclass(tree), typeof)[1:4], lapply(unclass(usual), typeof)[1:4])
  expect_identical(dim(tree$merge), dim(usual$merge))
  expect_identical(tree$labels, rownames(mtcars))
  expect_setequal(tree$order, 1:32)
  expect_output(print(tree), "coalescence")
  # R's own conversion from a dendrogram back to a tree agrees.
  dendrogram <- stats::as.dendrogram(fit)
  expect_s3_class(dendrogram, "dendrogram")
  expect_identical(stats::order.dendrogram(dendrogram), tree$order)
  expect_equal(stats::cophenetic(dendrogram)[1:496], {
    first <- attr(stats::cophenetic(dendrogram), "Labels")
    stats::as.dist(as.matrix(stats::cophenetic(tree))[first, first])[1:496]
  })
  draws({
    plot(tree)
    stats::rect.hclust(tree, k = 2)
  })
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(dendrogram)
})

test_that("omitted rows are not in the tree", {
  needs_python()
  x <- airquality[, 1:4]
  fit <- wbms(x, h = 0.1, lambda = 0.1, na.action = na.omit, tree = TRUE)
  tree <- as.hclust(fit)
  expect_identical(tree$labels, rownames(stats::na.omit(x)))
  kept <- fit$cluster[!is.na(fit$cluster)]
  expect_identical(partition(cutree(tree, length(fit$size))), partition(kept))
})

test_that("a saved fit keeps the tree, and needs no Python for it", {
  needs_python()
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1, tree = TRUE)
  saveRDS(fit, file)
  expect_identical(as.hclust(readRDS(file)), as.hclust(fit))
  done <- run_r(
    c(
      sprintf("fit <- readRDS('%s')", file), "library(wbms)", "pdf(NULL)", "plot(fit, 'tree')",
      "stopifnot(identical(max(cutree(as.hclust(fit), length(fit$size))), length(fit$size)))"
    ),
    env = "WBMS_PYTHON=/nonexistent/python"
  )
  expect_identical(done$status, 0L)
})

test_that("forms, callbacks and equal rows", {
  needs_python()
  swapping <- wbms(rbind(c(0, 0), c(1, 2)), 0.1, 10, form = "released", tree = TRUE)
  expect_equal(as.hclust(swapping)$height, log1p(35))
  ended <- iris_fit(tree = TRUE, callback = function(state) state$iteration == 2)
  expect_false(all(ended$tree$observed))
  expect_true(all(iris_fit(tree = TRUE)$tree$observed))
  same <- wbms(matrix(1, 4, 2), 0.1, 1, tree = TRUE)
  expect_identical(same$tree$height, c(0, 0, 0))
})

test_that("invalid requests are errors", {
  expect_error(as.hclust(toy_fit()), "tree = TRUE", class = "wbms_error")
  expect_error(stats::as.dendrogram(toy_fit()), "tree = TRUE", class = "wbms_error")
  expect_error(as.hclust(toy_tree(), k = 2), "unknown argument", class = "wbms_error")
  draws(expect_error(plot(toy_fit(), "tree"), "tree = TRUE", class = "wbms_error"))
  draws(expect_error(plot(toy_tree(), "tree", leaves = 0), "'leaves'", class = "wbms_error"))
  needs_python()
  expect_error(iris_fit(tree = NA), "'tree' must be TRUE or FALSE", class = "wbms_error")
  one <- wbms(matrix(1:3, 1), 0.1, 1, tree = TRUE)
  expect_error(as.hclust(one), "at least two rows", class = "wbms_error")
  draws(plot(one, "tree"))
})

test_that("the tree is laid out leaf by leaf", {
  fit <- toy_tree()
  layout <- tree_layout(fit$tree, 5L, c(2L, 2L, 1L, 1L, 1L))
  expect_identical(layout$members, list(3L, 4L, 5L, 1L, 2L))
  expect_identical(nrow(layout$lines), 12L)
  across <- layout$lines[layout$lines$x0 != layout$lines$x1, ]
  expect_identical(across$y0, fit$tree$height)
  expect_identical(across$cluster, c(1, 2, 1, 0))
  expect_identical(layout$root, mean(c(mean(c(1.5, 3)), 4.5)))
  two <- tree_layout(fit$tree, 2L, c(2L, 2L, 1L, 1L, 1L))
  expect_identical(two$members, list(3:5, 1:2))
  expect_identical(leaf_names(fit, two$members, c(2L, 2L, 1L, 1L, 1L)), c("1 (3)", "2 (2)"))
  expect_identical(tree_layout(fit$tree, 1L, c(2L, 2L, 1L, 1L, 1L))$members, list(1:5))
})

test_that("merges at the same height are shown together", {
  expect_identical(number_of_leaves(c(0.5, 1.5, 1.5), 1L), 1L)
  expect_identical(number_of_leaves(c(0.5, 1.5, 1.5), 2L), 1L)
  expect_identical(number_of_leaves(c(0.5, 1.5, 1.5), 3L), 3L)
  expect_identical(number_of_leaves(c(0.5, 1.5, 1.5), 9L), 4L)
  expect_identical(number_of_leaves(double(), 9L), 1L)
})

test_that("the axis shows iterations", {
  for (highest in c(0.5, 3, 16, 40, 900, 1e5, 1e299)) {
    marks <- iteration_marks(highest)
    expect_lte(length(marks$at), 9)
    expect_identical(length(marks$at), length(marks$labels))
    expect_true(!is.unsorted(marks$at) && max(marks$at) <= highest)
  }
  expect_equal(iteration_marks(5)$at, log1p(c(0, 1, 10, 100)))
})

test_that("the tree is drawn at all sizes", {
  for (size in list(c(7, 5), c(10, 4), c(4, 7), c(1.2, 1))) {
    draws(expect_invisible(plot(toy_tree(), "tree")), size[[1L]], size[[2L]])
    draws(plot(toy_tree(), "tree", leaves = 2, main = "A title", col = "red"), size[[1L]], size[[2L]])
  }
  needs_python()
  many <- wbms(
    cbind(sin(1:300), cos(1:300 * sqrt(2))),
    h = 0.001, lambda = 1, tree = TRUE, callback = function(state) state$iteration == 6
  )
  draws(plot(many, "tree"))
  draws(plot(many, "tree", leaves = 300), width = 12)
})
