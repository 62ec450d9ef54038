"""``python -m pywbms``: the same as the command ``pywbms``."""

import sys

from pywbms.cli import main

if __name__ == "__main__":
    sys.exit(main())
