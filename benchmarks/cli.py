"""The command line: ``python -m benchmarks`` and ``python -m benchmarks compare BASE [HEAD]``."""

import argparse
import sys
from pathlib import Path

from benchmarks import compare, figure, machine, table
from benchmarks.cases import FULL, QUICK, TINY, dense, fifty
from benchmarks.run import names, run
from pywbms._data.atomic import atomic_path

RESULTS = Path(__file__).parent / "results"
# Minimum seconds per case and round of a comparison.
SECONDS_COMPARED = 0.5
COMPARED = (dense(5000, 50), dense(5000, 5), dense(200, 16000), dense(60, 10000), fifty(5_000))


def main(argv=None):
    """Run the command line and return the exit code: 0, 1 (failure) or 130 (interrupted).

    Raises
    ------
    SystemExit
        From argparse: code 2 for bad usage, 0 after ``--help``.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    command, argv = (run_compare, argv[1:]) if argv[:1] == ["compare"] else (run_table, argv)
    try:
        command(argv)
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    except (ValueError, OSError, ImportError, RuntimeError, MemoryError) as error:
        say(f"error: {error}")
        return 1
    return 0


def run_table(argv):
    """Measure, print the table, write it as CSV and draw it."""
    args = table_parser().parse_args(argv)
    plan = TINY if args.tiny else QUICK if args.quick else FULL
    unknown = [name for name in args.only if name not in names(plan)]
    if unknown:
        table_parser().error(
            f"--only: unknown name {unknown[0]!r}; known: {', '.join(names(plan))}"
        )
    args.out.mkdir(parents=True, exist_ok=True)
    machine_lines = [f"{name}: {value}" for name, value in machine.info().items()]
    if not args.markdown:
        print("\n".join(machine_lines), end="\n\n", flush=True)
    rows, rates = run(plan, args.only, say)
    if rates is not None:
        gemm, exp = rates
        machine_lines.append(f"floor: GEMM {gemm / 1e9:.1f} Gflop/s, exp {exp / 1e9:.2f} G/s")
    shown = table.in_text(rows, markdown=args.markdown)
    heading = [f"- {line}" for line in machine_lines] if args.markdown else machine_lines[-1:]
    print("\n".join(heading), shown, sep="\n\n")
    table.write_csv(rows, args.out / "benchmarks.csv")
    figure.draw(rows, args.out / "benchmarks.png")
    with atomic_path(args.out / "machine.txt") as new:
        new.write_text("\n".join(machine_lines) + "\n", encoding="utf-8")
    say(f"wrote benchmarks.csv, benchmarks.png and machine.txt to {args.out}")


def run_compare(argv):
    """Time two commits alternately and print the ratios."""
    args = compare_parser().parse_args(argv)
    rows = compare.compare(args.base, args.head, COMPARED, args.rounds, SECONDS_COMPARED, say)
    print(compare.in_text(rows, markdown=args.markdown))


def table_parser():
    """Return the parser of the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Compare the speed of pywbms with plain NumPy, other methods and the limits of "
        "the hardware. `compare BASE [HEAD]` times two commits instead.",
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="small data, in under two minutes")
    parser.add_argument("--tiny", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument(
        "--out", type=Path, default=RESULTS, metavar="FOLDER",
        help="output folder for the CSV file and the figure (default benchmarks/results)",
    )  # fmt: skip
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME",
        help=f"sections and cases: {', '.join(names(FULL))}",
    )  # fmt: skip
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser


def compare_parser():
    """Return the parser of the comparison."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks compare",
        description="Build two commits and time them alternately; a ratio below 1 means that head "
        "is faster.",
        allow_abbrev=False,
    )
    parser.add_argument("base", metavar="BASE", help="a commit, branch or tag")
    parser.add_argument("head", metavar="HEAD", nargs="?", default="HEAD", help="default: HEAD")
    parser.add_argument(
        "--rounds", type=positive_integer, default=5, metavar="N",
        help="number of rounds (default 5)",
    )  # fmt: skip
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser


def positive_integer(text):
    """Return a number of at least 1."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def say(message):
    """Print a progress message to stderr."""
    print(message, file=sys.stderr, flush=True)
