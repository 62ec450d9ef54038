"""``pywbms reproduce``."""

import json
from pathlib import Path

from pywbms._cli.arguments import add_command, number_of_jobs
from pywbms._cli.output import emit
from pywbms._terminal.table import aligned
from pywbms._terminal.wording import counted, duration
from pywbms.experiments._labels import DIFFERENCE, MEASURED, PRINTED


def add_reproduce(commands):
    """Add the command to the parser."""
    command = add_command(
        commands, "reproduce", run_reproduce, "recompute the paper's figures and tables"
    )
    command.add_argument(
        "names", nargs="*", metavar="NAME", help="figures or tables of the paper, or all"
    )
    command.add_argument("--list", action="store_true", help="print the names and their titles")
    command.add_argument(
        "--data", type=Path, metavar="FOLDER",
        help="folder with the paper's real data as NAME.csv, NAME.csv.gz or NAME.mat; data sets "
        "that are not there are listed as missing",
    )  # fmt: skip
    form = command.add_mutually_exclusive_group()
    form.add_argument(
        "--quick", dest="form", action="store_const", const="quick", default="full",
        help="minutes instead of an hour: fewer draws, coarser grids",
    )  # fmt: skip
    form.add_argument(
        "--tiny", dest="form", action="store_const", const="tiny",
        help="seconds: only to see whether everything works",
    )  # fmt: skip
    command.add_argument(
        "--out", type=Path, default=Path("reproduction"), metavar="FOLDER",
        help="output folder (default reproduction); an interrupted run continues from what is "
        "there",
    )  # fmt: skip
    command.add_argument(
        "--jobs", type=number_of_jobs, default=-1, metavar="N",
        help="processes (default: one per core)",
    )  # fmt: skip


def run_reproduce(args):
    """Recompute figures and tables of the paper; print them beside the printed ones."""
    # Imported here, so that the other commands start faster.
    from pywbms.experiments._registry import EXPERIMENTS
    from pywbms.experiments._run import reproduce

    if args.list:
        emit(listed(EXPERIMENTS, args.json))
        return
    names = list(EXPERIMENTS) if "all" in args.names else list(dict.fromkeys(args.names))
    unknown = [name for name in names if name not in EXPERIMENTS]
    if unknown or not names:
        problem = f"there is no {', '.join(unknown)}" if unknown else "a NAME is needed"
        args.usage_error(f"{problem}; the names are all, {', '.join(EXPERIMENTS)}")
    outcomes = reproduce(
        [EXPERIMENTS[name] for name in names], args.out, args.data, args.form, args.jobs
    )
    emit(as_json(outcomes) if args.json else as_text(outcomes, args.out))
    failures = sum(len(outcome.failures) for outcome in outcomes)
    if failures:
        raise ValueError(f"{counted(failures, 'cell')} failed; see the pages written")


def listed(experiments, as_json):
    """Return the names of the experiments and their titles."""
    if as_json:
        return json.dumps({name: e.title for name, e in experiments.items()}, ensure_ascii=False)
    width = max(map(len, experiments))
    return "\n".join(f"{name.ljust(width)}  {e.title}" for name, e in experiments.items())


def as_text(outcomes, out):
    """Return the findings of each experiment, and the table of a single one."""
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
    """Return the comparison as lines that fit a terminal: short headings, explained below it."""
    headings = {PRINTED: "printed", DIFFERENCE: ""}
    measured = [name for name in table if name.startswith(MEASURED)]
    headings |= dict(zip(measured, "ABC", strict=True))
    # The hat is a combining character of width 0, which would break the alignment.
    rows = [tuple(cell.replace("k̂", "k") for cell in row) for row in table.to_numpy()]
    return [
        *(line.rstrip() for line in aligned([tuple(headings.get(n, n) for n in table), *rows])),
        *(f"{headings[name]}: {name}" for name in measured),
    ]


def as_json(outcomes):
    """Return the findings and tables as a JSON object."""
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
