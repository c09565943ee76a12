"""MJ files, written and read."""

from __future__ import annotations

import io
from pathlib import Path
from unicodedata import is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import FormatError
from leaderboard.formats.mj import read_mj, write_mj, write_run
from leaderboard.resources.mj import Row

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=6).filter(
    lambda word: is_normalized("NFC", word)
)
ROWS = st.builds(
    Row,
    WORDS,
    WORDS,
    st.floats(0, 1),
    st.floats(0, 1e9),
    st.sampled_from(["hj", "rt+ae"]),
    st.integers(1, 99),
)


def written(rows: list[Row]) -> str:
    stream = io.StringIO()
    write_mj(rows, stream)
    return stream.getvalue()


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mj.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def faults_of(path: Path) -> list[tuple[int | None, int | None, str]]:
    with pytest.raises(FormatError) as refused:
        read_mj(path)
    return [(fault.line, fault.column, str(fault.message)) for fault in refused.value.faults]


def test_a_file_has_six_columns_and_the_shortest_exact_numbers() -> None:
    assert written([Row("a", 'b "c", d', 0.1 + 0.2, 3.0, "hj", 2)]) == (
        'word1,word2,mj,paper_sum,track,n_runs\na,"b ""c"", d",0.30000000000000004,3.0,hj,2\n'
    )


@given(st.lists(ROWS, min_size=1, max_size=8))
def test_what_is_written_is_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row]
) -> None:
    found = read_mj(file(tmp_path_factory.mktemp("mj"), written(rows)))
    assert found.tracks is not None
    assert list(zip(found.word1, found.word2, found.value, found.tracks, strict=True)) == [
        (row.word1, row.word2, row.mj, tuple(row.track.split("+"))) for row in rows
    ]


def test_the_released_form_is_read_and_its_gold_is_not_taken(tmp_path: Path) -> None:
    found = read_mj(file(tmp_path, "word1,word2,sim,wmean\nкнига,том,1.0,0.5\n"))
    assert list(found.of_track("any")) == [("книга", "том", 0.5)]


def test_a_line_belongs_to_the_tracks_it_names(tmp_path: Path) -> None:
    found = read_mj(file(tmp_path, "track;mj;word2;word1\nhj+rt;.5;b;a\nrt;.25;c;a\n"))
    assert list(found.of_track("hj")) == [("a", "b", 0.5)]
    assert list(found.of_track("rt")) == [("a", "b", 0.5), ("a", "c", 0.25)]


def test_other_columns_are_refused_with_those_that_are_there(tmp_path: Path) -> None:
    assert faults_of(file(tmp_path, "word1,word2,sim\na,b,1\n")) == [
        (
            1,
            None,
            "The first line has to name the columns word1, word2 and mj (or wmean); "
            "it has: word1, word2, sim.",
        )
    ]


def test_every_fault_is_named_by_its_line(tmp_path: Path) -> None:
    assert faults_of(file(tmp_path, "word1,word2,mj\na,b,x\na,b\n\na,b,nan\n")) == [
        (2, 3, '"x" is not a number.'),
        (3, None, "The line has 2 fields, the header 3."),
        (5, 3, '"nan" is not a number.'),
    ]


def test_a_file_without_pairs_is_refused(tmp_path: Path) -> None:
    assert faults_of(file(tmp_path, "word1,word2,mj\n")) == [
        (None, None, "The file has a header but no pairs.")
    ]


def test_an_empty_file_and_a_foreign_one_are_refused(tmp_path: Path) -> None:
    assert faults_of(file(tmp_path, ""))[0][2].startswith("The file is empty.")
    assert "JSON" in faults_of(file(tmp_path, '{"mj": [1]}'))[0][2]


def test_pairs_are_written_as_a_run() -> None:
    stream = io.StringIO()
    write_run([("a", "b", 0.5)], stream)
    assert stream.getvalue() == "word1,word2,sim\na,b,0.5\n"
