# Arguments of other clustering functions, and what to use here.
elsewhere <- local({
  number <- "use k =, or leave it out: the number of clusters comes out of the data"
  least <- "there is no least size: clusters come out of h, which is larger for fewer and larger ones"
  list(
    centers = number, G = number, n_clusters = number, nclust = number, ncenters = number,
    minPts = least, min_cluster_size = least, min_samples = least,
    bandwidth = "use h =, the square of a bandwidth on z-scores: the kernel is exp(-d^2 / h)",
    sigma = "use h =: the kernel is exp(-d^2 / h), so that h is 2 sigma^2",
    method = "there is one method; the argument 'form' has its published forms", algorithm = "there is one algorithm; the argument 'form' has its published forms",
    nstart = "a fit is deterministic and needs no restarts; 'init' sets the weights at its start",
    itmax = "use max_iter =", trace = "use verbose = TRUE",
    random_state = "use seed =", set.seed = "use seed =",
    metric = "the distance is the Euclidean one with learned feature weights",
    distance = "the distance is the Euclidean one with learned feature weights",
    na.rm = "use na.action = na.omit",
    scale = "use standardize =", stand = "use standardize ="
  )
})
