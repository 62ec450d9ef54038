"""The report as a file: what is in it, and what happens to texts, sizes and paths."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import report_pages
from report_pages import clouds, data_of, page_of
from sklearn.metrics import adjusted_rand_score

from pywbms import cli, datasets, wbms
from pywbms._report.markup import as_json
from pywbms._report.refits import Refits
from pywbms._report.sample import Drawn, spread

MOST_BYTES = 3_000_000
CASES = {
    "one row": (pd.DataFrame({"a": [1.0]}), {}),
    "two rows": (pd.DataFrame({"a": [1.0, 5.0]}), {}),
    "no column varies": (pd.DataFrame({"a": [1.0] * 5, "b": 2.0}), {}),
    "equal rows": (pd.DataFrame({"a": [1.0, 1, 5, 5, 9, 9]}), {"h": 0.001}),
    "tree": (clouds(3, 90, 3), {"tree": True}),
    "path": (clouds(3, 90, 3), {"record_path": True}),
    "two asked for": (clouds(3, 90, 3), {"n_clusters": 2}),
    "outliers": (clouds(3, 90, 3, far=2), {"outliers": "label"}),
    "row weights": (clouds(3, 90, 3), {"weights": np.r_[np.zeros(9), np.linspace(0.1, 2, 81)]}),
    "sum scale": (clouds(3, 90, 3), {"lam": 9.0, "lam_scale": "sum"}),
    "not converged": (clouds(3, 90, 3), {"max_iter": 1}),
    "categories": (
        clouds(3, 90, 2).assign(kind=["a", "b"] * 45), {"categories": "indicators"},
    ),
    "gaps": (clouds(3, 90, 3).mask(np.eye(90, 3) > 0), {"na_action": "impute"}),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", CASES)
def test_every_kind_of_result_has_a_report(case, tmp_path):
    frame, more = CASES[case]
    result = wbms(frame, **{"h": 0.02, "lam": 0.3, **more})
    text = page_of(result, tmp_path)
    data = data_of(text)
    assert sum(data["clusters"]["size"]) == (result.labels >= 0).sum()
    assert data["rows"]["label"] == result.estimator.labels_.tolist()
    assert data["collapse"]["iteration"][0] == 0
    assert "{{" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_the_collapse_ends_where_the_fit_ends(tmp_path):
    """It is the same fit: its last frame has the groups of the result."""
    result = wbms(clouds(4, 120, 3), h=0.02, lam=0.3)
    data = data_of(page_of(result, tmp_path))
    assert data["collapse"]["iteration"][-1] == result.n_iter
    last = np.column_stack([data["collapse"]["x"][-1], data["collapse"]["y"][-1]])
    modes = np.column_stack([data["rows"]["centres"][0], data["rows"]["centres"][1]])
    assert np.abs(last - modes[result.labels]).max() < 1e-3 * np.ptp(modes)


def test_the_tree_has_the_clusters_of_the_result_at_its_cut(tmp_path):
    result = wbms(clouds(4, 120, 3), h=0.02, lam=0.3, tree=True)
    tree = data_of(page_of(result, tmp_path))["tree"]
    assert tree["whole"]
    assert sum(height > tree["cut"] for height in tree["height"]) == result.n_clusters - 1
    assert tree["floor"] <= tree["cut"]
    assert np.bincount(tree["leaf"]).tolist() == tree["size"]
    for leaf, cluster in enumerate(tree["cluster"]):
        assert set(result.labels[np.equal(tree["leaf"], leaf)]) == {cluster}


def test_the_map_has_a_partition_of_each_pair(searched, tmp_path):
    found = data_of(page_of(searched, tmp_path))["map"]
    assert found["total"] == len(found["h"]) == len(searched.selection)
    assert sum(found["chosen"]) == 1
    for k, place in zip(found["k"], found["partition"], strict=True):
        assert 1 + max(found["partitions"][place]) == k  # all rows were searched, too


def test_the_partitions_of_alternatives_are_those_of_their_pairs(tmp_path):
    result = report_pages.uncertain()
    found = data_of(page_of(result, tmp_path))["alternatives"]
    assert len(found) == len(result.alternatives) > 0
    for labels, k in zip(found, result.alternatives["k"], strict=True):
        assert adjusted_rand_score(labels, result.at(k).labels) > 0.9
        assert 1 + max(labels) == k


@pytest.mark.parametrize("scale", ["mean", "sum"])
def test_partitions_of_joined_groups_are_joined(scale):
    """As in a fit of the same pair that joins; lam is on the scale of the result."""
    frame = clouds(3, 60, 2)
    lam = 0.3 * (60 if scale == "sum" else 1)
    refits = Refits(wbms(frame, h=0.02, lam=lam, lam_scale=scale), np.arange(60))
    place = (0.001, lam, (0.5, 0.5))
    joined = wbms(frame, h=0.001, lam=lam, lam_scale=scale, init=[0.5, 0.5], join=True)
    assert np.array_equal(refits.joined_labels(*place), joined.labels)
    (groups,) = refits.labels_of([place])
    assert np.array_equal(groups, joined.estimator.groups_)


@pytest.fixture(scope="module")
def searched():
    return report_pages.searched()


def test_what_was_found_is_told_in_words(searched, tmp_path):
    text = page_of(searched, tmp_path)
    assert f"fall into {searched.n_clusters} clusters" in text
    assert f'<span class="badge {searched.confidence.word}">' in text
    assert f"lam={searched.lam!r}" in text
    assert f"wbms_report(fit, {escaped_quotes('report.html')})" in text


def escaped_quotes(text):
    return f"&quot;{text}&quot;"


def test_the_code_on_the_page_gives_the_same_clusters(searched, tmp_path):
    text = page_of(searched, tmp_path)
    (line,) = re.findall(r"^again = (wbms\(.*\))$", text, re.MULTILINE)
    again = eval(line.replace("&#x27;", "'"), {"wbms": wbms, "data": searched.data,
                                               "result": searched})  # fmt: skip
    assert again.labels.equals(searched.labels)
    assert again.weights.equals(searched.weights)


def test_the_code_names_what_is_not_the_default(tmp_path):
    frame = clouds(3, 60, 2).assign(kind=["a", "b"] * 30).mask(np.eye(60, 3) > 0)
    given = {"categories": "indicators", "na_action": "omit", "random_state": 7}
    text = page_of(wbms(frame, h=0.02, lam=0.3, **given), tmp_path)
    code = text.replace("&#x27;", "'").replace("&quot;", '"')
    for name, value in given.items():
        assert f"{name}={value!r}" in code
    for argument in ('categories = "indicators"', "na.action = na.omit", "seed = 7L", "h = 0.02"):
        assert argument in code
    assert "indicators=(" not in code


def test_a_report_is_the_same_each_time(searched, tmp_path):
    assert page_of(searched, tmp_path) == page_of(searched, tmp_path)


def test_texts_of_the_data_are_only_texts(tmp_path):
    result = report_pages.hostile()
    text = page_of(result, tmp_path)
    shown = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "&lt;script&gt;alert(1)" in shown
    assert not re.search(r"<script|</script|<img|<b>|\0", shown)
    assert data_of(text)["rows"]["name"][0].startswith("</script><b>")
    assert any("{{title}}" in name for name in data_of(text)["weights"]["names"])


def test_what_is_not_finite_becomes_null():
    assert json.loads(as_json({"x": np.array([np.nan, 1.0, np.inf])})) == {"x": [None, 1.0, None]}


def test_ten_thousand_rows_stay_below_three_megabytes(tmp_path):
    result = report_pages.of_many_rows(10_000, 6, 5, "customer number")
    text = page_of(result, tmp_path)
    assert len(text.encode()) < MOST_BYTES
    assert len(data_of(text)["rows"]["x"]) == 10_000


def test_many_rows_are_thinned_and_the_page_says_so(tmp_path):
    text = page_of(report_pages.of_many_rows(100_000, 3, 4), tmp_path)
    rows = data_of(text)["rows"]
    assert len(rows["x"]) <= 10_000
    assert rows["total"] == 100_000
    assert f"Thinned: {len(rows['x']):,} of 100,000 rows are drawn" in text
    assert len(text.encode()) < MOST_BYTES


def test_many_columns(tmp_path):
    text = page_of(report_pages.many_columns(), tmp_path)
    assert len(text.encode()) < MOST_BYTES
    data = data_of(text)
    assert len(data["weights"]["names"]) == 10_000  # for the search
    assert "The 30 heaviest of 10,000 columns" in text


class TestWhichRows:
    def test_each_cluster_is_among_them(self):
        labels = np.repeat([0, 1, 2], [90_000, 900, 3])
        rows = spread(labels, 1000)
        found = np.bincount(labels[rows])
        assert len(rows) <= 1000
        assert found[2] == 3
        assert found[0] > 50 * found[1] > 0

    def test_rows_without_weight_are_not_fitted_again(self):
        weights = np.r_[np.zeros(30), np.ones(60)]
        result = wbms(clouds(3, 90, 3), h=0.02, lam=0.3, weights=weights)
        drawn = Drawn.of(result)
        assert len(drawn.rows) == 90
        assert (weights[drawn.rows[drawn.repeated]] > 0).all()


@pytest.fixture(scope="module")
def result():
    return wbms(clouds(2, 40, 2), h=0.05, lam=0.3)


class TestPath:
    def test_a_folder(self, result, tmp_path):
        with pytest.raises(IsADirectoryError, match="it is a folder"):
            result.report(tmp_path)

    def test_no_folder(self, result, tmp_path):
        with pytest.raises(FileNotFoundError, match="there is no folder"):
            result.report(tmp_path / "nowhere" / "report.html")

    @pytest.mark.parametrize("path", ["", None, 3])
    def test_no_path(self, result, path):
        with pytest.raises((TypeError, ValueError), match="path must be"):
            result.report(path)

    def test_no_title(self, result, tmp_path):
        with pytest.raises(TypeError, match="title must be a text"):
            result.report(tmp_path / "report.html", title=3)

    def test_an_old_file_stays_if_the_new_one_fails(self, result, tmp_path, monkeypatch):
        path = tmp_path / "report.html"
        path.write_text("old")
        monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(ValueError, match=r"cannot write .*report\.html: disk full"):
            result.report(path)
        assert path.read_text() == "old"
        assert [file.name for file in tmp_path.iterdir()] == ["report.html"]

    def test_a_table_of_another_library(self, tmp_path):
        polars = pytest.importorskip("polars")
        result = wbms(polars.from_pandas(clouds(2, 40, 2)), h=0.05, lam=0.3)
        result.report(tmp_path / "report.html")
        assert (tmp_path / "report.html").stat().st_size > 500_000


class TestCommand:
    @pytest.fixture
    def table(self, tmp_path):
        datasets.simulation3(0)[0].to_csv(tmp_path / "data.csv", index=False)
        return tmp_path / "data.csv"

    def run(self, *arguments):
        with pytest.raises(SystemExit) as stopped:
            cli.main([str(argument) for argument in arguments])
        return stopped.value.code

    def test_writes_the_page(self, table, tmp_path, capsys):
        page = tmp_path / "report.html"
        code = cli.main(["fit", str(table), "--h", "0.1", "--lam", "0.1", "--report", str(page)])
        assert not code
        assert f"wrote the report to {page}" in capsys.readouterr().out
        assert "What was found" in page.read_text(encoding="utf-8")

    def test_wants_a_page(self, table, tmp_path, capsys):
        assert self.run("fit", table, "--report", tmp_path / "report.pdf") == 2
        assert "suffix must be one of .html .htm" in capsys.readouterr().err


def test_the_guide_does_what_it_says(tmp_path, monkeypatch):
    guide = Path(__file__).resolve().parents[1] / "docs" / "guide" / "report.md"
    blocks = re.findall(r"^```python\n(.*?)^```", guide.read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(block, {})
    assert "Three groups of customers" in Path("report.html").read_text(encoding="utf-8")
