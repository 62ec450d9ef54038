"""The package is as ARCHITECTURE.md draws it: no cycle, no arrow upwards, nothing that outgrew."""

import re

import architecture
import pytest
from architecture import ABOVE, ROOMS, ROOT, Arrow

FILES = [path for paths in architecture.modules().values() for path in paths]
MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 50


@pytest.fixture(scope="module")
def arrows():
    return architecture.arrows()


class TestImports:
    def test_every_module_is_in_a_room(self):
        rooms = {architecture.room_of(module) for module in architecture.modules()}
        assert rooms == set(ROOMS)

    def test_no_arrow_points_upwards(self, arrows):
        offending = architecture.upward(arrows)
        assert not offending, "against the order of the rooms:\n" + "\n".join(map(str, offending))

    def test_no_cycle_between_modules(self, arrows):
        chain = architecture.cycle(arrows)
        assert not chain, "a cycle:\n" + "\n".join(map(str, chain))

    def test_the_graph_is_that_of_the_package(self, arrows):
        """It has arrows of every kind: at the top, inside functions, to submodules, in Cython."""
        seen = {(arrow.source, arrow.target) for arrow in arrows}
        assert ("pywbms.experiments._run", "pywbms.__init__") in seen
        assert ("pywbms.__init__", "pywbms.estimator") in seen
        assert ("pywbms.experiments._methods", "pywbms.peers") in seen
        assert any(architecture.room_of(a) == architecture.room_of(b) == "_core" for a, b in seen)
        assert len({source for source, _ in seen}) > 40

    def test_the_map_names_every_room(self):
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        missing = [room for room in ROOMS if not re.search(rf"(?<!\w){room}(?!\w)", text)]
        assert not missing


class TestTheTests:
    """They see what they are there for."""

    @pytest.mark.parametrize(
        "code",
        [
            "import pywbms.cli",
            "from pywbms import cli",
            "from pywbms.cli import main",
            "from . import cli",
            "from .cli import main",
            "def f():\n    from pywbms import cli",
            "try:\n    from pywbms import cli\nexcept ImportError:\n    pass",
            "import importlib\nimportlib.import_module('pywbms.cli')",
            "if TYPE_CHECKING:\n    pass\nelse:\n    import pywbms.cli",
        ],
    )
    def test_an_import_of_any_kind_is_an_arrow(self, code, tmp_path, monkeypatch):
        (arrow,) = arrows_of(tmp_path, monkeypatch, {"plot.py": code, "cli.py": ""})
        assert (arrow.source, arrow.target) == ("pywbms.plot", "pywbms.cli")
        assert architecture.upward([arrow]) == [arrow]

    @pytest.mark.parametrize(
        "code",
        [
            "from pywbms._core.tiles cimport (\n    a,\n    b,\n)",
            "from pywbms._core cimport tiles",
            "cimport pywbms._core.tiles",
        ],
    )
    def test_cython_too(self, code, tmp_path, monkeypatch):
        files = {"_core/shift.pyx": "cimport cython\n" + code, "_core/tiles.pxd": ""}
        found = {(arrow.source, arrow.target) for arrow in arrows_of(tmp_path, monkeypatch, files)}
        assert found == {("pywbms._core.shift", "pywbms._core.tiles")}

    def test_what_only_a_type_checker_sees_is_none(self, tmp_path, monkeypatch):
        code = "if TYPE_CHECKING:\n    from pywbms import cli\nimport numpy"
        assert arrows_of(tmp_path, monkeypatch, {"plot.py": code, "cli.py": ""}) == []

    @pytest.mark.parametrize("name", ABOVE)
    def test_what_stands_above_the_package_is_not_imported(self, name):
        arrow = Arrow("pywbms.cli", f"{name}.something", "cli.py:1")
        assert architecture.upward([arrow]) == [arrow]

    def test_the_shortest_cycle_is_told(self):
        pairs = ["ab", "bc", "cd", "da", "ca", "ax"]
        chain = architecture.cycle([Arrow(a, b, "") for a, b in pairs])
        assert "".join(arrow.source for arrow in chain) == "abc"
        assert architecture.cycle([Arrow(a, b, "") for a, b in ("ab", "bc", "ac")]) == []

    def test_lines_of_functions_in_both_languages(self):
        body = '    """One.\n\n    Two.\n    """\n    x = 1\n\n    return x\n'
        (python,) = architecture.python_functions("def f(a,\n      b):\n" + body)
        cython = architecture.cython_functions(
            "cdef int x = len(y)\ncdef class C(B):\n    cdef int a\n\n"
            + "cdef inline double *f(\n    int a) nogil:\n"
            + body
            + "\n\nz = 1\n"
        )
        assert python == ("f", 1, 5)
        assert list(cython) == [("f", 5, 5)]


def arrows_of(tmp_path, monkeypatch, files):
    """The arrows of a package made of a few files."""
    for name, code in files.items():
        path = tmp_path / "pywbms" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    monkeypatch.setattr(architecture, "ROOT", tmp_path)
    return architecture.arrows(architecture.modules(tmp_path / "pywbms"))


class TestSizes:
    def test_modules_are_short(self):
        sizes = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in FILES}
        long = [f"{path}: {lines} lines" for path, lines in sizes.items() if lines >= MOST_LINES]
        assert not long, "\n".join(long)

    def test_functions_are_short(self):
        found = [
            (lines, f"{path.relative_to(ROOT)}:{line} {name}: {lines} lines")
            for path in FILES
            for name, line, lines in architecture.functions(path)
        ]
        assert len(found) > 500
        long = [told for lines, told in found if lines >= MOST_LINES_OF_A_FUNCTION]
        assert not long, "\n".join(long)
