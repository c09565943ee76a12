"""Annotators' files in all the shapes that people send."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import FormatError
from leaderboard.formats.annotations import read_annotations
from leaderboard.judging.negatives import Annotation

PLAIN = """num,word1,word2,related,comment,src
0,алушта,центр,1,,ae2.csv
0,алушта,война,,,ae2.csv
0,аптека,вид,?,,rt.csv
0,аптека,семья,1(?),,rt.csv
"""
MARKS = ["related", "unrelated", "doubtful", "doubtful"]


def read(tmp_path: Path, content: str | bytes) -> tuple[Annotation, ...]:
    file = tmp_path / "negatives0-7.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_annotations(file)


def faults(tmp_path: Path, content: str) -> list[tuple[int | None, str]]:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content)
    return [(fault.line, fault.kind) for fault in caught.value.faults]


def quoted(content: str) -> str:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, delimiter=";").writerows(csv.reader(io.StringIO(content)))
    return out.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(PLAIN, id="commas"),
        pytest.param(PLAIN.replace(",", ";"), id="semicolons"),
        pytest.param(PLAIN.replace(",", "\t"), id="TABs"),
        pytest.param(quoted(PLAIN), id="quoted"),
        pytest.param("\ufeff" + PLAIN, id="a byte order mark"),
        pytest.param(PLAIN.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(PLAIN.partition("\n")[2], id="no header"),
        pytest.param("# by judge 7\n" + PLAIN + "\n\n", id="comment lines and blank ones"),
        pytest.param(PLAIN.replace("1(?)", " 1 (?) ").replace("num", " NUM "), id="spaces and letter case"),
    ],
)
def test_all_shapes_say_the_same(tmp_path: Path, content: str) -> None:
    found = read(tmp_path, content)
    assert [each.mark for each in found] == MARKS
    assert found[0] == Annotation("алушта", "центр", "related", "negatives0-7", "ae2.csv")


def test_utf_16_is_read(tmp_path: Path) -> None:
    assert [each.mark for each in read(tmp_path, PLAIN.encode("utf-16"))] == MARKS


def test_a_comment_may_hold_the_separator_in_quotation_marks(tmp_path: Path) -> None:
    (found,) = read(tmp_path, 'word1;word2;related;comment\nа;б;1;"так; и ""иначе"""\n')
    assert found.comment == 'так; и "иначе"'


def test_columns_may_stand_in_any_order(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "related,word2,other,word1\n?,б,x,а\n")
    assert found[:3] == ("а", "б", "doubtful")


def test_two_columns_alone_are_unrelated_pairs(tmp_path: Path) -> None:
    assert [each[:3] for each in read(tmp_path, "яйцо \tкижский\nсемь \tсмиге\n")] == [
        ("яйцо", "кижский", "unrelated"),
        ("семь", "смиге", "unrelated"),
    ]


def test_a_word_with_its_related_words_is_a_pair_for_each(tmp_path: Path) -> None:
    found = read(tmp_path, "хлеб \t4 \t2 \tовес ломоть \n")
    assert [each[:3] for each in found] == [("хлеб", "овес", "related"), ("хлеб", "ломоть", "related")]
    assert faults(tmp_path, "хлеб\t4\t3\tовес ломоть\n") == [(1, "count")]


def test_words_are_in_nfc(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "word1,word2,related\nмай,дом,1\n".replace("й", "и\u0306"))
    assert found.word1 == "май"


def test_a_pair_repeated_with_the_same_mark_counts_once(tmp_path: Path) -> None:
    assert len(read(tmp_path, "word1,word2,related\nа,б,1\nа,б,1\nб,а,1\n")) == 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("word1,word2,related\nа,б,yes\n", [(2, "mark")]),
        ("word1,word2,related\nа,б,1\nа,б,?\n", [(3, "two-marks")]),
        ("word1,word2,related\nа,б\n", [(2, "field-count")]),
        ("word1,word2,related,comment\nа,б,1,x,y\n", [(2, "field-count")]),
        ("word1,word2,related\n,б,1\n", [(2, "no-word")]),
        ("word1,word2,sim\nа,б,1\n", [(1, "header")]),
        ("w1,w2,sim\nа,б,1\n", [(1, "header")]),
        ('word1,word2,related\nа,"б,1\n', [(2, "not-csv")]),
        ("\n", [(None, "empty")]),
    ],
)
def test_what_cannot_be_understood_is_named_by_line(
    tmp_path: Path, content: str, expected: list[tuple[int | None, str]]
) -> None:
    assert faults(tmp_path, content) == expected


WORD = st.text("абвгё -", min_size=1, max_size=5).map(str.strip).filter(bool)


@given(
    st.lists(
        st.tuples(WORD, WORD, st.sampled_from(["", "1", "?", "1(?)"]), st.text('а";,\t', max_size=5)),
        unique_by=lambda row: row[:2],
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_table_that_a_csv_writer_makes_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str, str]], separator: str, end: str
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=end)
    writer.writerows([("word1", "word2", "related", "comment"), *rows])
    found = read(tmp_path_factory.getbasetemp(), out.getvalue())
    meaning = {"": "unrelated", "1": "related"}
    assert [(each.word1, each.word2, each.mark) for each in found] == [
        (one, two, meaning.get(mark, "doubtful")) for one, two, mark, _ in rows
    ]


def test_the_files_of_the_real_annotators_are_read_whole(shared_data: Path) -> None:
    found: Counter[str] = Counter()
    for file in sorted((shared_data / "russe" / "annotations").glob("negatives*.csv")):
        found.update(each.mark for each in read_annotations(file))
    # As counted by grep in the eleven files: 4,541 marked 1; 1,004 with ? and 5 with 1(?); the rest blank.
    assert found == {"unrelated": 28266, "related": 4541, "doubtful": 1009}


def test_the_judgments_of_thesaurus_neighbours_are_read(shared_data: Path) -> None:
    folder = shared_data / "russe" / "annotations"
    related = read_annotations(folder / "rdt_rsr_positive-annotation.tsv")
    unrelated = read_annotations(folder / "rdt_rsr_negative-annotation.tsv")
    assert {each.mark for each in related} == {"related"}
    assert {each.mark for each in unrelated} == {"unrelated"}
    # One of the hundred words of the first file has no related one.
    assert len({each.word1 for each in related}) == 99
    assert len(unrelated) == len({each.word1 for each in unrelated}) == 395
