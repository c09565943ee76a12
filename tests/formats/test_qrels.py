"""Qrels as they are published, and every fault of those that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import MAX_FAULTS, FormatError
from leaderboard.formats.qrels import QrelsFile, read_qrels

GOOD = "31_1 0 MARCO_1 2\n31_1 0 CAR_2 0\n31_2 0 MARCO_1 -1\n"
Item = tuple[str, str, float]


def items_of(qrels: QrelsFile) -> list[Item]:
    docnos = qrels.docnos.to_pylist()
    return [
        (qrels.topics[topic], docnos[docno], value)
        for topic, docno, value in zip(qrels.topic, qrels.docno, qrels.value.tolist(), strict=True)
    ]


def read(tmp_path: Path, content: str | bytes, *, integer_grades: bool = False) -> list[Item]:
    file = tmp_path / "gold.qrels"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return items_of(read_qrels(file, integer_grades=integer_grades))


def faults_of(tmp_path: Path, content: str | bytes, *, integer_grades: bool = False) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, content, integer_grades=integer_grades)
    return caught.value


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(GOOD, id="as trec_eval has it"),
        pytest.param(GOOD.replace(" ", "\t"), id="TABs"),
        pytest.param(GOOD.replace(" ", " \t"), id="a mix of spaces and TABs"),
        pytest.param(GOOD.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("\ufeff" + GOOD, id="a byte order mark"),
        pytest.param("  " + GOOD.replace("\n", " \n\n"), id="white space and empty lines"),
        pytest.param(GOOD.replace(" 2\n", " +2.0\n"), id="a grade written +2.0"),
    ],
)
def test_qrels_are_read_as_they_are_published(tmp_path: Path, content: str) -> None:
    expected = [("31_1", "MARCO_1", 2.0), ("31_1", "CAR_2", 0.0), ("31_2", "MARCO_1", -1.0)]
    assert read(tmp_path, content, integer_grades=True) == expected


def test_preference_levels_are_any_number(tmp_path: Path) -> None:
    assert [value for *_, value in read(tmp_path, "1 0 a 50.0\n1 0 b 0.5\n1 0 c 1e1\n")] == [50.0, 0.5, 10.0]


def test_a_grade_with_a_fraction_is_refused_where_grades_are_needed(tmp_path: Path) -> None:
    error = faults_of(tmp_path, "1 0 a 2.0\n1 0 b 2.5\n", integer_grades=True)
    (fault,) = error.faults
    assert (fault.line, fault.column, fault.kind) == (2, 7, "not-a-grade")
    assert str(error).startswith("gold.qrels: line 2, column 7: The grade 2.5")


@pytest.mark.parametrize("separator", [" ", "\t", "  "])
def test_a_docno_given_twice_keeps_its_greatest_value(tmp_path: Path, separator: str) -> None:
    content = "1 0 a 1\n1 0 b 5\n2 0 a 7\n1 0 a 3\n1 0 a 2\n1 0 b -5\n".replace(" ", separator)
    assert read(tmp_path, content) == [("1", "a", 3.0), ("1", "b", 5.0), ("2", "a", 7.0)]


@given(
    rows=st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abc"), st.integers(-2, 4)), min_size=1),
    separator=st.sampled_from([" ", "\t", " \t"]),
)
def test_regular_and_irregular_qrels_give_the_same_items(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]], separator: str
) -> None:
    expected: dict[tuple[str, str], float] = {}
    for topic, docno, value in rows:
        expected[topic, docno] = max(value, expected.get((topic, docno), value))
    content = "".join(separator.join((topic, "0", docno, str(value))) + "\n" for topic, docno, value in rows)
    found = read(tmp_path_factory.getbasetemp(), content)
    assert found == [(topic, docno, value) for (topic, docno), value in expected.items()]


@pytest.mark.parametrize(
    ("line", "column", "kind"),
    [
        ("1 0 b", None, "wrong-field-count"),
        ("1  b 1", None, "wrong-field-count"),
        ("1 0 b 1 x", 9, "wrong-field-count"),
        ("1 0 b x", 7, "not-a-number"),
        ("1 0 b nan", 7, "not-a-number"),
        ("1 0 b inf", 7, "not-a-number"),
        ("1 0 b 1,5", 7, "not-a-number"),
        ("1 0 b 1_0", 7, "not-a-number"),
        ("1 0 b\0 1", 6, "nul"),
        ("1 0 b\r1 1", 6, "lone-cr"),
        ("x" * 100_000, None, "overlong-line"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, column: int | None, kind: str) -> None:
    (fault,) = faults_of(tmp_path, f"1 0 a 1\n{line}\n2 0 a 1\n").faults
    assert (fault.line, fault.column, fault.kind) == (2, column, kind)


def test_every_fault_is_told_up_to_a_number_and_the_rest_counted(tmp_path: Path) -> None:
    faults = faults_of(tmp_path, "1 0 a x\n" * 60).faults
    assert [fault.line for fault in faults[:MAX_FAULTS]] == list(range(1, MAX_FAULTS + 1))
    assert "10 more" in str(faults[MAX_FAULTS])


@pytest.mark.parametrize("content", [b"", b"\n \r\n"])
def test_empty_qrels_are_a_fault(tmp_path: Path, content: bytes) -> None:
    (fault,) = faults_of(tmp_path, content).faults
    assert fault.kind == "empty"


def test_bytes_that_are_no_text_are_a_fault_with_the_files_name(tmp_path: Path) -> None:
    error = faults_of(tmp_path, b"1 0 caf\xe9 1\n")
    assert error.name == "gold.qrels"
    assert error.faults[0].line == 1


@pytest.mark.parametrize(
    ("file", "topics", "rows", "positive"),
    [
        ("cast2019/gold/graded.qrels", 173, 29350, 8120),
        ("cast2019/gold/combined.qrels", 173, 29350, 8120),
        ("cast2019/gold/best.qrels", 173, 173, 173),
        ("cast2020/gold/graded.qrels", 208, 40451, 6670),
    ],
)
def test_the_published_qrels_are_read(
    shared_data: Path, file: str, topics: int, rows: int, positive: int
) -> None:
    qrels = read_qrels(shared_data / file, integer_grades=True)
    assert (len(qrels.topics), len(qrels), int((qrels.value > 0).sum())) == (topics, rows, positive)


def test_the_top_levels_of_the_combined_qrels_are_those_of_171_topics(shared_data: Path) -> None:
    qrels = read_qrels(shared_data / "cast2019/gold/combined.qrels", integer_grades=False)
    top = qrels.value >= 10
    assert (int(top.sum()), len(set(qrels.topic[top].tolist()))) == (917, 171)
    assert set(qrels.value[top].tolist()) == {10.0, 20.0, 30.0, 40.0, 50.0}
