kinds <- c("overview", "clusters", "weights", "collapse", "embedding")

test_that("every plot is drawn, and the graphical parameters are restored", {
  for (type in kinds) {
    draws(expect_invisible(plot(toy_fit(), type)))
    draws(plot(toy_with_path(), type), width = 10, height = 4)
    draws(plot(toy_fit(), type), width = 1.2, height = 1)
    for (size in list(c(7, 5), c(6, 4.5), c(5, 4), c(4, 7))) {
      draws(plot(toy_fit(), type), size[[1L]], size[[2L]])
    }
  }
  draws(plot(toy_selected(), "selection"))
  draws(plot(toy_uncertain(), "selection"), width = 9, height = 3)
  draws(plot(toy_uncertain(), "selection"), width = 3, height = 7)
  draws(plot(toy_selected(c(0.1, 0.2, 0.4)), "selection"), width = 10, height = 4)
})

test_that("the user's graphical parameters are kept", {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(2L, 2L), mar = c(3, 3, 1, 1), cex = 0.7)
  before <- graphics::par("mfrow", "mar", "cex")
  for (type in kinds) {
    plot(toy_with_path(), type)
    expect_identical(graphics::par("mfrow", "mar", "cex"), before)
  }
  expect_error(plot(toy_fit(), "clusters", xlim = "a"))
  expect_identical(graphics::par("mfrow", "mar", "cex"), before)
})

test_that("single plots use one panel, several panels use a page", {
  pages <- function(code) {
    folder <- tempfile()
    dir.create(folder)
    on.exit(unlink(folder, recursive = TRUE))
    grDevices::postscript(file.path(folder, "%d.ps"), onefile = FALSE)
    force(code)
    grDevices::dev.off()
    length(list.files(folder))
  }
  expect_identical(pages({
    graphics::par(mfrow = c(1L, 2L))
    plot(toy_fit(), "clusters")
    plot(toy_fit(), "weights")
  }), 1L)
  expect_identical(pages({
    plot(toy_fit(), "overview")
    plot(toy_with_path(), "collapse")
    plot(1)
  }), 3L)
})

test_that("any number of clusters, rows and columns is drawn", {
  fit <- toy_fit()
  fit$size <- rep(1L, 300L)
  fit$cluster <- 1:300
  fit$na.action <- NULL
  fit$data <- cbind(a = sin(1:300), b = cos(1:300))
  fit$centers <- fit$modes <- fit$data
  one_column <- fit
  one_column$weights <- one_column$scale <- c(a = 1)
  one_column$data <- one_column$centers <- fit$data[, "a", drop = FALSE]
  one_row <- toy_fit()
  one_row[c("cluster", "size")] <- list(1L, 1L)
  one_row$na.action <- NULL
  one_row$data <- one_row$centers <- one_row$modes <- cbind(a = 1, b = 1)
  one_row$history <- one_row$history[0, ]
  wide <- toy_fit()
  wide$weights <- stats::setNames(rep(1 / 500, 500L), paste("a rather long name", 1:500))
  wide$scale <- 500 * wide$weights
  wide$data <- matrix(1:5, 5L, 500L, dimnames = list(NULL, names(wide$weights)))
  wide$centers <- wide$data[1:2, ]
  for (type in kinds) for (x in list(fit, one_column, one_row, wide)) draws(plot(x, type))
  with_path <- toy_with_path()
  with_path$weights <- c(a = 1)
  draws(plot(with_path, "collapse"))
})

test_that("the heaviest columns are drawn unless others are named", {
  fit <- toy_fit()
  expect_identical(shown_columns(fit, NULL), 1:2)
  expect_identical(shown_columns(fit, "b"), 2L)
  expect_identical(shown_columns(fit, c("b", "a")), 2:1)
  fit$weights <- c(a = 0.1, b = 0.9)
  expect_identical(shown_columns(fit, NULL), 2:1)
  expect_identical(axis_labels(fit, 2L), "b (weight 0.90)")
  draws(plot(fit, "clusters", columns = "b"))
  expect_error(plot(fit, columns = "c"), "not clustered: 'c'", class = "wbms_error")
  for (bad in list(1, character(), c("a", "b", "a"), c("a", "a"))) {
    expect_error(plot(fit, columns = bad), "'columns'", class = "wbms_error")
  }
})

test_that("graphical parameters are passed on", {
  for (type in c(kinds, "selection")) {
    draws(plot(
      toy_selected(), type,
      main = "title", xlab = "across", xlim = c(0.01, 9), cex.axis = 0.7, col = c("red", "blue")
    ))
  }
  draws(plot(toy_fit(), "clusters", pch = 1:2, ylim = c(0, 20), ylab = "up", cex = 2))
})

test_that("weights are ranked, the remaining ones share one bar", {
  fit <- toy_fit()
  fit$weights <- c(a = 0.2, b = 0.5, c = 0.2, d = 0.1)
  expect_identical(ranked_weights(fit, 4)$name, c("b", "a", "c", "d"))
  bars <- ranked_weights(fit, 2)
  expect_identical(bars$name, c("b", "a", "2 others"))
  expect_equal(bars$weight, c(0.5, 0.2, 0.3))
  expect_identical(bars$others, c(FALSE, FALSE, TRUE))
  expect_identical(ranked_weights(fit, 3), ranked_weights(fit, 4)) # one is no others
  expect_identical(
    weight_text(c(0.5149, 0.49, 0, 0.004, 1, 1.6e-8)),
    c("0.51", "0.49", "0", "0.004", "1.00", "< 0.001")
  )
  expect_error(plot(fit, "weights", top = 0), "'top'", class = "wbms_error")
})

test_that("types are checked and may be abbreviated", {
  draws(plot(toy_fit(), "wei"))
  expect_error(plot(toy_fit(), "pie"), "'type' must be one of 'overview'", class = "wbms_error")
  expect_error(plot(toy_fit(), 1), "'type'", class = "wbms_error")
})

test_that("a selection is drawn only if there is one", {
  expect_error(plot(toy_fit(), "selection"), "'h' and 'lambda' were given", class = "wbms_error")
  expect_error(
    plot(toy_selected(), "selection", score = "k"), "'score' must be one of 'stability'",
    class = "wbms_error"
  )
  draws(plot(toy_selected(), "selection", score = "stability"))
  expect_identical(chosen_row(toy_selected(c(0.1, 0.2))), 5L)
  without <- toy_selected(c(0.1, 0.2))
  without$selection$chosen <- NULL
  expect_identical(chosen_row(without), 5L)
  without$selection$stability[5] <- NA
  draws(plot(without, "selection"))
  over_lambda <- toy_selected(c(0.1, 0.2))
  over_lambda$selection <- over_lambda$selection[over_lambda$selection$h == 0.1, ]
  expect_identical(varied_in(over_lambda$selection), "lambda")
  draws(plot(over_lambda, "selection"))
  unjudged <- toy_uncertain()
  unjudged$selection$judged <- FALSE
  draws(plot(unjudged, "selection"))
  expect_identical(
    judged_values(toy_uncertain()$selection, "stability")[1:3], c(0.1, 0.2, NA)
  )
})

test_that("long names are shortened where they agree", {
  expect_identical(elided("short"), "short")
  expect_identical(elided("a\nb"), "a b")
  expect_identical(elided(strrep("abcde", 6L)), "abcdeabcdeabcdeabcdeab...")
  expect_identical(nchar(elided(strrep("x", 100L), 10L)), 10L)
  months <- paste("mean temperature of the air in", month.name)
  for (width in c(12L, 16L, 25L)) {
    short <- elided(months, width)
    expect_false(anyDuplicated(short) > 0L)
    expect_lte(max(nchar(short)), width)
  }
  expect_identical(elided(months[1:2], 20L), c("mean tempe...January", "mean temp...February"))
  alike <- paste0(strrep("a", 40L), c("x", "y"), strrep("b", 40L), rep(c("u", "v"), each = 2L))
  for (width in 6:30) {
    expect_false(anyDuplicated(elided(alike, width)) > 0L)
    expect_lte(max(nchar(elided(alike, width))), width)
  }
  expect_identical(elided(c(alike[[1L]], alike[[1L]])), rep(elided(alike[[1L]]), 2L))
})

test_that("the embedding is the plane of the largest weighted variance", {
  fit <- toy_fit()
  found <- embedding_places(fit)
  z <- scale(sweep(sweep(fit$data, 2, fit$scale, "/"), 2, sqrt(fit$weights), "*"), scale = FALSE)
  expected <- prcomp(z)
  expect_equal(abs(found$rows), abs(unname(expected$x)))
  expect_equal(unname(as.matrix(dist(found$rows))), unname(as.matrix(dist(z))))
  share <- expected$sdev^2 / sum(expected$sdev^2)
  expect_match(found$labels[[1L]], sprintf("component 1, %.0f%% of the variance", 100 * share[[1L]]))
  # more columns than rows, more columns than are used, one column, none that varies
  wide <- fit
  wide$weights <- stats::setNames(rep(1 / 9, 9L), letters[1:9])
  wide$scale <- stats::setNames(rep(2, 9L), letters[1:9])
  wide$data <- matrix(sin(1:45), 5L, dimnames = list(NULL, letters[1:9]))
  wide$centers <- wide$data[1:2, ]
  expect_equal(abs(embedding_places(wide)$rows), abs(unname(prcomp(wide$data / 6)$x[, 1:2])))
  expect_identical(dim(embedding_places(wide, most = 3L)$rows), c(5L, 2L))
  draws(plot(wide, "embedding"))
  fit$weights <- c(a = 1, b = 0)
  expect_length(embedding_places(fit)$labels, 1L)
  draws(plot(fit, "embedding"))
  fit$data[] <- 1
  draws(plot(fit, "embedding"))
})

test_that("clusters are numbered beyond eight, and a single one is said to be all", {
  expect_identical(n_numbered(8L, FALSE), 0L)
  expect_identical(n_numbered(9L, FALSE), 9L)
  expect_identical(n_numbered(70L, FALSE), 60L)
  expect_identical(n_numbered(70L, TRUE), 0L)
  expect_identical(clusters_title(1L, 200L), "One cluster: all 200 rows")
  draws(plot(toy_one(), "overview"))
})

test_that("equal weights are said to be equal, and the others do not dwarf the bars", {
  fit <- toy_fit()
  fit$weights <- stats::setNames(rep(1 / 5000, 5000L), paste0("x", 1:5000))
  expect_identical(all_alike(fit, 20), "all 5,000 weights are equal: 1/5,000")
  expect_null(all_alike(toy_fit(), 1))
  draws(plot(fit, "weights"))
  fit$weights[] <- seq(3, 1, length.out = 5000) / 10000
  expect_null(all_alike(fit, 20))
  bars <- ranked_weights(fit, 20)
  expect_identical(bars$length[[21L]], 0)
  expect_identical(bars$text[[21L]], "0.99 in total")
  draws(plot(fit, "weights"))
})

test_that("real fits are drawn", {
  needs_python()
  fit <- wbms(iris[, 1:4], record_path = TRUE)
  for (type in c(kinds, "selection")) draws(plot(fit, type))
  draws(plot(wbms_theory(fit)))
})

test_that("autoplot gives ggplot2 objects", {
  skip_if_not_installed("ggplot2")
  fit <- toy_with_path()
  fit$selection <- toy_selected()$selection
  grid <- toy_selected(c(0.1, 0.2))
  builds <- function(...) {
    picture <- ggplot2::autoplot(...)
    expect_s3_class(picture, "ggplot")
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    expect_silent(print(picture))
    picture
  }
  for (type in c("clusters", "weights", "collapse", "path", "selection", "embedding")) {
    builds(fit, type)
  }
  builds(grid, "selection")
  expect_match(builds(toy_uncertain(), "selection")$labels$caption, "^grey: ")
  equal <- fit
  equal$weights <- stats::setNames(rep(1 / 50, 50L), 1:50)
  builds(equal, "weights", top = 5)
  many <- fit
  many$na.action <- NULL
  many$size <- rep(1L, 12L)
  many$cluster <- 1:12
  many$data <- many$centers <- cbind(a = sin(1:12), b = cos(1:12))
  expect_length(builds(many)$layers, 4L)
  expect_identical(builds(fit)$labels$x, "a (weight 0.75)")
  expect_identical(nrow(builds(fit)$data), 5L)
  expect_identical(builds(fit, columns = "b")$labels$y, "cluster")
  builds(fit, "path", columns = "b")
  expect_error(ggplot2::autoplot(toy_fit(), "path"), "record_path", class = "wbms_error")
  expect_error(ggplot2::autoplot(toy_fit(), "selection"), "were given", class = "wbms_error")
  expect_error(ggplot2::autoplot(fit, "pie"), "'type'", class = "wbms_error")
  expect_identical(builds(fit, "overview")$labels, builds(fit, "clusters")$labels)
  expect_identical(
    builds(fit)$scales$get_scales("colour")$labels, c("1 (3 rows)", "2 (2 rows)")
  )
})

test_that("rows in columns with few values are jittered, deterministically", {
  values <- rep(c(0, 1, 3), each = 20L)
  spreaded <- spread(values, 0.754877666)
  expect_identical(spread(values, 0.754877666), spreaded)
  expect_false(anyDuplicated(spreaded) > 0L)
  expect_lte(max(abs(spreaded - values)), 0.25)
  expect_identical(spread(as.double(1:60), 0.5), as.double(1:60))
  expect_identical(spread(c(0, 1, 1), 0.5), c(0, 1, 1))
  fit <- toy_fit()
  fit$cluster <- rep(1:2, 30L)
  fit$data <- cbind(a = values, b = seq_along(values))
  places <- cluster_places(fit, 1:2)
  expect_false(anyDuplicated(places$rows[, 1L]) > 0L)
  expect_identical(places$rows[, 2L], as.double(fit$data[, "b"]))
  expect_identical(places$centers, unname(fit$centers))
})

test_that("axes of counts have integer ticks", {
  expect_identical(whole_ticks(3), 1:3)
  expect_equal(whole_ticks(150), c(1, 2, 5, 10, 20, 50, 100))
  expect_equal(whole_ticks(30000), 10^(0:4))
})

test_that("titles and labels fit into the available room", {
  draws(
    plot(toy_fit(), "clusters", main = strrep("a long title ", 9), xlab = strrep("label ", 40)),
    5, 4
  )
  draws(plot(toy_fit(), main = quote(alpha^2)), 5, 4)
})

test_that("plot and autoplot offer the same types", {
  offered <- function(method) eval(formals(method)$type)
  expect_setequal(offered(plot.wbms), offered(autoplot.wbms))
  draws(plot(toy_with_path(), "path"))
  draws(plot(toy_with_path(), "path", columns = "a"))
  expect_error(plot(toy_fit(), "path"), "record_path", class = "wbms_error")
})

test_that("autoplot draws trees and profiles", {
  skip_if_not_installed("ggplot2")
  built <- function(picture) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    print(picture)
    ggplot2::ggplot_build(picture)
  }
  tree <- built(ggplot2::autoplot(toy_tree(), "tree"))
  expect_identical(nrow(tree$data[[1L]]), 12L) # three lines for each of four merges
  expect_true("dotted" %in% tree$data[[1L]]$linetype || 3 %in% tree$data[[1L]]$linetype)
  expect_identical(tree$data[[2L]]$yintercept, log1p(3))
  expect_error(ggplot2::autoplot(toy_fit(), "tree"), "tree = TRUE", class = "wbms_error")
  fit <- toy_fit()
  fit$profile <- matrix(c(-3, 1, 0, 0.5), 2L, dimnames = list(1:2, c("a", "b")))
  profile <- built(ggplot2::autoplot(fit, "profile", top = 1))
  expect_identical(nrow(profile$data[[1L]]), 2L)
  expect_error(ggplot2::autoplot(toy_fit(), "profile"), "no profile", class = "wbms_error")
})
