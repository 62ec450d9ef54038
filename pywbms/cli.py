"""The command ``pywbms``: its exit codes and error messages.

The commands themselves are in `pywbms._cli`, one module each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from pywbms._cli.output import say, warnings_at_the_end
from pywbms._cli.parser import build_parser
from pywbms._terminal.errors import reason

__all__ = ["main"]

OK, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        The exit code: 0, 1 (the command failed), 2 (no command) or 130 (interrupted).

    Raises
    ------
    SystemExit
        From argparse: code 2 for bad usage, 0 after ``--help`` and ``--version``.
    """
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help(sys.stderr)
        return BAD_USAGE
    try:
        with warnings_at_the_end():
            args.run(args)
    except KeyboardInterrupt as interrupt:
        say("interrupted" + f"; {interrupt}" * bool(str(interrupt)))
        return INTERRUPTED
    except BrokenPipeError:  # the reader of the output, such as `head`, has closed the pipe
        return OK
    except (ValueError, OSError, ImportError, MemoryError) as error:
        say(f"error: {reason(error)}")
        return FAILED
    return OK
