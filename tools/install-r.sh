#!/bin/sh
# Install R and what building the R package needs; with "test", also what its tests and vignettes
# need, with "docs" what the site needs. On Debian and Ubuntu only; elsewhere, say what is missing
# and fail.
# usage: install-r.sh [test|docs]
set -eu

packages=""
[ "${1:-}" = test ] && packages="testthat knitr rmarkdown generics ggplot2 tibble mlbench reticulate broom cluster cli"
[ "${1:-}" = docs ] && packages="pkgdown knitr rmarkdown generics ggplot2 tibble mlbench cluster"

missing=""
if ! command -v Rscript >/dev/null; then
    missing=" r-base-core r-base-dev"
elif command -v dpkg >/dev/null && ! dpkg -s r-base-dev >/dev/null 2>&1; then
    missing=" r-base-dev"
fi
[ "${1:-}" = test ] && { command -v pandoc >/dev/null || missing="$missing pandoc"; }
absent=$packages
if command -v Rscript >/dev/null && [ -n "$packages" ]; then
    # shellcheck disable=SC2086  # one word per package
    absent=$(Rscript --vanilla -e '
        wanted <- commandArgs(TRUE)
        cat(wanted[!vapply(wanted, requireNamespace, NA, quietly = TRUE)])
    ' $packages 2>/dev/null)
fi
for package in $absent; do
    missing="$missing r-cran-$package"
done
[ -z "$missing" ] && exit 0

as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null && $as_root true 2>/dev/null; then
    echo "pywbms: installing Debian packages:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086  # one word per package
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends $missing >/dev/null
else
    {
        echo "pywbms: R, or some of its packages, are not installed, and only root can install them."
        echo "  on Debian or Ubuntu: sudo apt-get install$missing"
        if [ -n "$absent" ]; then
            # shellcheck disable=SC2086  # one word per package
            echo "  elsewhere, in R: install.packages(c($(printf '"%s", ' $absent | sed 's/, $//')))"
        fi
    } >&2
    exit 1
fi
