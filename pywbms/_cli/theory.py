"""``pywbms theory``."""

from pywbms import datasets
from pywbms._cli.arguments import add_command, add_data
from pywbms._cli.features import chosen_features, load_features
from pywbms._cli.fitting import cluster, model_parameters
from pywbms._cli.output import emit
from pywbms._cli.report import headline
from pywbms._terminal.table import aligned


def add_theory(commands):
    """Add the command to the parser."""
    command = add_command(
        commands, "theory", run_theory, "check the paper's theorems on a fit of a file"
    )
    add_data(command, nargs="?")


def run_theory(args):
    """Check every theorem that applies to a fit of a file, or of the motivating example."""
    if args.data is None:
        table, _ = datasets.data1(0)
        features = chosen_features(table, args)
    else:
        table, features = load_features(args)
    result = cluster(table, features, record_path=True, **model_parameters(args))
    checks = result.check_theory(progress=True)
    if args.json:
        emit(checks.to_json(orient="records"))
        return
    rows = [
        (row.theorem, row.checked, f"{row.deviation:.1e}", "yes" if row.holds else "NO")
        for row in checks.itertuples()
    ]
    lines = aligned([("theorem", "checked", "worst deviation", "holds"), *rows])
    emit("\n".join([*headline(result), "", *lines]))
