"""The command ``pywbms reproduce``."""

import json
from pathlib import Path

from pywbms._cli.report import aligned
from pywbms._data.wording import counted
from pywbms.experiments._labels import DIFFERENCE, MEASURED, PRINTED
from pywbms.experiments._progress import duration


def add_arguments(command, jobs):
    """Add the command's arguments to its parser; `jobs` reads a number of processes."""
    command.add_argument(
        "names", nargs="*", metavar="NAME", help="figures or tables of the paper, or all"
    )
    command.add_argument("--list", action="store_true", help="print the names and what they are")
    command.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help="folder with the paper's real data, NAME.csv, NAME.csv.gz or NAME.mat each; those "
        "that are not there are listed as missing",
    )  # fmt: skip
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--quick", dest="form", action="store_const", const="quick", default="full",
        help="minutes instead of an hour: fewer draws, coarser grids",
    )  # fmt: skip
    form.add_argument(
        "--tiny", dest="form", action="store_const", const="tiny",
        help="seconds: to see whether everything works",
    )  # fmt: skip
    command.add_argument(
        "--out", type=Path, default=Path("reproduction"), metavar="FOLDER",
        help="where everything goes (default reproduction); a run that was interrupted goes on "
        "from what is there",
    )  # fmt: skip
    command.add_argument(
        "--jobs", type=jobs, default=-1, metavar="N", help="processes (default: one a core)"
    )


def run(args):
    """Run the command.

    Returns
    -------
    text : str
        What to print.
    failures : int
        How many cells failed.
    """
    # Only here: other commands start faster without.
    from pywbms.experiments._registry import EXPERIMENTS
    from pywbms.experiments._run import reproduce

    if args.list:
        return listed(EXPERIMENTS, args.json), 0
    names = list(EXPERIMENTS) if "all" in args.names else list(dict.fromkeys(args.names))
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown or not names:
        problem = f"there is no {', '.join(unknown)}" if unknown else "a NAME is needed"
        args.usage_error(f"{problem}; the names are all, {', '.join(EXPERIMENTS)}")
    outcomes = reproduce(
        [EXPERIMENTS[name] for name in names], args.out, args.data, args.form, args.jobs
    )
    text = as_json(outcomes) if args.json else as_text(outcomes, args.out)
    return text, sum(len(outcome.failures) for outcome in outcomes)


def listed(experiments, as_json):
    """Return the names of the experiments and what they are."""
    if as_json:
        return json.dumps({name: e.title for name, e in experiments.items()}, ensure_ascii=False)
    width = max(map(len, experiments))
    return "\n".join(f"{name.ljust(width)}  {e.title}" for name, e in experiments.items())


def as_text(outcomes, out):
    """Return what came out: findings of each experiment, of a single one also its table."""
    lines = []
    for outcome in outcomes:
        lines.append(f"{outcome.experiment.name}: {outcome.experiment.title}")
        lines.append(f"  the paper: “{outcome.experiment.claim}”")
        lines += [f"  - {finding}" for finding in outcome.report.findings]
        if outcome.missing:
            lines.append(f"  missing, not measured: {', '.join(outcome.missing)}")
        lines += [f"  failed: {what}: {why}" for what, why in outcome.failures.items()]
        cells, took = counted(outcome.n_cells, "cell"), duration(outcome.seconds)
        lines += [f"  {outcome.form} form: {cells}, {took} in this run", ""]
    if len(outcomes) == 1:
        lines += [*table_lines(next(iter(outcomes[0].report.tables.values()))), ""]
    page = "README.md" if len(outcomes) > 1 else f"{outcomes[0].experiment.name}.md"
    drawn = any(file.suffix == ".png" for outcome in outcomes for file in outcome.files)
    return "\n".join([*lines, f"wrote tables{', figures' * drawn} and {page} to {out}"])


def table_lines(table):
    """Return the comparison as lines that fit a terminal: short headings, explained below."""
    headings = {PRINTED: "printed", DIFFERENCE: ""}
    measured = [name for name in table if name.startswith(MEASURED)]
    headings |= dict(zip(measured, "ABC", strict=True))
    # The hat is a character of its own that takes no room.
    rows = [tuple(cell.replace("k̂", "k") for cell in row) for row in table.to_numpy()]
    return [
        *(line.rstrip() for line in aligned([tuple(headings.get(n, n) for n in table), *rows])),
        *(f"{headings[name]}: {name}" for name in measured),
    ]


def as_json(outcomes):
    """Return what came out as a JSON object."""
    return json.dumps(
        {
            outcome.experiment.name: {
                "title": outcome.experiment.title,
                "claim": outcome.experiment.claim,
                "form": outcome.form,
                "findings": outcome.report.findings,
                "tables": {
                    title: table.to_dict(orient="records")
                    for title, table in outcome.report.tables.items()
                },
                "missing": outcome.missing,
                "failures": outcome.failures,
                "files": [str(file) for file in outcome.files],
                "seconds": outcome.seconds,
            }
            for outcome in outcomes
        },
        ensure_ascii=False,
    )
