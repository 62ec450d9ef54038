"""The paper's experiments, run once for a vignette, and what it shows of them."""

import tempfile

from presentation.figures import figure
from presentation.tables import bullets, show
from pywbms.experiments import EXPERIMENTS, reproduce


class Reproduction:
    """The paper's experiments in their quick form.

    Parameters
    ----------
    data : path, optional
        The folder of the real data; without it they are listed as missing.
    """

    def __init__(self, data=None):
        with tempfile.TemporaryDirectory() as out:
            outcomes = reproduce(EXPERIMENTS.values(), out, data=data, form="quick", jobs=-1)
        self.results = {outcome.experiment.name: outcome for outcome in outcomes}
        if failed := [outcome.failures for outcome in outcomes if outcome.failures]:
            raise RuntimeError(f"experiments have failed: {failed}")

    def findings(self, name):
        """Show the paper's claim and what the experiment found."""
        result = self.results[name]
        bullets(f"The paper: “{result.experiment.claim}”", result.report.findings)

    def draw(self, name, caption, alt):
        """Show an experiment's figure."""
        figure(self.results[name].draw(), caption, alt)

    def compared(self, name, *measures):
        """Show an experiment's printed and measured values, for the given measures."""
        frame = self.results[name].report.tables["Printed and measured"]
        frame = frame[frame["measure"].isin(measures)] if measures else frame
        short = {column: column.removeprefix("measured: ") for column in frame}
        show(frame.drop(columns="printed vs. measured").rename(columns=short))

    def mean_ari(self, name):
        """Return the mean ARI per data set (rows) and method (columns), each at its best."""
        rows = self.results[name].rows
        rows = rows[rows["ari"].notna()]
        best = rows.groupby(["setting", "data", "draw", "method", "run"])["ari"].max()
        return best.reset_index().pivot_table("ari", ["setting", "data"], "method")
