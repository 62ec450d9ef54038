#!/bin/sh
# Gets R, and what is needed to build the R package (and to test it), from Debian where it may.
# usage: install-r.sh [test]
set -eu

compilers="r-base-core r-base-dev"
packages=""
[ "${1:-}" = test ] && packages="testthat knitr rmarkdown generics ggplot2 tibble mlbench reticulate broom cluster"

missing=""
command -v Rscript >/dev/null || missing="$compilers"
if [ -z "$missing" ] && command -v dpkg >/dev/null && ! dpkg -s r-base-dev >/dev/null 2>&1; then
    missing="r-base-dev"
fi
[ "${1:-}" = test ] && { command -v pandoc >/dev/null || missing="$missing pandoc"; }
absent=$packages
if command -v Rscript >/dev/null && [ -n "$packages" ]; then
    absent=$(Rscript --vanilla -e '
        wanted <- commandArgs(TRUE)
        cat(wanted[!vapply(wanted, requireNamespace, NA, quietly = TRUE)])
    ' $packages 2>/dev/null)
fi
for package in $absent; do
    missing="$missing r-cran-$package"
done
[ -z "$missing" ] && exit 0

become=""
[ "$(id -u)" = 0 ] || become="sudo -n"
if command -v apt-get >/dev/null && $become true 2>/dev/null; then
    $become apt-get update -qq
    # shellcheck disable=SC2086  # one word a package
    $become env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends $missing >/dev/null
else
    {
        echo "R or packages of it are missing:$(printf ' %s' $missing)"
        echo "  on Debian or Ubuntu: sudo apt-get install$(printf ' %s' $missing)"
        if [ -n "$absent" ]; then
            echo "  elsewhere, in R: install.packages(c($(printf '"%s", ' $absent | sed 's/, $//')))"
        fi
    } >&2
    exit 1
fi
