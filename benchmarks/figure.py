"""The figure of a run: six panels, each drawn if its rows were measured."""

import matplotlib
from matplotlib.figure import Figure

from pywbms._data.atomic import atomic_path

TIMES = {
    "floor_s": ("floor", "0.6"),
    "ours_s": ("pywbms, 1 thread", "C0"),
    "two_threads_s": ("pywbms, 2 threads", "C9"),
    "iteration_s": ("pywbms, within a fit", "C2"),
    "numpy_s": ("plain NumPy", "C1"),
    "tuned_s": ("tuned NumPy", "C8"),
    "oracle_s": ("oracle", "C3"),
}


def draw(rows, path):
    """Draw the rows of a table into a PNG file."""
    panels = [
        (panel, [row for row in rows if row["section"] == section])
        for section, panel in PANELS.items()
    ]
    panels = [(panel, its_rows) for panel, its_rows in panels if its_rows]
    if not panels:
        raise ValueError("there are no measurements to draw")
    columns, lines = min(2, len(panels)), -(-len(panels) // 2)
    with matplotlib.rc_context({"axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(7 * columns, 4.5 * lines), layout="constrained")
        axes = figure.subplots(lines, columns, squeeze=False).ravel()
        for ax, (panel, its_rows) in zip(axes, panels, strict=False):
            panel(ax, its_rows)
        for ax in axes[len(panels) :]:
            ax.remove()
        with atomic_path(path) as new:
            figure.savefig(new, dpi=120)


def draw_steps(ax, rows):
    """Draw one group of bars per case."""
    ax.set_yscale("log")
    draw_bars(ax, [row["case"] for row in rows], rows, TIMES, 1000)
    ax.set(title="One step", ylabel="milliseconds")


def draw_series(ax, rows):
    """Draw time against n, with reference lines of exponents 1 and 2."""
    n = [row["n"] for row in rows]
    for name, (label, color) in {**TIMES, "fit_s": ("pywbms, whole fit", "C4")}.items():
        known = [(row["n"], row[name]) for row in rows if row.get(name)]
        if known:
            ax.plot(*zip(*known, strict=True), "o-", color=color, label=label)
    start = min(row["ours_s"] for row in rows)
    for power, style in ((1, ":"), (2, "--")):
        ax.plot(n, [start * (size / n[0]) ** power for size in n], style, color="0.8", zorder=0,
                label=f"∝ n{'²' if power == 2 else ''}")  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(n, [f"{size:,}" for size in n])
    ax.minorticks_off()
    ax.set(title="50 well-separated clusters, p = 20", xlabel="n", ylabel="seconds")
    ax.legend(frameon=False, fontsize="small")


def draw_fits(ax, rows):
    """Draw one group of bars per data set, one bar per method with its ARI above it."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    width = 0.8 / len(methods)
    for place, method in enumerate(methods):
        for row in rows:
            if row["method"] != method:
                continue
            x = cases.index(row["case"]) + (place - (len(methods) - 1) / 2) * width
            text = {"ha": "center", "va": "bottom", "fontsize": "small"}
            if row.get("fit_s") is None:  # it was stopped: a note in place of the bar
                ax.text(x, 0.02, row["note"], transform=ax.get_xaxis_transform(), rotation=90,
                        **text)  # fmt: skip
            else:
                ax.bar(x, row["fit_s"], width, color=f"C{place}")
                ax.text(x, row["fit_s"], f"{row['ari']:.2f}", **text)
        ax.bar([0], [0], color=f"C{place}", label=method)
    ax.set_yscale("log")
    ax.set_xticks(range(len(cases)), cases)
    ax.set(title="Whole fits, ARI above the bar", ylabel="seconds")
    ax.legend(frameon=False, fontsize="small", loc="upper left")


def draw_busy(ax, rows):
    """Draw one group of bars per case and load."""
    bars = {"one_thread_s": ("1 thread", "C0"), "two_threads_s": ("2 threads", "C9")}
    ax.set_yscale("log")
    draw_bars(ax, [f"{row['case']},\n{row['method']}" for row in rows], rows, bars, 1)
    ax.set(title="Fits beside other processes", ylabel="seconds")


def draw_memory(ax, rows):
    """Draw the peak and the guarantee."""
    bars = {
        "input_mb": ("input", "0.6"),
        "peak_mb": ("peak beyond the input", "C0"),
        "promise_mb": ("guarantee: 3 inputs + 64 MB per thread", "0.85"),
    }
    draw_bars(ax, [f"{row['n']} × {row['p']}" for row in rows], rows, bars, 1)
    ax.set(title="Peak memory of a fit", ylabel="MB")


def draw_distributed(ax, rows):
    """Draw an iteration in this process and one on the cluster."""
    rows = [row for row in rows if row.get("iteration_s")]
    bars = {
        "iteration_s": ("in this process, 1 thread", "C2"),
        "cluster_s": ("on two processes", "C6"),
    }
    ax.set_yscale("log")
    draw_bars(ax, [row["case"] for row in rows], rows, bars, 1000)
    ax.set(title="An iteration on a Dask cluster", ylabel="milliseconds")


def draw_bars(ax, names, rows, bars, scale):
    """Draw one group of bars per row; missing cells leave a gap."""
    bars = {name: look for name, look in bars.items() if any(row.get(name) for row in rows)}
    width = 0.8 / len(bars)
    for place, (name, (label, color)) in enumerate(bars.items()):
        shift = (place - (len(bars) - 1) / 2) * width
        known = [(x + shift, scale * row[name]) for x, row in enumerate(rows) if row.get(name)]
        ax.bar(*zip(*known, strict=True), width, color=color, label=label)
    ax.set_xticks(range(len(names)), names)
    low, high = ax.get_ylim()  # room for the legend above the tallest bar
    ax.set_ylim(top=high * (high / low) ** 0.4 if ax.get_yscale() == "log" else 1.3 * high)
    ax.legend(frameon=False, fontsize="small", loc="upper right", ncols=2)


PANELS = {
    "step": draw_steps, "series": draw_series, "fit": draw_fits, "busy": draw_busy,
    "memory": draw_memory,
    "distributed": draw_distributed,
}  # fmt: skip
