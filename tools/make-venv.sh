#!/bin/sh
# Create a virtual environment; on Debian, first install what a bare machine lacks for it.
# usage: PYTHON=python3 make-venv.sh FOLDER
set -eu

folder=$1
python=${PYTHON:-python3}

missing=""
"$python" -c "import ensurepip, venv" 2>/dev/null || missing="$missing python3-venv"
"$python" - <<'PROBE' 2>/dev/null || missing="$missing python3-dev"
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
PROBE
command -v gcc >/dev/null || command -v cc >/dev/null || missing="$missing gcc libc6-dev"

if [ -n "$missing" ]; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        echo "pywbms: installing Debian packages:$missing"
        apt-get update -qq
        # shellcheck disable=SC2086  # one word per package
        DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq -y --no-install-recommends $missing >/dev/null
    else
        echo "pywbms: missing:$missing" >&2
        echo "  on Debian or Ubuntu: sudo apt-get install$missing" >&2
        exit 1
    fi
fi

echo "pywbms: creating $folder"
"$python" -m venv "$folder"
