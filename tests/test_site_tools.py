"""What builds the site: its check of pages, its vignettes, its formulas."""

import sys
from pathlib import Path

import pytest

from tools import check_site, percent

ROOT = Path(__file__).resolve().parents[1]


def problems(folder, **pages):
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(f"<html><body>{body}</body></html>", "utf-8")
    return list(check_site.problems(folder))


class TestCheckOfTheSite:
    def test_a_sound_site_has_no_problems(self, tmp_path):
        (tmp_path / "dot.png").touch()
        assert (
            problems(
                tmp_path,
                a='<a href="b.html#there">b</a> <img src="dot.png" alt="a dot">'
                '<a href="https://example.org/x">elsewhere</a>',
                b='<h2 id="there">there</h2><a href="#there">up</a><a href="a.html">a</a>',
            )
            == []
        )

    def test_an_empty_site_is_a_problem(self, tmp_path):
        assert problems(tmp_path) == [f"there are no pages in {tmp_path}"]

    @pytest.mark.parametrize(
        ("body", "problem"),
        [
            ('<a href="c.html">c</a>', "a.html: c.html is not there"),
            ('<a href="a.html#no">no</a>', "a.html: a.html#no has no such section"),
            ('<img src="no.png" alt="no">', "a.html: no.png is not there"),
            (
                '<script src="https://cdn.example/x.js"></script>',
                "a.html loads https://cdn.example/x.js",
            ),
            ('<link rel="stylesheet" href="//x.example/a.css">', "a.html loads //x.example/a.css"),
            (
                '<img src="data:,x">',
                "a.html has a picture without alternative text: data:,x",
            ),
        ],
    )
    def test_problems_are_named(self, tmp_path, body, problem):
        assert problem in problems(tmp_path, a=body)

    def test_style_sheets_load_nothing_from_elsewhere(self, tmp_path):
        (tmp_path / "a.css").write_text("@font-face { src: url('https://fonts.example/f.woff') }")
        assert problems(tmp_path, a="") == ["a.css loads https://fonts.example/f.woff"]


class TestVignettes:
    @pytest.fixture
    def execute(self, tmp_path):
        def executed(source):
            (tmp_path / "vignette.py").write_text(source, "utf-8")
            return percent.execute(tmp_path / "vignette.py")

        return executed

    def test_what_is_printed_and_shown_stands_below_the_code(self, execute):
        markdown, names = execute(
            "# %% [markdown]\n# # Title\n\n# %%\nimport sys\nx = 2\nprint('first')\n"
            "sys.displayhook('second')\nx + 1\n"
        )
        assert names["x"] == 2
        places = [markdown.index(text) for text in ("# Title", "x = 2", "first", "second", "\n3\n")]
        assert places == sorted(places)

    def test_html_is_shown_as_such(self, execute):
        class_ = "class T:\n    def _repr_html_(self):\n        return '<b>\\n\\nbold</b>'\n"
        markdown, _ = execute(f"# %%\n{class_}T()\n")
        assert "<b>\nbold</b>" in markdown

    def test_code_is_folded_away(self, execute):
        markdown, _ = execute('# %% tags=["checks"]\nassert True\n')
        assert markdown.startswith(
            '<details class="fold"><summary>The claims, as assertions</summary>'
        )

    def test_a_claim_that_does_not_hold_stops_it(self, execute):
        hook = sys.displayhook
        with pytest.raises(AssertionError):
            execute("# %%\nassert False\n")
        assert sys.displayhook is hook

    def test_it_begins_with_a_cell(self, execute):
        with pytest.raises(ValueError, match="begins with a cell"):
            execute("x = 1\n# %%\n")


class TestFormulas:
    @pytest.fixture
    def to_mathml(self, monkeypatch):
        pytest.importorskip("latex2mathml")
        pytest.importorskip("sphinx")
        monkeypatch.syspath_prepend(ROOT / "docs" / "extensions")
        from mathml import to_mathml

        return to_mathml

    def test_are_mathml(self, to_mathml):
        made = to_mathml(r"\frac{1}{\lambda}")
        assert made.startswith("<math")
        assert "<mfrac>" in made

    def test_unknown_commands_are_refused(self, to_mathml):
        from sphinx.errors import ExtensionError

        with pytest.raises(ExtensionError, match="nosuchcommand"):
            to_mathml(r"a \nosuchcommand b")
