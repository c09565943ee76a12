"""Files made to hurt, as runs of both tasks: a clear fault or clean columns, within bounds, and no trace."""

from __future__ import annotations

import gzip
import io
import os
import resource
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from leaderboard.catalog import Catalog, load_scorer
from leaderboard.contract import Report

TASKS = Path(__file__).resolve().parents[2] / "tasks"
SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"
MEGABYTES = 1_500
"""So much memory may checking the worst file take, of which 200 are the programs."""

PAIRS = "word1,word2,sim\nкошка,собака,{}\n"
LINE = "1_4 Q0 MARCO_1 {} {} x\n"


def run(value: str, rank: str = "1") -> bytes:
    """A line of either task's form: told apart by who reads it."""
    return (PAIRS.format(value) if rank == "pairs" else LINE.format(rank, value)).encode()


def zipped(*names: str, content: bytes = b"word1,word2,sim\na,b,1\n", link: bool = False) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o120777 if link else 0o100644) << 16
            archive.writestr(entry, content)
    return packed.getvalue()


def tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("../run.csv"))
    return packed.getvalue()


def workbook() -> bytes:
    return zipped("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml", content=b"<x/>")


REFUSED: Mapping[str, tuple[Callable[[], bytes], str]] = {
    "a gzip bomb": (lambda: gzip.compress(bytes(12_000_000), mtime=0), "bomb"),
    "a zip bomb": (lambda: zipped("run.csv", content=bytes(12_000_000)), "bomb"),
    "an archive in an archive": (lambda: zipped("run.gz", content=gzip.compress(b"a")), "nested-archive"),
    "a gzip in a gzip": (lambda: gzip.compress(gzip.compress(b"a")), "nested-archive"),
    "several files": (lambda: zipped("a.csv", "b.csv"), "several-files"),
    "a path upwards": (lambda: zipped("../../run.csv"), "link"),
    "a path from the root": (lambda: zipped("/etc/cron.d/run"), "link"),
    "a path of Windows": (lambda: zipped("..\\..\\run.csv"), "link"),
    "a drive": (lambda: zipped("C:/run.csv"), "link"),
    "a link": (lambda: zipped("run.csv", content=b"/etc/passwd", link=True), "link"),
    "a tar archive": (tarred, "archive"),
    "an Excel workbook": (workbook, "excel"),
    "an old Excel workbook": (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "excel"),
    "a web page": (lambda: b"<!DOCTYPE html><html><body>404</body></html>", "html"),
    "an empty file": (lambda: b"", "empty"),
    "UTF-16 without a mark": (lambda: run("1").decode().encode("utf-16-le"), "encoding"),
    "invalid UTF-8": (lambda: b"\xff\xfa\xc0" + run("1"), "encoding"),
}

NUMBERS = ("nan", "NaN", "-nan", "+NaN", "nan(1)", "inf", "Inf", "-INF", "+inf", "Infinity", "-infinity",
           "∞", "1e309", "-1e999", "0x1p3", "1_0", "٣", "１", "", " ", "1e", "--1")  # fmt: skip
"""What is no finite number, in all spellings that a program may have written or a reader may have taken."""


def check(task: str, path: Path) -> Report:
    spec = Catalog((TASKS,)).find(task)
    return load_scorer(spec).check(spec, path, TASKS / task / "sample" / "inputs")


def checked(task: str, content: bytes, folder: Path) -> Report:
    """What the task says of a file; nothing else may lie there afterwards."""
    path = folder / "upload"
    path.write_bytes(content)
    report = check(task, path)
    assert list(folder.iterdir()) == [path]
    for message in (*(fault.message for fault in report.faults), *report.notes, *report.warnings):
        assert 0 < len(str(message)) < 5_000
    assert (report.run is None) == bool(report.faults)
    return report


@pytest.mark.parametrize("task", ["russe", "cast"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_is_refused_with_what_it_is(tmp_path: Path, task: str, name: str) -> None:
    make, kind = REFUSED[name]
    report = checked(task, make(), tmp_path)
    assert [fault.kind for fault in report.faults] == [kind]


@pytest.mark.parametrize("written", NUMBERS)
def test_what_is_no_finite_number_is_a_fault_by_line(tmp_path: Path, written: str) -> None:
    pairs = checked("russe", run(written, "pairs"), tmp_path)
    # A blank value of a pair is one that the run lacks: too few are given then.
    assert pairs.faults[0].line == (2 if written.strip() else None)
    ranking = checked("cast", run(written), tmp_path)
    assert ranking.faults[0].line == 1


@pytest.mark.parametrize("rank", ["9223372036854775808", "-9223372036854775809", "1e400", "nan", "zwei"])
def test_a_rank_of_any_size_never_decides_an_order(tmp_path: Path, rank: str) -> None:
    report = checked("cast", run("1", rank), tmp_path)
    assert report.run is not None


def test_the_largest_numbers_are_scored(tmp_path: Path) -> None:
    lines = LINE.format(1, "1e308") + LINE.format(2, "-1e308").replace("MARCO_1", "MARCO_2")
    assert checked("cast", lines.encode(), tmp_path).run is not None


@pytest.mark.parametrize(
    "word", ["\u202eакшок", "ко\u0301шка", "cобака", "\u200bкошка", "مجموعة", "𝔘" * 40, "=cmd|'/C calc'!A0"]
)
def test_odd_characters_are_words_that_are_not_in_the_list(tmp_path: Path, word: str) -> None:
    sample = TASKS / "russe" / "sample" / "runs" / "embeddings.csv"
    report = checked("russe", sample.read_bytes() + f'"{word}",собака,0.5\n'.encode(), tmp_path)
    assert report.run is not None
    assert any(word[:10] in str(note) or "not in the input list" in str(note) for note in report.notes)


def test_a_nul_is_named_by_its_line(tmp_path: Path) -> None:
    for task, content in (("russe", b"word1,word2,sim\na\0b,c,1\n"), ("cast", b"31_1 Q0 a\0b 1 1 x\n")):
        assert checked(task, content, tmp_path).faults[0].line == (2 if task == "russe" else 1)


MARKS = ("а" + "\u0301" * 400 + ",б,1\n").encode()

LARGE: Mapping[str, Callable[[int], bytes]] = {
    "blank lines": lambda size: b"\n" * size,
    "one line": lambda size: b"x" * size,
    "one line of separators": lambda size: b"word1,word2,sim\n" + b"," * size,
    "lines of one letter": lambda size: b"a\n" * (size // 2),
    "rows": lambda size: b"word1,word2,sim\n" + b"a,b,1\n" * (size // 6),
    "results": lambda size: b"".join(b"1 Q0 d%d 1 1 x\n" % number for number in range(size // 20)),
    "bad results": lambda size: b"1 Q0 d 1 one x\n" * (size // 15),
    "open quotes": lambda size: b'word1,word2,sim\n"' + b'a,b\n"' * (size // 5),
    "another encoding": lambda size: b"word1,word2,sim\n" + b"\xea\xee,\xf8\xea," * (size // 6),
    "UTF-16": lambda size: ("word1,word2,sim\n" + "ы,b,1\n" * (size // 12)).encode("utf-16"),
    "combining marks": lambda size: b"word1,word2,sim\n" + MARKS * (size // len(MARKS)),
}
"""What costs time or memory by its size."""


@pytest.mark.parametrize("task", ["russe", "cast"])
@pytest.mark.parametrize("name", LARGE)
def test_a_large_file_costs_no_more_than_it_may(tmp_path: Path, task: str, name: str) -> None:
    """A little of it here; in `make soak` a hundred megabytes, in a process that is measured and killed after
    minutes."""
    if not SOAK:
        checked(task, LARGE[name](200_000), tmp_path)
        return
    path = tmp_path / "upload"
    path.write_bytes(LARGE[name](100_000_000 if task == "cast" else 64_000_000))
    command = [sys.executable, "-m", "tests.formats.test_hostile_uploads", task, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, cwd=TASKS.parent)
    assert int(done.stdout) < MEGABYTES


if __name__ == "__main__":
    check(sys.argv[1], Path(sys.argv[2]))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)  # noqa: T201 - read by the test
