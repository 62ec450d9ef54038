"""The parser of the command line."""

import argparse

from pywbms._cli.demo import add_demo
from pywbms._cli.fit import add_fit
from pywbms._cli.predict import add_predict
from pywbms._cli.reproduce import add_reproduce
from pywbms._cli.select import add_select
from pywbms._cli.theory import add_theory
from pywbms._version import __version__


def build_parser():
    """Return the parser; each command sets `run`, the function that executes it."""
    parser = argparse.ArgumentParser(
        prog="pywbms",
        description="Weighted Blurring Mean Shift: clusters, how many there are, and which "
        "features matter.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pywbms {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for add in (add_demo, add_fit, add_predict, add_select, add_theory, add_reproduce):
        add(commands)
    return parser
