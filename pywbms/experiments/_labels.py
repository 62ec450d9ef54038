"""Words that tables, pages and the command line share."""

#: Printed and measured agree if they differ by no more than this.
TOLERANCE = 0.05

PRINTED = "printed in the paper"
DIFFERENCE = "printed against measured"
#: The three ways of setting h and lam, by method: heading of the column, and its short name.
COLUMNS = {
    "wbms": ("measured: h and lam chosen without labels", "chosen"),
    "wbms_grid": ("measured: best h and lam on a grid (labels used)", "best on the grid"),
    "wbms_released": ("measured: released form at the paper's h and lam", "released form"),
}
#: What the headings of measured columns begin with.
MEASURED = "measured: "
#: Headings of the released form where the paper prints no pair, or only one of the two.
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
