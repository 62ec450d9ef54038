"""Labels shared by tables, pages and the command line."""

#: Printed and measured values agree if they differ by at most this.
TOLERANCE = 0.05

PRINTED = "printed in the paper"
DIFFERENCE = "printed vs. measured"
#: The three ways of setting h and lam, by method: column heading and short name.
COLUMNS = {
    "wbms": ("measured: h and lam chosen without labels", "chosen"),
    "wbms_grid": ("measured: best h and lam on a grid (labels used)", "best on the grid"),
    "wbms_released": ("measured: released form at the paper's h and lam", "released form"),
}
#: Prefix of the headings of measured columns.
MEASURED = "measured: "
#: Headings of the released form if the paper prints no pair, or only one of the two.
RELEASED_IN_RANGE = "measured: released form, best h and lam in the paper's range (labels used)"
RELEASED_IN_MAP = "measured: released form, best h and lam of the map (labels used)"
RELEASED_OTHER_BEST = (
    "measured: released form at the paper's value, best of its values of the other (labels used)"
)
TITLES = {
    "ari": "ARI", "nmi": "NMI", "ami": "AMI", "k": "k̂", "singletons": "share of singletons",
}  # fmt: skip
FORMATS = {
    "ari": "{:z.3f}", "nmi": "{:z.3f}", "ami": "{:z.3f}", "k": "{:.3g}", "singletons": "{:.1%}",
    "informative": "{:z.3f}", "seconds": "{:.3g}",
}  # fmt: skip
NOT_PRINTED = "–"
NOT_MEASURED = "not measured"
FIGURE_ONLY = "figure only"
