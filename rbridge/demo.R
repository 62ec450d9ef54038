# The paper's motivating example: two clusters in two of 32 features. Draws demo-r.png.
library(wbms)

x <- wbms_data("data1", seed = 0)
fit <- wbms(x)
print(fit)

cat("\nclusters found and true clusters:\n")
print(table(found = fit$cluster, truth = attr(x, "truth")))

cat("\nthe paper's theorems checked on this fit:\n")
print(wbms_theory(fit))

png("demo-r.png", width = 1600, height = 800, res = 150)
plot(fit)
invisible(dev.off())
cat("\nsaved: demo-r.png\n")
