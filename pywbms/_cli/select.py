"""``pywbms select``."""

from pywbms import plot
from pywbms._cli.arguments import add_command, add_data, picture_path, table_path, whole_number
from pywbms._cli.features import load_features
from pywbms._cli.files import write_table
from pywbms._cli.output import check_outputs, emit, wrote
from pywbms._cli.report import selection_as_json, selection_as_text
from pywbms._viz.figure import save_picture
from pywbms.select import N_SUBSETS, select


def add_select(commands):
    """Add the command to the parser."""
    command = add_command(commands, "select", run_select, "choose h and lam for the rows of a file")
    add_data(command, several=True)
    search = command.add_argument_group("search")
    search.add_argument(
        "--subsets", type=whole_number(least=2), default=N_SUBSETS, metavar="N",
        help=f"random subsets on which a pair is judged (default {N_SUBSETS})",
    )  # fmt: skip
    search.add_argument(
        "--seed", type=whole_number(least=0), default=0, metavar="N",
        help="seed of the random subsets (default 0)",
    )  # fmt: skip
    output = command.add_argument_group("output")
    output.add_argument(
        "--out", type=table_path, metavar="FILE", help="write the pairs tried, with their scores"
    )
    output.add_argument(
        "--plot", type=picture_path, metavar="FILE.png", help="draw stability and k over h and lam"
    )


def run_select(args):
    """Choose h and lam; write the pairs that were tried and a picture if asked to."""
    check_outputs(args)
    table, features = load_features(args)
    selection = select(
        table[features],
        None if args.h == "auto" else args.h,
        None if args.lam == "auto" else args.lam,
        args.subsets,
        args.seed,
        args.jobs,
        verbose=True,
        na_action=args.na_action,
        categories=args.categories,
        sample_weight=table[args.weights] if args.weights else None,
        init=args.init,
        n_clusters=args.n_clusters,
        standardize=args.standardize,
        max_iter=args.max_iter,
        time_budget=args.time_budget,
    )
    if args.out:
        write_table(selection.table, args.out)
    if args.plot:
        save_picture(plot.selection_map(selection), args.plot)
    if args.json:
        emit(selection_as_json(selection))
        return
    files = [*wrote("pairs", args.out), *wrote("picture", args.plot)]
    emit("\n".join([selection_as_text(selection), *[""] * bool(files), *files]))
