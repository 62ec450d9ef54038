"""Files are written in full or not at all, one output each, without formulas."""

import gzip
import os
import resource
from contextlib import contextmanager
from pathlib import Path

import commands
import matplotlib.pyplot as plt
import pandas as pd
import pytest
from commands import fails_with, is_png, refuses
from optional import optional

from pywbms._cli import fitting
from pywbms._cli.files import write_table
from pywbms._cli.spreadsheet import without_formulas
from pywbms._data.atomic import atomic_path
from pywbms._viz.figure import save_picture
from pywbms.cli import main
from pywbms.experiments._run import write_csv, write_page

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own
frame = commands.frame
data = commands.data

OLD = "what was there before\n"
FIT = ["fit", "data.csv", "--h", "0.1", "--lam", "1"]


@contextmanager
def full_disk(n_bytes):
    """Let no file grow beyond so many bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def figure():
    figure, _ = plt.subplots()
    return figure


class TestAtomicPath:
    def test_a_failure_leaves_the_old_file_and_nothing_else(self, tmp_path):
        file = tmp_path / "a.txt"
        file.write_text(OLD)

        def fail():
            with atomic_path(file) as new:
                new.write_text("half")
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            fail()
        assert file.read_text() == OLD
        assert list(tmp_path.iterdir()) == [file]

    def test_permissions_are_those_of_the_old_file_or_the_usual_ones(self, tmp_path):
        old, usual = tmp_path / "old.txt", tmp_path / "usual.txt"
        old.touch()
        old.chmod(0o640)
        usual.touch()
        for name in ("old", "new"):
            with atomic_path(tmp_path / f"{name}.txt") as new:
                new.write_text("text")
        assert old.stat().st_mode & 0o777 == 0o640
        assert (tmp_path / "new.txt").stat().st_mode == usual.stat().st_mode

    def test_a_link_stays_a_link(self, tmp_path):
        (tmp_path / "elsewhere").mkdir()
        file, link = tmp_path / "elsewhere" / "a.txt", tmp_path / "link.txt"
        link.symlink_to(file)
        for text in ("first", "second"):
            with atomic_path(link) as new:
                new.write_text(text)
            assert link.is_symlink()
            assert file.read_text() == text

    def test_a_pipe_is_written_to(self, tmp_path):
        pipe = tmp_path / "pipe.txt"
        os.mkfifo(pipe)
        reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        with atomic_path(pipe) as new:
            new.write_text("text")
        assert os.read(reading, 10) == b"text"
        os.close(reading)

    def test_the_folder_may_be_the_current_one(self):
        with atomic_path("a.txt") as new:
            new.write_text("text")
        assert Path("a.txt").read_text() == "text"


class TestFullDisk:
    @pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.tsv", "out.parquet"])
    def test_tables(self, frame, name, capsys):
        if name.endswith("parquet"):
            optional("pyarrow")
        pd.concat([frame] * 50).to_csv("data.csv", index=False)
        Path(name).write_text(OLD)
        with full_disk(1000):
            message = fails_with(1, [*FIT, "--augment", "--out", name], capsys)
        assert f"cannot write {name}: " in message
        assert Path(name).read_text() == OLD
        assert sorted(os.listdir()) == ["data.csv", name]

    @pytest.mark.parametrize("options", [["--plot", "out.png"], ["--tree", "out.svg"]])
    def test_pictures(self, data, options, capsys):
        Path(options[1]).write_text(OLD)
        with full_disk(1000):
            assert "cannot write out" in fails_with(1, [*FIT, *options], capsys)
        assert Path(options[1]).read_text() == OLD
        assert sorted(os.listdir()) == ["data.csv", options[1]]
        assert not plt.get_fignums()

    @pytest.mark.parametrize(
        ("name", "write"),
        [
            ("a.csv", lambda path: write_csv(pd.DataFrame({"a": range(1000)}), path)),
            ("a.md", lambda path: write_page("text " * 1000, path)),
        ],
    )
    def test_reports(self, name, write, tmp_path):
        Path(name).write_text(OLD)
        with full_disk(1000), pytest.raises(OSError, match="too large"):
            write(tmp_path / name)
        assert Path(name).read_text() == OLD
        assert os.listdir() == [name]


class TestNoFailure:
    def test_files_replace_older_ones(self, frame, figure):
        for name in ("a.csv", "a.csv.gz", "a.png"):
            Path(name).write_text(OLD)
        for name in ("a.csv", "a.csv.gz"):
            write_table(frame, Path(name))
            pd.testing.assert_frame_equal(pd.read_csv(name), frame)
        save_picture(figure, Path("a.png"))
        assert is_png("a.png")
        assert sorted(os.listdir()) == ["a.csv", "a.csv.gz", "a.png"]

    def test_a_compressed_file_names_itself(self, frame):
        write_table(frame, Path("a.csv.gz"))
        assert b"a.csv\0" in Path("a.csv.gz").read_bytes()[:20]
        assert gzip.decompress(Path("a.csv.gz").read_bytes()).startswith(b"a,b,c\n")


class TestOneFileOneOutput:
    @pytest.mark.parametrize(
        "options",
        [
            ["--out", "x.csv", "--tree", "x.csv"],
            ["--out", "x.csv", "--tree", "./x.csv"],
            ["--tree", "x.png", "--plot", "x.png"],
            ["--out", "link.csv", "--tree", "x.csv"],
        ],
    )
    def test_two_outputs_are_refused_before_the_fit(self, data, options, capsys, monkeypatch):
        Path("link.csv").symlink_to("x.csv")
        monkeypatch.setattr(fitting, "wbms", None)
        first, second = sorted(options[::2], key=["--out", "--tree", "--plot"].index)
        message = refuses([*FIT, *options], capsys)
        assert f"{first} and {second} would write the same file" in message

    def test_two_files_are_written(self, data, capsys):
        assert main([*FIT, "--out", "x.csv", "--tree", "y.csv"]) == 0
        assert sorted(os.listdir()) == ["data.csv", "x.csv", "y.csv"]


class TestFormulas:
    TEXTS = ("=cmd|' /C calc'!A0", "@SUM(1+1)", "+49 30", "-b", "\t=1", "plain", "-5", "+1e3", "")

    @pytest.fixture
    def hostile(self, frame):
        table = frame.assign(text=(self.TEXTS * 5)[: len(frame)], **{"=name": "x"})
        table.to_csv("data.csv", index=False)
        return table

    @pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "-"])
    def test_they_are_quoted(self, hostile, name, capsys):
        argv = [*FIT, "--columns", "a,b,c", "--augment", "--out", name]
        assert main(argv) == 0
        out, err = capsys.readouterr()
        if name == "-":
            Path("out.csv").write_text(out)
            name = "out.csv"
        found = pd.read_csv(
            name, sep="\t" if "tsv" in name else ",", dtype={"text": str}, keep_default_na=False
        )
        texts = found["text"][: len(self.TEXTS)].tolist()
        assert texts == [*(f"'{text}" for text in self.TEXTS[:5]), *self.TEXTS[5:]]
        assert list(found.columns) == ["a", "b", "c", "text", "'=name", "cluster"]
        pd.testing.assert_series_equal(found["a"], hostile["a"])
        quoted = sum(text in self.TEXTS[:5] for text in hostile["text"]) + 1
        assert f"note: put ' before {quoted} texts" in err

    def test_they_stay_if_asked_for_and_in_parquet(self, hostile, capsys):
        argv = [*FIT, "--columns", "a,b,c", "--augment", "--out"]
        assert main([*argv, "out.csv", "--no-safe-csv"]) == 0
        found = pd.read_csv("out.csv", keep_default_na=False, dtype={"text": str})
        assert found["text"].tolist() == hostile["text"].tolist()
        optional("pyarrow")
        assert main([*argv, "out.parquet"]) == 0
        assert "=name" in pd.read_parquet("out.parquet").columns
        assert capsys.readouterr().err == ""

    def test_categories_and_gaps(self):
        table = pd.DataFrame({"a": pd.Categorical(["=1", None, "b"]), "b": [None, 1, "=2"]})
        safe, n_quoted = without_formulas(table)
        assert n_quoted == 2
        assert safe.to_csv(index=False) == "a,b\n'=1,\n,1\nb,'=2\n"
        assert table["a"][0] == "=1"

    def test_a_table_without_formulas_is_left_alone(self, frame):
        assert without_formulas(frame).table is frame
