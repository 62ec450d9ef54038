square <- rbind(sw = c(0, 0), nw = c(0, 1), se = c(1, 0), ne = c(1, 1))

test_that("distances to a square are correct", {
  needs_python()
  points <- rbind(inside = c(0.5, 0.5), right = c(3, 0.5), corner = c(2, 2), on = c(1, 0.3))
  expect_equal(
    hull_distance(points, square), c(inside = 0, right = 2, corner = sqrt(2), on = 0),
    tolerance = 1e-12
  )
  expect_null(names(hull_distance(unname(points), square)))
  expect_equal(hull_distance(as.data.frame(points), as.data.frame(square))[["right"]], 2)
})

test_that("a certificate proves the distances", {
  needs_python()
  set.seed(1)
  vertices <- matrix(rnorm(60), 12L, dimnames = list(letters[1:12], NULL))
  points <- matrix(rnorm(50, sd = 3), 10L, dimnames = list(LETTERS[1:10], NULL))
  proof <- hull_distance(points, vertices, certificate = TRUE)
  expect_named(proof, c("distance", "coefficients", "direction", "nearest"))
  expect_identical(proof$distance, hull_distance(points, vertices))
  expect_identical(dimnames(proof$coefficients), list(LETTERS[1:10], letters[1:12]))
  # a point of the hull at that distance: an upper bound
  expect_true(all(proof$coefficients >= 0))
  expect_equal(unname(rowSums(proof$coefficients)), rep(1, 10L))
  expect_equal(unname(proof$coefficients %*% vertices), unname(proof$nearest))
  expect_equal(sqrt(rowSums((points - proof$nearest)^2)), proof$distance)
  # a separating plane at that distance: a lower bound
  outside <- proof$distance > 0
  expect_true(any(outside))
  behind <- rowSums(proof$direction * points) - apply(proof$direction %*% t(vertices), 1L, max)
  expect_equal(behind[outside], proof$distance[outside], tolerance = 1e-9)
})

test_that("one point, one vertex and one dimension are accepted", {
  needs_python()
  expect_equal(hull_distance(cbind(3), cbind(c(0, 1))), 2)
  expect_equal(hull_distance(rbind(c(3, 4)), rbind(c(0, 0))), 5)
})

test_that("arguments are checked by name", {
  refused <- function(code, pattern) expect_error(code, pattern, class = "wbms_error")
  refused(hull_distance(cbind(1, 2, 3), square), "'points' has 3 columns, 'vertices' has 2")
  refused(hull_distance(rbind(c(NA, 1)), square), "of 'points'")
  refused(hull_distance(square, rbind(c(Inf, 1))), "infinite.*of 'vertices'")
  refused(hull_distance("a", square), "'points' must be")
  refused(hull_distance(square, square[0, ]), "'vertices' has no rows")
  refused(hull_distance(square, square, certificate = 1), "'certificate'")
})
