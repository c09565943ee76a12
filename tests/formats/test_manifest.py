from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.formats.manifest import ManifestLine, read_manifest, read_time


def read(text: str) -> tuple[ManifestLine, ...]:
    lines, faults = read_manifest(text.encode())
    assert [str(fault) for fault in faults.first] == []
    return lines


def faults_of(content: str | bytes) -> list[tuple[int | None, int | None, str]]:
    _, faults = read_manifest(content if isinstance(content, bytes) else content.encode())
    return [(fault.line, fault.column, fault.kind) for fault in faults.first]


def test_a_line_says_everything_about_a_run() -> None:
    header = "file,team,name,description,submitted_at,baseline,contrastive\n"
    assert read(header + "a.csv,A,First,Words,2026-03-02T09:00:00Z,yes,no\n") == (
        ManifestLine(2, "a.csv", "A", "First", "Words", datetime(2026, 3, 2, 9, tzinfo=UTC), baseline=True),
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_columns_come_in_any_order_as_programs_write_them(separator: str, mark: str, end: str) -> None:
    rows = [("team", "contrastive", "file"), ("A", "Yes", "a.csv"), ("B", "", "b.csv")]
    text = mark + "".join(separator.join(row) + end for row in rows)
    assert read(text) == (
        ManifestLine(2, "a.csv", "A", contrastive=True),
        ManifestLine(3, "b.csv", "B"),
    )


def test_lines_are_counted_as_an_editor_does() -> None:
    text = 'file,team,description\na,A,"two\nlines"\n\n  ,,\nb,B,\n'
    assert [line.line for line in read(text)] == [2, 6]


def test_every_fault_is_told_by_line_and_column() -> None:
    text = "file,team,submitted_at,baseline,contrastive\n,A,,,\na,,noon,,\na,A,,maybe,\na,A,,yes,yes\na,A\n"
    assert faults_of(text) == [
        (2, 1, "empty-cell"),
        (3, 2, "empty-cell"),
        (3, 3, "not-a-time"),
        (4, 4, "not-yes-or-no"),
        (5, 5, "two-kinds"),
        (6, None, "field-count"),
    ]


@pytest.mark.parametrize("text", ["", "\n", "a.csv,A\n", "file,name\na.csv,x\n"])
def test_without_a_header_a_manifest_is_refused(text: str) -> None:
    assert faults_of(text) == [(1, None, "no-header")]


def test_a_manifest_of_a_header_alone_is_a_fault() -> None:
    lines, faults = read_manifest(b"file,team\n\n")
    assert lines == ()
    assert [fault.kind for fault in faults.first] == ["no-runs"]


def test_a_misspelt_or_repeated_column_is_named() -> None:
    assert faults_of("file,team,submited_at,team\n") == [
        (1, 3, "unknown-column"),
        (1, 4, "column-twice"),
    ]


def test_other_text_is_refused() -> None:
    assert faults_of("file,team\nа,Б\n".encode("cp1251")) == [(None, None, "not-utf-8")]
    assert faults_of('file,team\n"a,b\n') == [(2, None, "not-csv")]


@pytest.mark.parametrize("text", ["2026-03-02T12:00:00+03:00", "2026-03-02 09:00", "2026-03-02T09:00:00Z"])
def test_a_time_without_offset_is_utc(text: str) -> None:
    assert read_time(text) == datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "noon", "2026-13-01", "0001-01-01T00:00+14:00"])
def test_what_is_no_time_gives_none(text: str) -> None:
    assert read_time(text) is None


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: ("file,team\n" + text).encode()))
def test_no_content_makes_the_reader_break(content: bytes) -> None:
    lines, faults = read_manifest(content)
    assert all(line.file and line.team for line in lines)
    assert faults.count >= len(faults.first)
