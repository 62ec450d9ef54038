test_that("a fit has exactly k clusters, or there is an error", {
  needs_python()
  for (k in 1:3) {
    fit <- iris_fit(k = k)
    expect_length(fit$size, k)
    expect_identical(dim(fit$centers), c(k, 4L))
    expect_identical(fit$reached_by, if (k == 3L) "fit" else "tree")
    expect_output(print(fit), paste0("k = ", k, ": "))
    expect_output(print(summary(fit)), paste0("k = ", k, ": "))
    expect_identical(predict(fit, iris[, 1:4]), fit$cluster)
  }
  expect_error(iris_fit(k = 77), "exactly 77 clusters; the nearest have", class = "wbms_error")
  expect_error(iris_fit(k = 0), "'k' must be a whole number of at least 1, not 0")
  expect_error(iris_fit(k = c(2, 3)), "'k' must be a whole number")
  expect_error(iris_fit(k = NA), "'k' must be a whole number")
  expect_null(iris_fit()$reached)
  released <- wbms(iris[, 1:4], 0.05, 10, form = "released", k = 2)
  expect_length(released$size, 2L)
})

test_that("other partitions are fits like any other", {
  needs_python()
  x <- iris[1:4]
  x[3, 2] <- NA
  fit <- wbms(x, h = 0.05, lambda = 0.1, na.action = na.omit)
  other <- at(fit, 2)
  expect_s3_class(other, "wbms")
  expect_setequal(names(fit), setdiff(names(other), c("terms", "xlevels", "contrasts", "variables")))
  expect_length(other$size, 2L)
  expect_identical(is.na(other$cluster), is.na(fit$cluster))
  expect_identical(names(other$cluster), names(fit$cluster))
  expect_identical(other$na.action, fit$na.action)
  expect_identical(other$call, quote(at(x = fit, k = 2)))
  expect_true(all(wbms_theory(other)$holds))
  draws(plot(other, "tree"))

  by_formula <- wbms(~ Petal.Length + Petal.Width, data = iris, h = 0.05, lambda = 0.1)
  other <- at(by_formula, 2)
  expect_identical(unname(predict(other, iris[1:2, ])), unname(other$cluster[1:2]))
  expect_identical(formula(other), formula(by_formula))
})

test_that("layers are partitions that at() returns", {
  needs_python()
  fit <- iris_fit()
  found <- layers(fit)
  expect_s3_class(found, "data.frame")
  expect_named(found, c("k", "lifetime", "h", "lambda", "stability", "source", "own"))
  expect_false(is.unsorted(found$k))
  expect_identical(found$k[found$own], length(fit$size))
  expect_true(all(found$lifetime >= 1 | found$own))
  for (k in found$k) expect_length(at(fit, k)$size, k)
  expect_error(layers(fit, 2), "unknown argument")
  expect_error(at(1, 2), "no applicable method")
})

test_that("a cut inside a tie separates what was farther apart", {
  needs_python()
  set.seed(1)
  x <- matrix(rnorm(600), 300)
  tree <- as.hclust(wbms(x, h = 0.5, lambda = 0.1, tree = TRUE))
  expect_false(is.unsorted(tree$height))
  expect_identical(tabulate(cutree(tree, 4)), rev(sort(tabulate(cutree(tree, 4)))))
  expect_gt(max(tabulate(cutree(tree, 4))), 250L) # one cloud, and rows at its rim
})
