#!/bin/sh
# Install Chromium, which the tests of pages drive. On Debian and Ubuntu only; elsewhere, say what is
# missing and fail.
set -eu

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done
[ -n "${PYWBMS_CHROMIUM:-}" ] && exit 0

as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null && $as_root true 2>/dev/null; then
    echo "pywbms: installing Debian package: chromium"
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends chromium >/dev/null
else
    {
        echo "pywbms: there is no Chromium for the tests of pages, and only root can install it."
        echo "  on Debian or Ubuntu: sudo apt-get install chromium"
        echo "  elsewhere: install Chromium or Chrome and name it in PYWBMS_CHROMIUM"
    } >&2
    exit 1
fi
