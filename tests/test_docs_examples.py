"""Every code block of the README and of the site's pages is executed."""

import contextlib
import io
import re
import shlex

import documents
import matplotlib.pyplot as plt
import pytest
import rsession
from documents import ROOT, blocks

from pywbms import cli, datasets

# fixtures
r_library, r = rsession.r_library, rsession.r

README = ROOT / "README.md"
PAGES = [README, *documents.pages()]


def with_blocks(language):
    """Parametrize with the pages that have such blocks."""
    found = [page for page in PAGES if blocks(page, language)]
    names = [page.relative_to(ROOT).as_posix() for page in found]
    return pytest.mark.parametrize("page", found, ids=names)


@pytest.mark.slow
@with_blocks("python")
def test_python_blocks_run_in_order_and_print_what_is_shown(page, monkeypatch, tmp_path):
    plt.switch_backend("agg")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FOLDER").mkdir()
    printed = io.StringIO()
    namespace = {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for code in blocks(page, "python"):
            exec(compile(code, str(page), "exec"), namespace)
    plt.close("all")
    shown = blocks(page, "text")
    # In a page on both languages, the first output is Python's.
    assert printed.getvalue() == (shown[0] if shown else "")


@with_blocks("r")
def test_r_blocks_run_in_order_and_print_what_is_shown(page, r, tmp_path):
    first, *rest = blocks(page, "r")
    printed, _ = r("\n".join([first, 'cat("<end>\\n")', *rest]), tmp_path).split("<end>\n")
    shown = blocks(page, "text")
    assert printed == (shown[-1] if shown else printed)


@pytest.mark.slow
@with_blocks("sh")
def test_commands_run(page, tmp_path, monkeypatch, capsys):
    datasets.data1(0)[0].to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "FOLDER").mkdir()
    monkeypatch.chdir(tmp_path)
    for command in documents.commands(page, "pywbms"):
        arguments = [word for word in shlex.split(command, comments=True) if word != "--quick"]
        if arguments[0] == "reproduce" and "--list" not in arguments:
            arguments.append("--tiny")  # an hour in seconds
        if "--help" in arguments:
            with pytest.raises(SystemExit) as ended:
                cli.main(arguments)
            assert ended.value.code == 0
        else:
            assert cli.main(arguments) == 0
    for name in re.findall(r"--(?:out|plot|save) (\S+)", "\n".join(blocks(page, "sh"))):
        assert (tmp_path / name).exists()


@with_blocks("sh")
def test_make_targets_exist(page):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"^make ([\w-]+)", "\n".join(blocks(page, "sh")), flags=re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_the_readme_starts_with_the_two_commands():
    text = README.read_text("utf-8")
    named = re.findall(r"^make ([\w-]+)", text, flags=re.MULTILINE)
    assert named[:2] == ["demo", "test"]
    assert len(text.splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_block_is_of_a_kind_that_is_tested(page):
    assert documents.languages(page) <= {"python", "r", "text", "sh"}


@pytest.mark.parametrize("page", [README], ids=["README.md"])
def test_links_of_the_readme_lead_to_files(page):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert len(links) > 15
    for link in links:
        assert (page.parent / link).exists(), link
