"""What a participant is told is judged against the public list of pairs, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from leaderboard.contract import FormatError
from leaderboard.formats.pair_list import PairList, given_values, judge, judge_repeats, read_pair_list
from leaderboard.formats.pairs import PairsRun, read_pairs

LIST = ["кошка,собака", "кошка,дом", "ёлка,праздник", "cреда,новости", "монах,оракул", "монах, оракул"]


@pytest.fixture
def listed(tmp_path: Path) -> PairList:
    return list_of(tmp_path / "pairs.csv", *LIST)


def list_of(path: Path, *pairs: str) -> PairList:
    path.write_text("word1,word2,sim\n" + "".join(f"{pair},\n" for pair in pairs), encoding="utf-8")
    return read_pair_list(path)


def run_of(*rows: str) -> PairsRun:
    found = read_pairs(("word1,word2,sim\n" + "".join(f"{row}\n" for row in rows)).encode())
    assert found.run is not None
    return found.run


def answers(*pairs: str) -> list[str]:
    return [f"{pair},0.5" for pair in pairs]


def notes(run: PairsRun, listed: PairList) -> list[str]:
    judged = judge(run, listed)
    assert judged.faults.count == 0, [str(fault) for fault in judged.faults.first]
    return [str(note) for note in judged.notes]


def fault_kinds(run: PairsRun, listed: PairList) -> list[str]:
    return [fault.kind for fault in judge(run, listed).faults.first]


def test_a_run_over_exactly_the_list_gets_no_note(listed: PairList) -> None:
    assert notes(run_of(*answers(*LIST)), listed) == []


def test_a_missing_pair_is_named_and_an_empty_value_is_missing(listed: PairList) -> None:
    rows = [*answers(*LIST[1:3], *LIST[4:]), "кошка,собака,"]
    assert notes(run_of(*rows), listed) == [
        "2 pairs of the input list have no value in the file: (кошка, собака), (cреда, новости)."
    ]


def test_an_unknown_pair_is_named_with_its_line(listed: PairList) -> None:
    assert notes(run_of(*answers(*LIST), "кит,море,1"), listed) == [
        "1 pair of the file is not in the input list (pair and line): (кит, море) [8]."
    ]


def test_a_pair_found_only_by_trimming_is_noted_and_no_stranger(listed: PairList) -> None:
    assert notes(run_of(*answers(*LIST[:5])), listed) == [
        "1 pair of the input list was found only without the white space around its words."
    ]


@pytest.mark.parametrize(
    ("missing", "written"),
    [
        ("ёлка,праздник", "елка,праздник"),
        ("кошка,дом", "Кошка,дом"),
        ("кошка,собака", "кошка,сабака"),
    ],
)
def test_a_near_miss_is_led_back_to_the_list(listed: PairList, missing: str, written: str) -> None:
    others = [pair for pair in LIST if pair != missing]
    found = notes(run_of(*answers(*others), f"{written},1"), listed)
    shown, meant = (pair.replace(",", ", ") for pair in (written, missing))
    assert found[-1] == f"Line 7: ({shown}) is not in the input list. Did you mean ({meant})?"


def test_look_alike_letters_are_named_as_such(listed: PairList) -> None:
    others = [pair for pair in LIST if not pair.startswith("c")]
    found = notes(run_of(*answers(*others), "среда,новости,1"), listed)
    assert found[-1].startswith("Line 7: (среда, новости) has letters of another alphabet that look alike.")
    assert "(cреда, новости)" in found[-1]


def test_a_reversed_pair_is_a_note(listed: PairList) -> None:
    assert notes(run_of(*answers(*LIST), "дом,кошка,1"), listed) == [
        "1 pair stands the other way round in the input list and is not used: (дом, кошка) on line 8."
    ]


def test_a_pair_that_the_list_has_both_ways_is_not_reversed(tmp_path: Path) -> None:
    both = list_of(tmp_path / "pairs.csv", "а,б", "б,а")
    assert notes(run_of(*answers("а,б", "б,а")), both) == []


def test_a_file_mostly_reversed_is_a_fault_said_once(listed: PairList) -> None:
    turned = [",".join(reversed(pair.split(","))) for pair in LIST]
    assert fault_kinds(run_of(*answers(*turned)), listed) == ["reversed"]


def test_a_file_that_lacks_more_than_half_of_the_list_is_a_fault(listed: PairList) -> None:
    assert fault_kinds(run_of(*answers(*LIST[:2])), listed) == ["too-few-pairs"]
    assert fault_kinds(run_of(*answers(*LIST[:3])), listed) == []


def test_the_list_itself_without_values_is_a_fault(listed: PairList) -> None:
    judged = judge(run_of(*(f"{pair}," for pair in LIST)), listed)
    assert "only 0 of the 6 pairs" in str(judged.faults.first[0])


def test_a_file_both_reversed_and_short_has_both_faults(listed: PairList) -> None:
    assert fault_kinds(run_of(*answers("собака,кошка")), listed) == ["reversed", "too-few-pairs"]


def test_repeated_pairs_with_other_values_are_listed_with_their_lines() -> None:
    (note,) = judge_repeats(run_of("а,б,1", "в,г,2", "а,б,3", "в,г,2"))
    assert str(note).endswith("the last one counts (pair and lines): (а, б) [2, 4].")
    assert judge_repeats(run_of("а,б,1", "а,б,1.0")) == ()


def test_long_lists_of_examples_are_cut(tmp_path: Path) -> None:
    many = [f"слово{number},пара" for number in range(100)]
    listed = list_of(tmp_path / "pairs.csv", *many)
    found = notes(
        run_of(*answers(*many[:60]), *answers(*(f"чужое{number},{'о' * 400}" for number in range(90)))),
        listed,
    )
    assert [note[:3].strip() for note in found] == ["40", "90"]
    assert all(len(note) < 600 and note.endswith(", ….") for note in found)


def test_given_values_are_those_of_the_list_alone(listed: PairList) -> None:
    run = run_of("кошка,собака,1", "кошка,собака,2", "кошка,дом,", "чужое,слово,9", "монах,оракул,3")
    assert sorted(given_values(run, listed).tolist()) == [2.0, 3.0, 3.0]


def test_the_words_of_another_encoding_are_not_known(listed: PairList) -> None:
    text = "word1,word2,sim\nкошка,собака,0.5\nкит,дом,1\n"
    assert listed.knows_words_of(text)
    assert listed.knows_words_of(text.replace("word1", "w1"))
    assert not listed.knows_words_of(text.encode("koi8-r").decode("cp1251"))
    assert not listed.knows_words_of("word1,word2,sim\n")


def test_a_repeat_in_the_list_is_one_pair(tmp_path: Path) -> None:
    assert len(list_of(tmp_path / "pairs.csv", "а,б", "в,г", "а,б")) == 2


def test_a_list_is_read_again_only_when_its_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    first = list_of(path, "а,б")
    assert read_pair_list(path) is first
    path.write_text("word1,word2,sim\nа,в,\n", encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert read_pair_list(path).to_list() == [("а", "в")]


def test_a_broken_list_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("word1,word2,sim\nа,\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"pairs\.csv: line 2"):
        read_pair_list(path)
