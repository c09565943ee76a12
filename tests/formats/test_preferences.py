"""Files of preferences as they are released, and every fault of those that cannot be read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import FormatError
from leaderboard.formats.preferences import read_preferences, write_preferences
from leaderboard.formats.qrels import read_qrels, write_qrels
from leaderboard.judging.preferences import Preference

GOOD = "31_1 MARCO_1 CAR_2 CAR_2\n31_1 CAR_2 MARCO_3 CAR_2\n"
READ = (
    Preference("31_1", "MARCO_1", "CAR_2", "CAR_2"),
    Preference("31_1", "CAR_2", "MARCO_3", "CAR_2"),
)


def read(tmp_path: Path, content: str) -> tuple[Preference, ...]:
    file = tmp_path / "crowd.pref"
    file.write_bytes(content.encode())
    return read_preferences(file)


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        GOOD.replace(" ", "\t"),
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        "\n " + GOOD.replace("\n", " \n"),
    ],
)
def test_preferences_are_read_as_they_are_sent(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == READ


def test_a_pair_judged_twice_is_two_judgments(tmp_path: Path) -> None:
    assert len(read(tmp_path, GOOD + GOOD)) == 4


@pytest.mark.parametrize(
    ("line", "kind", "column"),
    [
        ("31_1 a b", "wrong-field-count", None),
        ("31_1 a b a judge", "wrong-field-count", 12),
        ("31_1 a b c", "not-in-pair", 10),
        ("31_1 a a a", "same-item", 8),
        ("31_1 a\0 b b", "nul", 7),
    ],
)
def test_faults_name_line_and_column(tmp_path: Path, line: str, kind: str, column: int | None) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, GOOD + line + "\n")
    (fault,) = caught.value.faults
    assert (fault.line, fault.column, fault.kind) == (3, column, kind)


def test_an_empty_file_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="one judgment a line"):
        read(tmp_path, "\n")


ID = st.text("abcé/_-1", min_size=1, max_size=4)


@given(st.lists(st.tuples(ID, ID, ID, st.booleans()).filter(lambda made: made[1] != made[2]), min_size=1))
def test_what_is_written_reads_back(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[str, str, str, bool]]
) -> None:
    given_ = tuple(Preference(topic, one, two, one if first else two) for topic, one, two, first in made)
    out = io.StringIO()
    write_preferences(given_, out)
    assert read(tmp_path_factory.getbasetemp(), out.getvalue()) == given_


def test_levels_and_grades_written_read_back(tmp_path: Path) -> None:
    values = {"31_1": {"b": 50.0, "a": 2.0, "c": -1.0}, "31_2": {"b": 0.5}}
    out = io.StringIO()
    write_qrels(values, out)
    assert out.getvalue().splitlines()[0] == "31_1 Q0 b 50"
    file = tmp_path / "x.qrels"
    file.write_text(out.getvalue())
    assert read_qrels(file, integer_grades=False).by_topic() == values


def test_the_released_files_are_read(shared_data: Path) -> None:
    folder = shared_data / "cast2019" / "preferences"
    assert len(read_preferences(folder / "crowd.pref")) == 14573
    assert len(read_preferences(folder / "local.pref")) == 3743
