"""``pywbms demo``."""

from sklearn.metrics import adjusted_rand_score

from pywbms import datasets, plot
from pywbms._cli.arguments import add_command, page_path, picture_path, whole_number
from pywbms._cli.files import require_output
from pywbms._cli.fitting import cluster
from pywbms._cli.output import emit, say, wrote
from pywbms._cli.report import as_json, as_text
from pywbms._terminal.errors import reason
from pywbms._viz.figure import require_matplotlib, save_picture


def add_demo(commands):
    """Add the command to the parser."""
    command = add_command(commands, "demo", run_demo, "cluster the paper's motivating example")
    command.add_argument(
        "--seed", type=whole_number(least=0), default=0, metavar="N",
        help="seed of the random data (default 0)",
    )  # fmt: skip
    command.add_argument(
        "--out", type=picture_path, default="demo.png", metavar="FILE.png",
        help="file for the picture (default demo.png)",
    )  # fmt: skip
    command.add_argument(
        "--report", type=page_path, metavar="FILE.html",
        help="file for the report (default: beside the picture, demo.html)",
    )  # fmt: skip


def run_demo(args):
    """Cluster the paper's motivating example, draw how its cloud collapses, and report on it."""
    page = args.report or args.out.with_suffix(".html")
    for path in (args.out, page):
        require_output(path)
    data, truth = datasets.data1(args.seed)
    result = cluster(data, record_path=True)
    ari = adjusted_rand_score(truth, result.labels)
    picture = None
    try:
        require_matplotlib()
        picture = save_picture(plot.collapse(result), args.out)
    except ImportError as error:
        say(reason(error))
    result.report(page, title="The paper's motivating example")
    if args.json:
        emit(as_json(result, ari=ari))
    else:
        score = f"ARI {ari:.3f} (adjusted Rand index against the truth; 1 is a perfect match)"
        emit(as_text(result, [score, *wrote("picture", picture), *wrote("report", page)]))
