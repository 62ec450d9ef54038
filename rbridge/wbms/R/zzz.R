.onLoad <- function(libname, pkgname) {
  # Where the package 'generics' is installed, its verbs are ours, so that it does not matter in
  # which order this package and broom are attached.
  if (requireNamespace("generics", quietly = TRUE)) {
    namespace <- parent.env(environment())
    for (verb in c("tidy", "glance", "augment")) {
      assign(verb, getExportedValue("generics", verb), envir = namespace)
    }
  }
}
