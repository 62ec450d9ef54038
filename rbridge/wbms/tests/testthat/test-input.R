expect_refused <- function(code, pattern, ...) {
  expect_error(code, pattern, class = "wbms_error", ...)
}

with_missing <- function() {
  x <- iris[, 1:4]
  x[c(3, 9), "Sepal.Width"] <- NA
  x[5, "Petal.Width"] <- NaN
  x
}

test_that("missing values raise an error that names their columns", {
  x <- with_missing()
  expect_refused(
    iris_fit(x), "'Sepal.Width', 'Petal.Width' of 'x' \\(first in row 3, 3 rows in total\\)"
  )
  expect_refused(iris_fit(as.matrix(x)), "'Sepal.Width', 'Petal.Width'")
  expect_refused(iris_fit(x, na.action = na.pass), "'Sepal.Width'")
  expect_refused(iris_fit(data.frame(a = 1:3, b = c(TRUE, NA, FALSE))), "column 'b'")
  expect_refused(iris_fit(c(1L, NA, 3L)), "missing values in column 'x'")
  rownames(x)[3] <- "third"
  expect_refused(iris_fit(x), "first in row third")
})

test_that("rows with missing values can be omitted", {
  needs_python()
  x <- with_missing()
  for (action in list(na.omit, na.exclude, "na.omit")) {
    fit <- iris_fit(x, na.action = action)
    expect_length(fit$cluster, 150L)
    expect_identical(which(is.na(fit$cluster)), c("3" = 3L, "5" = 5L, "9" = 9L))
    expect_identical(nrow(fit$data), 147L)
    expect_identical(rownames(fit$modes), as.character(1:150)[-c(3, 5, 9)])
    expect_identical(unclass(fit$na.action), c("3" = 3L, "5" = 5L, "9" = 9L))
  }
  complete <- iris_fit(x[-c(3, 5, 9), ])
  expect_identical(fit$cluster[!is.na(fit$cluster)], complete$cluster)
  expect_identical(fit$weights, complete$weights)
  expect_null(iris_fit(na.action = na.omit)$na.action)
  expect_refused(iris_fit(x[c(3, 5), ], na.action = na.omit), "no rows are left")
})

test_that("'na.action' must be valid, even without missing values", {
  allowed <- "'na.action' must be na.fail, na.omit, na.exclude or \"impute\", not"
  impute <- function(x) replace(x, is.na(x), 0)
  for (action in list(3, "nonsense", mean, impute, NA, c("na.omit", "na.fail"))) {
    expect_refused(iris_fit(na.action = action), allowed)
    expect_refused(iris_fit(na.action = action, with_missing()), allowed)
    expect_refused(wbms(~Sepal.Length, iris, na.action = action), allowed)
  }
  needs_python()
  expect_identical(iris_fit(na.action = na.pass)$na_action, "fail")
  expect_identical(iris_fit(na.action = "na.exclude")$na_action, "omit")
})

test_that("columns that are not numeric are named", {
  expect_refused(iris_fit(iris), "column of 'x' that is not numeric: 'Species' \\(factor\\).*formula")
  odd <- data.frame(
    a = 1:3, b = letters[1:3], c = as.Date("2020-01-01") + 0:2,
    d = as.POSIXct("2020-01-01", tz = "UTC") + 0:2, e = as.difftime(1:3, units = "days")
  )
  expect_refused(iris_fit(odd), "'b', 'c', 'd' \\(character, Date, POSIXct\\)")
  expect_refused(iris_fit(odd["c"]), "as.numeric\\(\\)$")
  odd <- data.frame(a = 1:3)
  odd$list <- list(1, 2, 3)
  odd$matrix <- matrix(1:6, 3L)
  expect_refused(iris_fit(odd), "'list', 'matrix'.*do.call.*unlist\\(\\)$")
  expect_refused(iris_fit(data.frame(a = 1i * 1:3)), "Re\\(\\) and Im\\(\\)$")
  many <- as.data.frame(matrix("a", 2L, 30L))
  expect_refused(iris_fit(many), "'V5' and 25 more")
})

test_that("input that is not a table is rejected", {
  for (x in list(letters, matrix(letters, 13L), factor(1:3), NULL, list(1, 2), TRUE ~ 1)) {
    expect_refused(iris_fit(x), "'x' must be|'formula' must")
  }
  expect_refused(iris_fit(array(1, c(2, 2, 2))), "'x' must be a numeric matrix")
  expect_refused(iris_fit(as.Date("2020-01-01") + 0:3), "of class 'Date'")
  expect_refused(iris_fit(1i + 1:3), "'x' must be")
})

test_that("infinite values raise an error that names their columns", {
  x <- iris[, 1:4]
  x[7, 3] <- Inf
  x[8, 4] <- -Inf
  expect_refused(
    iris_fit(x), "infinite.*columns 'Petal.Length', 'Petal.Width' of 'x' \\(first in row 7\\); replace"
  )
  needs_python()
  x[9, 1] <- NA
  fit <- iris_fit(x, na.action = na.omit)
  expect_identical(unname(which(is.na(fit$cluster))), 7:9)
})

test_that("an infinite value in an omitted row does not matter", {
  needs_python()
  x <- iris[, 1:4]
  x[7, 3] <- Inf
  x[7, 4] <- NA
  expect_identical(nobs(iris_fit(x, na.action = na.omit)), 149L)
})

test_that("empty data are errors", {
  expect_refused(iris_fit(iris[0, 1:4]), "'x' has no rows")
  expect_refused(iris_fit(iris[, 0]), "'x' has no columns")
  expect_refused(iris_fit(matrix(0, 0L, 2L)), "'x' has no rows")
  expect_refused(iris_fit(matrix(0, 3L, 0L)), "'x' has no columns")
  expect_refused(iris_fit(numeric()), "'x' has no rows")
  expect_refused(wbms(~1, data = iris), "'formula' names no columns")
  expect_refused(wbms(~Sepal.Length, iris, subset = Sepal.Length > 99), "'subset' selects none")
  expect_refused(wbms(~Sepal.Length, iris[0, ]), "'data' has none")
})

test_that("duplicate names are errors", {
  expect_refused(iris_fit(cbind(iris[, 1:3], iris[, 1:2])), "duplicated column names")
  expect_refused(iris_fit(cbind(a = 1:4, a = 2:5, b = 3:6)), "duplicated column names in 'x': 'a'$")
})

test_that("rows without names are not duplicates", {
  needs_python()
  x <- rbind(a = c(1, 2), c(1.1, 2), c(5, 6), b = c(5, 6.1))
  expect_named(iris_fit(x)$cluster, c("a", "", "", "b"))
})

test_that("h and lambda must be positive numbers", {
  bad <- list(
    0, -1, NA, NA_real_, NaN, Inf, "a", "0.1", c(0.1, 0.2), numeric(), NULL, TRUE, factor(1), 1i,
    list(1)
  )
  x <- iris[, 1:4]
  for (value in bad) {
    expect_refused(wbms(x, h = value), "'h' must be a positive number or \"auto\"")
    expect_refused(wbms(x, lambda = value), "'lambda' must be a positive number or \"auto\"")
  }
  expect_refused(wbms(x, form = "paper"), "'h' and 'lambda' must be given with form = \"paper\"")
  expect_refused(wbms(x, h = 1, form = "released"), "'h' and 'lambda' must be given.*give 'lambda'$")
  expect_refused(wbms(x, h = 0, lambda = 1, form = "paper"), "'h' must be a positive number, not 0")
})

test_that("the other arguments are checked by name", {
  expect_refused(iris_fit(stop = "now"), "'stop' must be one of 'settled'")
  expect_refused(iris_fit(stop = c("settled", "fixed")), "'stop'")
  expect_refused(iris_fit(max_iter = 0), "'max_iter' must be a whole number of at least 1, not 0")
  expect_refused(iris_fit(warmup = 1.5), "'warmup'")
  expect_refused(iris_fit(warmup = 3e9), "'warmup'")
  expect_refused(iris_fit(patience = NA), "'patience'")
  expect_refused(iris_fit(tol = 0), "'tol'")
  expect_refused(iris_fit(eps = -1), "'eps'")
  expect_refused(iris_fit(merge = NA), "'merge' must be TRUE or FALSE, not NA")
  expect_refused(iris_fit(standardize = 1), "'standardize'")
  for (value in list("equal", c("auto", "uniform"), NULL, NA, TRUE, list(1), diag(2), numeric())) {
    expect_refused(iris_fit(init = value), "'init' must be one of 'auto', 'uniform', 'marginal', or")
  }
  for (value in list(c(1, 1, 1, -1), c(1, 1, 1, NA), c(1, 1, 1, Inf), rep(0, 4L))) {
    expect_refused(iris_fit(init = value), "'init' must hold finite numbers of at least 0")
  }
  expect_refused(iris_fit(init = 1:3), "'init' must have one number per column: it has 3 numbers for 4")
  expect_refused(iris_fit(init = 1), "it has 1 number for 4 columns")
  for (value in list(NA, "yes", 1, NULL, c(TRUE, FALSE))) {
    expect_refused(iris_fit(join = value), "'join' must be TRUE, FALSE or \"auto\"")
  }
  expect_refused(iris_fit(exclude_self = "yes"), "'exclude_self'")
  expect_refused(iris_fit(record_path = c(TRUE, FALSE)), "'record_path'")
  expect_refused(iris_fit(verbose = NULL), "'verbose'")
  expect_refused(iris_fit(lambda_scale = "max"), "'lambda_scale' must be one of 'mean', 'sum'")
  expect_refused(iris_fit(form = "best"), "'form'")
  expect_refused(iris_fit(n_jobs = 0), "'n_jobs'")
  expect_refused(iris_fit(callback = 3), "'callback' must be a function or NULL")
})

test_that("unknown arguments are rejected", {
  expect_refused(iris_fit(bandwidth = 1), "unknown argument: 'bandwidth'")
  expect_refused(iris_fit(one = 1, two = 2), "unknown arguments: 'one', 'two'")
  expect_refused(wbms(iris[, 1:4], 1, 1, 1), "without a name")
  expect_refused(wbms(iris[, 1:4], lam = 1), "'lam'; did you mean 'lambda'\\?")
  expect_refused(wbms(~., iris[, 1:4], lam = 1), "'lam'; did you mean 'lambda'\\?")
  expect_refused(iris_fit(lam_scale = "sum"), "did you mean 'lambda_scale'\\?")
  expect_refused(iris_fit(maxiter = 3), "did you mean 'max_iter'\\?")
  expect_refused(iris_fit(data = iris), "'data' can only be used with a formula")
  expect_refused(iris_fit(subset = 1:3), "'subset' can only be used with a formula")
  expect_refused(wbms(~ Sepal.Length, data = iris, wieghts = 1), "unknown argument: 'wieghts'")
})

test_that("integers, logicals, tibbles and matrices without names are accepted", {
  needs_python()
  x <- data.frame(a = c(1L, 2L, 1L, 9L, 8L, 9L), b = c(TRUE, TRUE, FALSE, TRUE, FALSE, TRUE))
  fit <- iris_fit(x)
  expect_identical(fit$data, matrix(as.double(as.matrix(x)), 6L, dimnames = list(1:6, c("a", "b"))))
  bare <- iris_fit(unname(as.matrix(x)))
  expect_identical(colnames(bare$data), c("V1", "V2"))
  expect_null(names(bare$cluster))
  expect_identical(bare$cluster, unname(fit$cluster))
  skip_if_not_installed("tibble")
  expect_identical(iris_fit(tibble::as_tibble(x))$cluster, fit$cluster)
})

test_that("a single row, a single column and a vector are accepted", {
  needs_python()
  row <- iris_fit(iris[1, 1:4])
  expect_identical(row$cluster, c("1" = 1L))
  expect_equal(row$centers, as.matrix(iris[1, 1:4]))
  expect_identical(predict(row, iris[2, ]), c("2" = 1L))
  column <- iris_fit(iris[, "Petal.Length", drop = FALSE])
  expect_identical(column$weights, c(Petal.Length = 1))
  vector <- iris_fit(iris$Petal.Length)
  expect_identical(unname(column$cluster), vector$cluster)
  expect_identical(colnames(vector$data), "x")
  expect_named(iris_fit(c(a = 1, b = 2, c = 9))$cluster, c("a", "b", "c"))
})

test_that("constant columns get no weight, equal columns equal weights", {
  needs_python()
  fit <- iris_fit(cbind(iris[, 1:4], constant = 5))
  expect_identical(fit$weights[["constant"]], 0)
  expect_true(all(fit$centers[, "constant"] == 5))
  expect_warning(
    twice <- iris_fit(cbind(iris[, 1:4], again = iris$Petal.Length)), "'Petal.Length', 'again'"
  )
  expect_identical(twice$weights[["again"]], twice$weights[["Petal.Length"]])
})

test_that("a formula turns factors into indicator columns", {
  needs_python()
  fit <- wbms(~ Sepal.Length + Species, data = iris, h = 0.05, lambda = 0.1)
  expect_identical(
    colnames(fit$data),
    c("Sepal.Length", "Species=setosa", "Species=versicolor", "Species=virginica")
  )
  expect_identical(fit$xlevels, list(Species = levels(iris$Species)))
  text <- transform(iris, Species = as.character(Species))
  again <- wbms(~ Sepal.Length + Species, data = text, h = 0.05, lambda = 0.1)
  expect_identical(again$cluster, fit$cluster)
})

test_that("a formula supports subsets, transformations and variables of its environment", {
  needs_python()
  fit <- wbms(
    ~ log(Sepal.Length) + Petal.Width,
    data = iris, subset = Species != "setosa", h = 0.05, lambda = 0.1
  )
  expect_identical(colnames(fit$data), c("log(Sepal.Length)", "Petal.Width"))
  expect_named(fit$cluster, as.character(51:150))
  around <- iris$Petal.Width
  expect_identical(unname(wbms(~around, h = 0.05, lambda = 0.1)$data[, 1L]), around)
  expect_identical(colnames(wbms(~ . - Species, iris, h = 1, lambda = 1)$data), names(iris)[1:4])
})

test_that("a formula can omit incomplete rows", {
  needs_python()
  x <- cbind(with_missing(), kind = iris$Species)
  x$kind[20] <- NA
  expect_refused(wbms(~., data = x), "'Sepal.Width', 'Petal.Width', 'kind' of the formula")
  expect_refused(wbms(~kind, data = x), "in variable 'kind' of the formula \\(first in row 20, 1 row in")
  fit <- wbms(~., data = x, h = 0.05, lambda = 0.1, na.action = na.omit)
  expect_identical(unname(which(is.na(fit$cluster))), c(3L, 5L, 9L, 20L))
})

test_that("a formula has no left-hand side", {
  expect_refused(wbms(Species ~ ., data = iris), "'formula' must have no left-hand side")
  expect_error(wbms(~nobody, data = iris), "nobody")
  expect_refused(wbms(~ Sepal.Length + offset(Petal.Width), iris), "offset\\(\\), which makes no sense")
})

test_that("values too large to be squared raise an error that names the column", {
  needs_python()
  x <- matrix(c(1e200, -1e200, 1, 2), 2L)
  expect_refused(wbms(x, h = 1, lambda = 1, standardize = FALSE), "column 'V1'")
  expect_length(wbms(x, h = 1, lambda = 1)$cluster, 2L)
})

test_that("a missing 'x' is an error that says what is needed", {
  expect_refused(wbms(), "'x' is missing: wbms\\(\\) needs a numeric matrix")
  expect_refused(wbms(h = 1), "'x' is missing")
  expect_refused(wbms("a"), "a numeric vector or a formula, not of class 'character'")
})

test_that("a data frame without names has the columns V1, V2, ...", {
  needs_python()
  x <- iris[, 1:4]
  names(x) <- NULL
  fit <- iris_fit(x)
  expect_named(fit$weights, paste0("V", 1:4))
  expect_identical(fit$cluster, iris_fit()$cluster)
  expect_identical(predict(fit, x), fit$cluster)
})

test_that("backticks are removed from names", {
  needs_python()
  x <- stats::setNames(iris[, c(1, 3, 5)], c("my col", "b", "my kind"))
  fit <- wbms(~ `my col` + b + `my kind`, data = x, h = 0.05, lambda = 0.1)
  expect_named(fit$weights, c("my col", "b", paste0("my kind=", levels(iris$Species))))
  expect_identical(predict(fit, x[c(1, 60), ]), fit$cluster[c("1", "60")])
  x$`my kind`[3] <- NA
  expect_refused(wbms(~ `my col` + `my kind`, data = x), "variable 'my kind'")
})

test_that("errors list the data sets and their arguments", {
  expect_refused(wbms_data("foo"), "'two_moons', 'varied_densities', not")
  expect_refused(wbms_data("simulation2", k = 3), "'k'; it takes 'seed', 'p', 'sd'")
})

test_that("errors give the position of a column without a name", {
  x <- cbind(a = c(1, 2), b = c(3, 4))
  colnames(x)[2] <- NA
  expect_error(wbms(x, h = 1, lambda = 1), "column 2 of 'x' has no name", class = "wbms_error")
})

test_that("the number of rows of simulated data can be given", {
  needs_python()
  expect_identical(nrow(wbms_data("two_moons", n = 10)), 10L)
  expect_error(wbms_data("data1", n = 10), "unknown argument for \"data1\": 'n'")
})

test_that("arguments may be spelled with points, and na.action with an underscore", {
  needs_python()
  fit <- iris_fit(max_iter = 50, lambda_scale = "sum", exclude_self = FALSE)
  other <- iris_fit(iter.max = 50, lambda.scale = "sum", exclude.self = FALSE)
  expect_identical(other$modes, fit$modes)
  expect_identical(other$params, fit$params)
  expect_identical(iris_fit(max.iter = 50)$params$max_iter, 50L)
  gaps <- replace(iris[, 1:4], 1, c(NA, iris[-1L, 1L]))
  expect_identical(iris_fit(gaps, na_action = na.omit)$na_action, "omit")
  by_formula <- wbms(~., data = gaps, h = 0.05, lambda = 0.1, na_action = na.omit, max.iter = 60)
  expect_identical(by_formula$na_action, "omit")
  expect_identical(by_formula$params$max_iter, 60L)
  expect_refused(iris_fit(max.iter = 3, max_iter = 4), "'max.iter' is another name of 'max_iter'")
  expect_refused(
    wbms(~., gaps, na_action = na.omit, na.action = na.fail), "'na_action' is another name of 'na.action'"
  )
  expect_identical(wbms_select(iris[1:60, 3:4], max.iter = 80)$h, wbms_select(iris[1:60, 3:4], max_iter = 80)$h)
})

test_that("arguments of the formula method are not taken by position for others", {
  expect_refused(wbms(~., iris, 0.1), "arguments after 'data' must be named")
  expect_refused(wbms(data = iris, ~., 0.1), "arguments after 'data' must be named")
  expect_refused(wbms_select(~., iris, 0.1), "arguments after 'data' must be named")
  expect_refused(wbms(iris, ~Petal.Width), "the formula comes first, .* df \\|> wbms\\(~Petal.Width, data = _\\)")
})

test_that("functions that call FUNcluster(x, k) get k clusters", {
  needs_python()
  FUNcluster <- wbms
  expect_length(FUNcluster(iris[, 1:4], 2)$size, 2L)
  expect_identical(wbms(iris[, 1:4], 2, 0.1)$h, 2)
  found <- cluster::clusGap(as.matrix(iris[, 3:4]), wbms, K.max = 2, B = 1, verbose = FALSE)
  expect_identical(dim(found$Tab), c(2L, 4L))
})

test_that("distances are refused, sparse matrices taken with a note", {
  needs_python()
  expect_refused(wbms(dist(iris[, 1:4])), "holds distances.*cmdscale")
  skip_if_not_installed("Matrix")
  sparse <- Matrix::Matrix(as.matrix(iris[, 1:4]), sparse = TRUE)
  expect_message(fit <- iris_fit(sparse), "dgCMatrix 'x' is used as a dense matrix of 1 MB")
  expect_identical(fit$modes, iris_fit(as.matrix(iris[, 1:4]))$modes)
  huge <- methods::new("dgCMatrix", Dim = c(100000L, 100000L), p = integer(100001L))
  expect_refused(wbms(huge), "sparse matrix of 100,000 x 100,000, which would take 75 GB")
})

test_that("time differences and 64-bit integers are numbers", {
  needs_python()
  minutes <- data.frame(t = as.difftime(c(1, 2, 50, 51), units = "mins"), b = c(1, 1, 5, 5))
  expect_identical(iris_fit(minutes)$data[, "t"], c("1" = 1, "2" = 2, "3" = 50, "4" = 51))
  # the bits of 1, -1, 2^40 + 3 and NA
  bits <- function(...) readBin(writeBin(c(...), raw(), endian = "little"), "double", 4L, endian = "little")
  wide <- structure(
    bits(1L, 0L, -1L, -1L, 3L, 256L, 0L, NA), class = "integer64"
  )
  expect_identical(from_integer64(wide), c(1, -1, 2^40 + 3, NA))
  frame <- data.frame(a = numeric(3), b = 1:3)
  frame$a <- structure(unclass(wide)[1:3], class = "integer64")
  expect_identical(unname(iris_fit(frame)$data[, "a"]), c(1, -1, 2^40 + 3))
})

test_that("row names may be duplicated, as in kmeans()", {
  needs_python()
  x <- as.matrix(iris[, 1:4])
  fit <- iris_fit(x)
  rownames(x) <- rep(c("a", "b"), 75L)
  twice <- iris_fit(x)
  expect_identical(unname(twice$cluster), unname(fit$cluster))
  expect_identical(names(twice$cluster), rownames(x))
  expect_identical(predict(twice, x), twice$cluster)
  expect_identical(nrow(augment(twice, x)), 150L)
  file <- tempfile(fileext = ".wbms")
  on.exit(unlink(file))
  wbms_save(twice, file)
  expect_identical(wbms_load(file)$cluster, twice$cluster)
})

test_that("augment() says what it wants after subset", {
  needs_python()
  fit <- wbms(~ . - Species, iris, subset = Species != "setosa", h = 0.05, lambda = 0.1)
  expect_refused(augment(fit, iris), "subset\\(df, Species != \"setosa\"\\).*newdata = df")
  expect_identical(nrow(augment(fit, subset(iris, Species != "setosa"))), 100L)
})

test_that("formula, model frame and model matrix of a fit are R's", {
  needs_python()
  fit <- wbms(~ Petal.Length + Species, data = iris, h = 0.05, lambda = 0.1)
  expect_identical(all.vars(as.formula(fit)), c("Petal.Length", "Species"))
  expect_identical(model.matrix(fit), fit$data)
  expect_equal(model.frame(fit), iris[c("Petal.Length", "Species")], ignore_attr = TRUE)
  whole <- wbms(iris, categories = "indicators", h = 0.05, lambda = 0.1)
  expect_identical(as.character(model.frame(whole)$Species), as.character(iris$Species))
})
