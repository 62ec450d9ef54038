# Factors and texts as indicators, missing values filled in.

expect_refused <- function(code, pattern, ...) {
  expect_error(code, pattern, class = "wbms_error", ...)
}

encoded <- function(x, ...) {
  wbms(x, h = 0.05, lambda = 0.1, categories = "indicators", ...)
}

test_that("a factor becomes all its indicators, one unit apart", {
  needs_python()
  fit <- encoded(iris)
  species <- paste0("Species=", levels(iris$Species))
  expect_identical(colnames(fit$data), c(names(iris)[1:4], species))
  expect_identical(unname(fit$data[, species[2]]), as.double(iris$Species == "versicolor"))
  expect_identical(unname(fit$scale[species]), rep(sqrt(2), 3))
  working <- sweep(fit$data[, species], 2L, fit$scale[species], `/`)
  apart <- as.matrix(dist(working))
  expect_equal(unname(apart), outer(iris$Species, iris$Species, `!=`) + 0)
  expect_identical(length(unique(fit$weights[species])), 1L)
  expect_identical(fit$params$indicators, c(0L, 0L, 0L, 0L, 1L, 1L, 1L))
})

test_that("formulas and data frames give the same fit", {
  needs_python()
  formula <- wbms(~., iris, h = 0.05, lambda = 0.1)
  for (field in c("cluster", "weights", "modes", "centers", "data", "scale")) {
    expect_identical(formula[[field]], encoded(iris)[[field]])
  }
  text <- transform(iris, Species = as.character(Species))
  expect_identical(encoded(text)$modes, formula$modes)
})

test_that("the order of levels and unused levels change nothing", {
  needs_python()
  set.seed(1)
  x <- data.frame(
    x = rnorm(130) + rep(c(0, 3), c(100, 30)), kind = factor(sample(c("a", "b", "c"), 130, TRUE))
  )
  for (levels in list(c("a", "b", "c"), c("c", "a", "b"), c("b", "unused", "c", "a"))) {
    for (ordered in c(FALSE, TRUE)) {
      other <- transform(x, kind = factor(kind, levels, ordered = ordered))
      expect_identical(encoded(other)$modes, encoded(x)$modes)
      by_formula <- wbms(~., other, h = 0.05, lambda = 0.1)
      expect_identical(by_formula$modes, encoded(x)$modes)
    }
  }
  expect_identical(
    wbms(~ x + relevel(kind, "b"), x, h = 0.05, lambda = 0.1)$cluster, encoded(x)$cluster
  )
})

test_that("factors are refused by default, except in a formula", {
  expect_refused(wbms(iris), "not numeric: 'Species' \\(factor\\).*categories = \"indicators\"")
  expect_refused(wbms(~., iris, categories = "error"), "variable of the formula that is not numeric: 'Species'")
  expect_refused(wbms(iris, categories = "dummies"), "'categories' must be one of 'error', 'indicators'")
  expect_refused(wbms(iris, categories = NA), "'categories' must be one of")
  expect_refused(wbms_select(iris), "not numeric: 'Species'")
  taken <- data.frame(a = c("x", "y"), `a=x` = 1:2, check.names = FALSE)
  expect_refused(encoded(taken), "duplicated column names in 'x', indicators included: 'a=x'")
  texts <- data.frame(text = paste("text", 1:1001))
  expect_refused(encoded(texts), "column 'text' has 1,001 levels.*at most 1,000")
  expect_refused(wbms(~text, texts), "variable 'text' has 1,001 levels")
  dates <- transform(iris, day = as.Date("2020-01-01"))
  expect_refused(encoded(dates), "not numeric: 'day' \\(Date\\)")
})

test_that("new rows have the levels of the fit", {
  needs_python()
  fit <- encoded(iris)
  expect_identical(predict(fit, iris), fit$cluster)
  expect_identical(predict(fit, iris[c(120, 3), 5:1]), fit$cluster[c("120", "3")])
  text <- transform(iris[60, ], Species = as.character(Species))
  expect_identical(predict(fit, text), fit$cluster["60"])
  expect_refused(predict(fit, transform(iris, Species = "dog")), "'Species' in 'newdata' that were not in the fit: 'dog'")
  expect_refused(predict(fit, iris[, 1:4]), "column missing from 'newdata': 'Species'")
  expect_refused(predict(fit, transform(iris, Species = 1)), "'Species' of 'newdata' must hold texts or a factor")
  expect_length(predict(fit, iris[0, ]), 0L)
  missing <- transform(iris[1:3, ], Species = NA)
  expect_refused(predict(fit, missing), "missing values in column 'Species' of 'newdata'")
  expect_true(all(is.na(predict(fit, missing, na.action = na.omit))))
})

with_gaps <- function() {
  x <- iris
  x$Sepal.Length[c(3, 50)] <- c(NA, Inf)
  x$Petal.Width[9] <- NaN
  x$Species[c(9, 20)] <- NA
  x
}

test_that("missing values are filled in and counted", {
  needs_python()
  x <- with_gaps()
  filled <- x
  filled$Sepal.Length[c(3, 50)] <- median(x$Sepal.Length[-c(3, 50)])
  filled$Petal.Width[9] <- median(x$Petal.Width[-9])
  filled$Species[c(9, 20)] <- "versicolor"
  fit <- encoded(x, na.action = "impute")
  expect_identical(fit$modes, encoded(filled)$modes)
  expect_identical(
    fit$imputed,
    c(Sepal.Length = 2, Sepal.Width = 0, Petal.Length = 0, Petal.Width = 1, Species = 2)
  )
  expect_output(print(fit), "Imputed values: 5 (Sepal.Length 2, Petal.Width 1, Species 2)", fixed = TRUE)
  expect_output(print(summary(fit)), "Imputed values: 5")
  expect_identical(fit$na_action, "impute")
  expect_identical(predict(fit, x), fit$cluster)
  expect_identical(predict(fit, x[9, ]), fit$cluster["9"])
  formula <- wbms(~., x, h = 0.05, lambda = 0.1, na.action = "impute")
  expect_identical(formula$modes, fit$modes)
  expect_identical(formula$imputed, fit$imputed)
  expect_identical(predict(formula, x[9:20, ]), fit$cluster[9:20])
})

test_that("a matrix is imputed by column", {
  needs_python()
  x <- as.matrix(iris[, 1:4])
  x[2, 3] <- NA
  fit <- wbms(x, h = 0.05, lambda = 0.1, na.action = "impute")
  expect_identical(fit$data[[2, 3]], median(x[-2, 3]))
  expect_identical(predict(fit, x), fit$cluster)
  expect_identical(predict(fit, x[2, ]), fit$cluster[[2]], ignore_attr = TRUE)
  x[, 1] <- NA
  expect_refused(wbms(x, na.action = "impute"), "no value at all in column 'Sepal.Length' of 'x'")
  plain <- iris_fit()
  expect_refused(predict(plain, x, na.action = "impute"), "needs a fit with na.action = \"impute\"")
})

test_that("infinite values follow na.action", {
  needs_python()
  x <- with_gaps()
  fit <- encoded(x, na.action = na.omit)
  expect_identical(unname(which(is.na(fit$cluster))), c(3L, 9L, 20L, 50L))
  expect_identical(fit$cluster[!is.na(fit$cluster)], encoded(x[-c(3, 9, 20, 50), ])$cluster)
  formula <- wbms(~., x, h = 0.05, lambda = 0.1, na.action = na.omit)
  expect_identical(formula$cluster, fit$cluster)
  infinite <- transform(iris[, 1:4], Sepal.Width = replace(Sepal.Width, 7, -Inf))
  expect_refused(wbms(infinite), "infinite values in column 'Sepal.Width' of 'x' \\(first in row 7")
})

test_that("interactions of factors are indicators, those with numbers are not", {
  needs_python()
  x <- transform(iris, big = ifelse(Petal.Length > 3, "yes", "no"))
  fit <- wbms(~ Sepal.Length:Species + Species:big + poly(Sepal.Width, 2), x, h = 0.05, lambda = 0.1)
  indicators <- fit$params$indicators > 0
  expect_identical(indicators, grepl("big=", colnames(fit$data)))
  expect_identical(predict(fit, x[c(1, 80), ]), fit$cluster[c("1", "80")])
})

test_that("the seed is that of the search", {
  needs_python()
  one <- wbms(iris[, 1:4], lambda = 0.1, seed = 3)
  expect_identical(one$selection, wbms_select(iris[, 1:4], lambda = 0.1, seed = 3)$grid)
  expect_identical(one$params$random_state, 3L)
  expect_refused(wbms(iris[, 1:4], seed = -1), "'seed' must be a whole number of at least 0")
})

test_that("arguments of other functions are answered with what to use", {
  expect_refused(iris_fit(centers = 3), "unknown argument: 'centers'; use k =")
  expect_refused(iris_fit(min_cluster_size = 3), "there is no least size")
  expect_refused(iris_fit(bandwidth = 3), "use h =, the square")
  expect_refused(iris_fit(random_state = 3), "use seed =")
  expect_refused(wbms_select(iris[, 1:4], nstart = 3), "needs no restarts.*\\?wbms_select")
})

test_that("a column that numbers the rows is warned of", {
  needs_python()
  expect_warning(iris_fit(cbind(id = 1:150, iris[, 1:4])), "column 'id' looks like an identifier")
  who <- transform(iris[, 1:2], who = paste("person", 1:150))
  expect_warning(encoded(who), "column 'who' looks like an identifier")
})

test_that("augment() finds shuffled rows by their names", {
  needs_python()
  fit <- iris_fit()
  shuffled <- iris[150:1, ]
  expect_identical(as.integer(augment(fit, shuffled)$.cluster), unname(fit$cluster[150:1]))
  other <- iris
  row.names(other) <- paste0("r", 1:150)
  expect_refused(augment(fit, other), "its row names differ")
})
