test_that("rows that were clustered get their own cluster", {
  needs_python()
  fit <- iris_fit()
  expect_identical(predict(fit, iris), fit$cluster)
  expect_identical(predict(fit), fit$cluster)
  expect_error(predict(fit, NULL), "'newdata' is NULL", class = "wbms_error")
  expect_error(predict(fit, newx = iris), "unknown argument: 'newx'", class = "wbms_error")
  expect_identical(predict(fit, as.matrix(iris[, 1:4]), n_jobs = 2), unname(fit$cluster))
})

test_that("a new row gets the cluster of the nearest row in the learned distance", {
  needs_python()
  fit <- iris_fit()
  set.seed(1)
  new <- matrix(rnorm(80, fit$data[sample(150, 20), ], 0.5), 20L)
  z <- function(x) x / rep(fit$scale, each = nrow(x)) * rep(sqrt(fit$weights), each = nrow(x))
  squares <- outer(rowSums(z(new)^2), rowSums(z(fit$data)^2), "+") - 2 * z(new) %*% t(z(fit$data))
  expect_identical(predict(fit, new), unname(fit$cluster[apply(squares, 1L, which.min)]))
})

test_that("columns are matched by name, further ones are ignored", {
  needs_python()
  fit <- iris_fit()
  new <- iris[c(1, 51, 101), ]
  expected <- fit$cluster[c("1", "51", "101")]
  expect_identical(predict(fit, new[, 5:1]), expected)
  expect_identical(predict(fit, cbind(new, extra = letters[1:3])), expected)
  expect_identical(predict(fit, unname(as.matrix(new[, 1:4]))), unname(expected))
  expect_identical(predict(fit, fit$data[51, ]), unname(expected[2]))
  skip_if_not_installed("tibble")
  expect_identical(unname(predict(fit, tibble::as_tibble(new))), unname(expected))
})

test_that("columns that are missing, or not numeric, are named", {
  needs_python()
  fit <- iris_fit()
  refused <- function(newdata, pattern, ...) {
    expect_error(predict(fit, newdata, ...), pattern, class = "wbms_error")
  }
  refused(iris[, 2:4], "column missing from 'newdata': 'Sepal.Length'")
  refused(matrix(1, 2L, 3L), "'newdata' must have 4 columns, not 3")
  refused(transform(iris, Sepal.Width = "a"), "'Sepal.Width' \\(character\\)")
  refused("a", "'newdata' must be")
  refused(iris[1:2, ], "'n_jobs'", n_jobs = "two")
})

test_that("missing values are treated as in the fit unless told otherwise", {
  needs_python()
  new <- iris[1:3, 1:4]
  new[2, 3] <- NA
  fit <- iris_fit()
  expect_error(predict(fit, new), "'Petal.Length' of 'newdata'", class = "wbms_error")
  expected <- replace(fit$cluster[1:3], 2L, NA)
  expect_identical(predict(fit, new, na.action = na.pass), expected)
  expect_identical(predict(fit, new, na.action = na.omit), expected)
  left_out <- iris_fit(rbind(iris[, 1:4], NA), na.action = na.omit)
  expect_identical(predict(left_out, new), expected)
  expect_identical(predict(iris_fit(na.action = na.omit), new), expected)
  none <- c("2" = NA_integer_)
  for (action in list(na.omit, na.pass, "na.exclude")) {
    expect_identical(predict(fit, new[2, ], na.action = action), none)
  }
  expect_error(predict(fit, iris, na.action = mean), "'na.action' must be", class = "wbms_error")
  new[3, 1] <- Inf
  expect_identical(predict(left_out, new), replace(expected, 3L, NA))
  expect_error(predict(fit, new[3, ]), "infinite values in column 'Sepal.Length'", class = "wbms_error")
})

test_that("an empty table gives an empty result", {
  needs_python()
  expect_length(predict(iris_fit(), iris[0, ]), 0L)
})

test_that("formulas are applied to new data", {
  needs_python()
  fit <- wbms(~ log(Sepal.Length) + Species, data = iris, h = 0.05, lambda = 0.1)
  expect_identical(predict(fit, iris), fit$cluster)
  expect_identical(predict(fit, iris[51, ]), fit$cluster["51"])
  expect_identical(predict(fit, iris[c(120, 3), 5:1]), fit$cluster[c("120", "3")])
  text <- transform(iris[c(1, 60), ], Species = as.character(Species))
  expect_identical(predict(fit, text), fit$cluster[c("1", "60")])
  unknown <- transform(iris[1, ], Species = "germanica")
  expect_error(predict(fit, unknown), "of 'Species'.*not in the fit: 'germanica'", class = "wbms_error")
})

test_that("one column can be predicted from a vector", {
  needs_python()
  fit <- iris_fit(iris$Petal.Length)
  expect_identical(predict(fit, iris$Petal.Length), fit$cluster)
  expect_identical(predict(fit, 1.4), fit$cluster[[1]])
})

test_that("new data for a formula are checked by name", {
  needs_python()
  fit <- wbms(~ Sepal.Length + log(Petal.Length) + Species, iris, h = 0.05, lambda = 0.1)
  refused <- function(newdata, pattern, ...) {
    expect_error(predict(fit, newdata, ...), pattern, class = "wbms_error")
  }
  Species <- iris$Species # not to be found
  refused(iris[, 1:4], "variable missing from 'newdata': 'Species'")
  refused(iris[, 2, drop = FALSE], "missing from 'newdata': 'Sepal.Length', 'Petal.Length', 'Species'")
  refused(transform(iris, Sepal.Length = "a"), "'Sepal.Length'.*must be numeric.*not character")
  refused(transform(iris, Species = 1), "'Species'.*must be factor.*not numeric")
  refused(transform(iris, Petal.Length = "a"), "does not match the formula")
  refused("a", "'newdata' must be a data frame")
  new <- iris[1:3, ]
  new$Species[2] <- NA
  refused(new, "missing values in variable 'Species' of 'newdata'")
  expect_identical(predict(fit, new, na.action = na.omit), replace(fit$cluster[1:3], 2L, NA))
  new$Species <- NA
  expect_identical(
    predict(fit, new, na.action = na.pass), c("1" = NA_integer_, "2" = NA, "3" = NA)
  )
  expect_length(predict(fit, iris[0, ]), 0L)
})

test_that("new data need the variables of a formula, but not its constants", {
  needs_python()
  degree <- 2
  fit <- wbms(~ poly(Sepal.Length, degree), data = iris, h = 0.05, lambda = 0.1)
  expect_identical(predict(fit, iris[1:9, ]), fit$cluster[1:9])
  around <- iris$Petal.Width
  fit <- wbms(~around, h = 0.05, lambda = 0.1)
  expect_error(predict(fit, iris), "missing from 'newdata': 'around'", class = "wbms_error")
  expect_identical(predict(fit, data.frame(around = around)), fit$cluster)
})
