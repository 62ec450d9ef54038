.onLoad <- function(libname, pkgname) {
  when_loaded("tidyclust", register_in_tidyclust)
  # If the package 'generics' is installed, use its generics, so that the order in which this
  # package and broom are attached does not matter.
  if (requireNamespace("generics", quietly = TRUE)) {
    namespace <- parent.env(environment())
    for (verb in c("tidy", "glance", "augment")) {
      assign(verb, getExportedValue("generics", verb), envir = namespace)
    }
  }
}
