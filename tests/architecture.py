"""The rooms of pywbms in the order in which they may use each other, and its import graph.

ARCHITECTURE.md draws the same order; `test_architecture.py` holds the package to it.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "pywbms"

# From bottom to top: a room may use those before it. `__init__` is what `import pywbms` gives.
ROOMS = (
    "_version", "_core", "_machine", "_terminal", "_data", "_engine", "_selection", "estimator",
    "theory", "gaussian", "datasets", "_viz", "plot", "_results", "_report", "result",
    "storage", "_streams", "_distributed", "select", "frame", "distributed", "__init__", "peers",
    "experiments", "_cli", "cli", "__main__",
)  # fmt: skip
# They stand above the package, which knows nothing of them.
ABOVE = ("rbridge", "benchmarks", "tests")

CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+(?P<source>[\w.]+)\s+c?import\s+(?P<names>\([^)]*\)|[^(\n]+)"
    r"|c?import\s+(?P<modules>[^\n]+))",
    flags=re.MULTILINE,
)


@dataclass(frozen=True)
class Arrow:
    """An import: which module, which other one, and where that is written."""

    source: str
    target: str
    place: str

    def __str__(self):
        return f"{self.source} → {self.target} ({self.place})"


def module_name(path):
    """Return the dotted name of a file of the package; a package's is that of its folder."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def modules(folder=ROOT / PACKAGE):
    """Return the files of the package by the dotted name of their modules."""
    files = sorted([*folder.rglob("*.py"), *folder.rglob("*.pyx"), *folder.rglob("*.pxd")])
    found = {}
    for path in files:  # a .pxd beside its .pyx is part of the same module
        found.setdefault(module_name(path), []).append(path)
    return found


def room_of(module):
    """Return the room of a module: the first part of its name inside the package."""
    return module.split(".")[1]


def arrows(files=None):
    """Return all imports of modules of the package, and of what stands above it, as arrows."""
    files = modules() if files is None else files
    found = {}
    for module, paths in files.items():
        for path in paths:
            read = python_imports if path.suffix == ".py" else cython_imports
            is_package = path.stem == "__init__"
            for line, source, names in read(path.read_text(encoding="utf-8"), module, is_package):
                for target in resolved(source, names, files):
                    if target is not None and target != module:
                        arrow = Arrow(module, target, f"{path.relative_to(ROOT)}:{line}")
                        found[arrow] = None  # once, however many names it imports
    return list(found)


def resolved(source, names, files):
    """Yield the modules that an import gives: submodules, else the one that holds the names."""
    if source.split(".")[0] in ABOVE:
        yield source
    if source.split(".")[0] != PACKAGE:
        return
    for name in names or [None]:
        inner = f"{source}.{name}"
        if name is not None and inner in files:
            yield inner
        else:
            yield f"{PACKAGE}.__init__" if source == PACKAGE else source


def python_imports(text, module, is_package):
    """Yield line, module and names of each import, those inside functions included.

    What stands under ``if TYPE_CHECKING`` is never executed and does not count.
    """
    waiting = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting.extend(node.orelse)
            continue
        waiting.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, []
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                base = module.split(".")
                base = base[: len(base) - node.level + is_package]
                source = ".".join([*base, *source.split(".")]).rstrip(".")
            yield node.lineno, source, [alias.name for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            argument = node.args[0] if node.args else None
            if isinstance(argument, ast.Constant):
                yield node.lineno, argument.value, []


def cython_imports(text, module, is_package):
    """Yield line, module and names of each import and cimport of a Cython file."""
    for match in CYTHON_IMPORT.finditer(text):
        line = text.count("\n", 0, match.start("source" if match["source"] else "modules")) + 1
        if match["source"]:
            names = re.findall(r"(\w+)(?:\s+as\s+\w+)?\s*(?:,|$|\))", match["names"].strip())
            yield line, match["source"], names
        else:
            for name in match["modules"].split(","):
                yield line, name.split()[0], []


def upward(found):
    """Return the arrows that point from a room to one above it, or out of the package."""
    rank = {room: i for i, room in enumerate(ROOMS)}
    return [
        arrow
        for arrow in found
        if arrow.target.split(".")[0] != PACKAGE
        or rank[room_of(arrow.target)] > rank[room_of(arrow.source)]
    ]


def cycle(found):
    """Return a shortest chain of arrows that leads back to where it began, or an empty list."""
    leaving = {}
    for arrow in found:
        leaving.setdefault(arrow.source, []).append(arrow)
    shortest = []
    for start in leaving:
        chains, seen = [[arrow] for arrow in leaving[start]], set()
        while chains:
            chain = chains.pop(0)
            here = chain[-1].target
            if here == start:
                if not shortest or len(chain) < len(shortest):
                    shortest = chain
                break
            if here not in seen:
                seen.add(here)
                chains.extend([*chain, arrow] for arrow in leaving.get(here, []))
    return shortest


def functions(path):
    """Yield name, line and number of lines, docstring not counted, of each function of a file."""
    text = path.read_text(encoding="utf-8")
    yield from (python_functions if path.suffix == ".py" else cython_functions)(text)


def python_functions(text):
    """Yield the functions of Python code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node) is not None:
                lines -= node.body[0].end_lineno - node.body[0].lineno + 1
            yield node.name, node.lineno, lines


def cython_functions(text):
    """Yield the functions of Cython code: from their head to where the indentation ends."""
    lines = text.splitlines()
    for first, line in enumerate(lines):
        head = re.match(r"(\s*)(?:def|cp?def\s(?!class\b)[^=]*?)\s*\b(\w+)\(", line)
        if head is None:
            continue
        last, opened = first, bracket_depth(lines[first])
        while opened > 0:  # a head may take several lines
            last += 1
            opened += bracket_depth(lines[last])
        if not re.search(r":\s*(#.*)?$", lines[last]):
            continue  # a declaration
        body = first_of_body = last + 1
        while body < len(lines) and (
            not lines[body].strip() or len(lines[body]) - len(lines[body].lstrip()) > len(head[1])
        ):
            body += 1
        while not lines[body - 1].strip():
            body -= 1
        code = "\n".join(lines[first_of_body:body])
        docstring = re.match(r'\s*r?"""(.*?)"""[^\n]*\n?', code, flags=re.DOTALL)
        without = body - first - (docstring[0].rstrip("\n").count("\n") + 1 if docstring else 0)
        yield head[2], first + 1, without


def bracket_depth(line):
    """Return how many more brackets a line opens than it closes, comments apart."""
    code = line.partition("#")[0]
    return sum(code.count(bracket) for bracket in "([") - sum(code.count(b) for b in ")]")
