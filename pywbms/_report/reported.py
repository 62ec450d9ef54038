"""What of a result is for readers: its page, and what a notebook shows."""

from __future__ import annotations

import os

from pywbms._report.compact import compact


class ReportedResult:
    """The report of a result, in full as a file and short in a notebook."""

    def report(self, path: str | os.PathLike, title: str | None = None) -> None:
        """Write the result as one HTML page for readers who do not code.

        The page needs no network. It tells what was found, how certain that is and what the
        alternatives are; it shows the clusters, weights and profiles, the collapse, the other pairs
        (h, lam), the merge tree, outliers and the checks of the theorems, and says how to get the
        result again. Of many rows a part is drawn, which the page says. An existing file is
        replaced as a whole, or stays as it is.

        Parameters
        ----------
        path : path
            Such as "report.html".
        title : str, optional
            The title of the page; by default the number of clusters and the size of the table.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from pywbms import datasets, wbms
        >>> df, truth = datasets.simulation3(random_state=0)
        >>> page = pathlib.Path(tempfile.mkdtemp()) / "report.html"
        >>> wbms(df, h=0.1, lam=0.1).report(page)
        >>> "What was found" in page.read_text(encoding="utf-8")
        True
        """
        from pywbms._report.page import write_report

        write_report(self, path, title)

    def _repr_html_(self) -> str:
        return compact(self)
