"""Published results as CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.contract import FormatError
from leaderboard.formats.published import measure_of, read_published


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "results.csv"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("column", "measure"),
    [
        ("map", "AP"),
        ("recip_rank", "RR"),
        ("recall_1000", "R@1000"),
        ("P_5", "P@5"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_3", "nDCG@3"),
        ("bpref", "Bpref"),
        ("md5", None),
        ("file_2", None),
    ],
)
def test_columns_of_trec_eval_are_known(column: str, measure: str | None) -> None:
    assert measure_of(column) == measure


def test_quoted_fields_a_bom_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, '\ufeffrun,description,map\r\nx,"a, ""b""\r\nc",0.5\r\n')
    run = read_published(path)[0]
    assert (run.run, run.description, run.values) == ("x", 'a, "b"\r\nc', {"AP": 0.5})


def test_every_fault_is_told_by_line(tmp_path: Path) -> None:
    path = written(tmp_path, "run,map\nx,abc\ny,0.5,1\n,0.1\nz,nan\n")
    with pytest.raises(FormatError) as refused:
        read_published(path)
    assert [(fault.line, fault.column, fault.kind) for fault in refused.value.faults] == [
        (2, 2, "not-a-number"),
        (3, None, "field-count"),
        (4, None, "no-run-name"),
        (5, 2, "not-a-number"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [("name,map\nx,1\n", "no-run-column"), ("", "no-run-column"), ('run\n"x', "not-csv")],
)
def test_a_file_that_is_something_else_is_refused(tmp_path: Path, text: str, kind: str) -> None:
    with pytest.raises(FormatError) as refused:
        read_published(written(tmp_path, text))
    assert [fault.kind for fault in refused.value.faults] == [kind]


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes(b"run\n\xff\n")
    with pytest.raises(FormatError, match="byte 4"):
        read_published(path)
