#!/bin/sh
# Makes a virtual environment, after getting from Debian what a bare machine lacks for it.
# usage: PYTHON=python3 make-venv.sh FOLDER
set -eu

folder=$1
python=${PYTHON:-python3}

missing=""
"$python" -c "import ensurepip, venv" 2>/dev/null || missing="$missing python3-venv"
"$python" - <<'EOF' 2>/dev/null || missing="$missing python3-dev"
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
EOF
command -v gcc >/dev/null || command -v cc >/dev/null || missing="$missing gcc"

if [ -n "$missing" ]; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update -qq
        # shellcheck disable=SC2086  # one word a package
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
    else
        echo "missing:$missing. On Debian or Ubuntu: sudo apt-get install$missing" >&2
        exit 1
    fi
fi

"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --upgrade pip
