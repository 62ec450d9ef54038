library(testthat)
library(wbms)

test_check("wbms")
