"""Runs of word pairs are read in every dialect people send, and every fault is named by its place."""

from __future__ import annotations

import math
import tracemalloc
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.contract import MAX_FAULTS
from leaderboard.formats import pairs
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.pair_header import read_header
from leaderboard.formats.pairs import PairsRun, ReadPairs, read_pairs, read_regular, read_tolerant

CLEAN = "word1,word2,sim\nкошка,собака,0.5\nкошка,дом,\n"
ROWS = [("кошка", "собака", 0.5), ("кошка", "дом", None)]


def read(text: str) -> ReadPairs:
    return read_pairs(text.encode())


def rows(found: ReadPairs) -> list[tuple[str, str, float | None]]:
    assert found.run is not None, [str(fault) for fault in found.faults.first]
    values = [None if math.isnan(value) else value for value in found.run.sim.tolist()]
    return [(*pair, value) for pair, value in zip(found.run.to_list(), values, strict=True)]


def faults(found: ReadPairs) -> list[tuple[int | None, int | None, str]]:
    assert found.run is None
    return [(fault.line, fault.column, fault.kind) for fault in found.faults.first]


def only_fault(text: str) -> str:
    found = read(text)
    assert found.run is None
    (fault,) = found.faults.first
    return str(fault)


# --- what is accepted -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        CLEAN,
        "\ufeff" + CLEAN,
        CLEAN.replace("\n", "\r\n"),
        CLEAN.replace("\n", "\r"),
        CLEAN.rstrip("\n"),
        CLEAN + "\n\n  \n,,\n",
        "\n" + CLEAN,
        CLEAN.replace(",", ";"),
        CLEAN.replace(",", "\t"),
        CLEAN.replace(",", ";").replace("0.5", "0,5"),
        CLEAN.replace(",", "\t").replace("0.5", "0,5"),
        CLEAN.replace("0.5", '"0,5"'),
        CLEAN.replace("0.5", " 0.5 "),
        CLEAN.replace("0.5", "+5.0E-1"),
        CLEAN.replace("0.5", ".5"),
        CLEAN.replace("кошка", '"кошка"'),
        '"word1";"word2";"sim"\n"кошка";"собака";"0,5"\n"кошка";"дом";""\n',
        "sep=;\n" + CLEAN.replace(",", ";"),
        CLEAN.replace("word1,word2,sim", " Word1 , WORD2,Sim "),
        "sim,word2,word1\n0.5,собака,кошка\n,дом,кошка\n",
        CLEAN.replace("sim\n", "sim,\n").replace("0.5\n", "0.5,\n").replace("дом,\n", "дом,,\n"),
        CLEAN.replace("0.5\n", "0.5,,\n"),
    ],
)
def test_every_dialect_gives_the_same_rows(text: str) -> None:
    found = read(text)
    assert rows(found) == ROWS
    assert found.notes == ()


def test_further_columns_are_ignored_and_named() -> None:
    found = read("num;word1;word2;related;sim;src\n1;кошка;собака;1;0.5;ae\n2;кошка;дом;;;ae\n")
    assert rows(found) == ROWS
    assert [str(note) for note in found.notes] == ["The columns num, related, src were ignored."]


def test_quoted_fields_may_hold_separators_quotes_and_in_other_columns_line_breaks() -> None:
    found = read('word1,word2,sim,comment\n"а, б","в ""г""",1,"один\nдва"\nд,е,2,\n')
    assert rows(found) == [("а, б", 'в "г"', 1.0), ("д", "е", 2.0)]
    assert found.run is not None
    assert found.run.line.tolist() == [2, 4]


def test_a_quotation_mark_inside_a_word_is_a_letter() -> None:
    assert rows(read('word1,word2,sim\nд"Артаньян,шпага,1\n')) == [('д"Артаньян', "шпага", 1.0)]


def test_utf16_as_excel_writes_it_is_read_with_a_note() -> None:
    found = read_pairs(("\ufeff" + CLEAN.replace(",", "\t")).encode("utf-16-le"))
    assert rows(found) == ROWS
    assert "UTF-16" in str(found.notes[0])


def test_words_are_brought_to_nfc_by_both_readers() -> None:
    text = normalize("NFD", "word1,word2,sim\nёж,йод,1\n")
    assert "ёж" not in text
    assert rows(read(text)) == rows(read(text.replace("1\n", '"1"\n'))) == [("ёж", "йод", 1.0)]


def test_white_space_belongs_to_the_word() -> None:
    assert rows(read("word1,word2,sim\nмонах, оракул,1\nмонах,оракул,2\n")) == [
        ("монах", " оракул", 1.0),
        ("монах", "оракул", 2.0),
    ]


def test_lines_are_numbered_as_in_the_file() -> None:
    for text in ("word1,word2,sim\nа,б,1\nв,г,2\n", "\nsep=,\nword1,word2,sim\n\nа,б,1\n\nв,г,2\n"):
        run = read(text).run
        assert run is not None
        lines = text.split("\n")
        assert [lines[line - 1] for line in run.line] == ["а,б,1", "в,г,2"]


# --- the header -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    ["кошка,собака,0.5", "w1,w2,score", "word1 word2 sim", "a", "word1|word2|sim", "x" * 100_000, '"word1'],
)
def test_another_header_is_refused_and_the_right_one_told(first: str) -> None:
    found = read(f"{first}\nкошка,собака,0.5\n")
    assert faults(found) == [(1, 1, "header")]
    message = str(found.faults.first[0])
    assert "word1,word2,sim" in message
    assert first[:60] in message
    assert len(message) < 300


def test_a_header_that_lacks_one_column_says_which() -> None:
    assert "lacks sim" in only_fault("word1,word2,score\nа,б,1\n")


def test_a_header_that_names_a_column_twice_is_refused() -> None:
    assert "sim twice" in only_fault("word1,word2,sim,sim\nа,б,1,1\n")


@pytest.mark.parametrize("text", ["\n", "   \n\n", "sep=;\n"])
def test_a_file_of_nothing_is_empty(text: str) -> None:
    assert "empty" in only_fault(text) or "header" in only_fault(text)


def test_a_header_without_pairs_is_refused() -> None:
    assert "no pairs" in only_fault("word1,word2,sim\n")


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", "infinity", "nan(1)", "NA", "None", "∞"]
)
def test_what_is_not_finite_is_a_fault_with_line_and_column(value: str) -> None:
    assert faults(read(f"word1,word2,sim\nа,б,1\nвг,де,{value}\n")) == [(3, 7, "not-finite")]


@pytest.mark.parametrize("value", ["1e999", "-1e999", "1" * 400])
def test_a_number_beyond_double_precision_is_a_fault(value: str) -> None:
    assert faults(read(f"word1,word2,sim\nа,б,{value}\n")) == [(2, 5, "not-finite")]


@pytest.mark.parametrize(
    "value",
    ["abc", "1_000", "0x1F", "0x1p3", "٠.٥", "０.５", "½", "1 000", "0.5%", "--1", "1e", "e5", ".", "1.2.3",
     "TRUE", "1d5", "−1", "0.5\u00a0"],
)  # fmt: skip
def test_what_is_no_plain_number_is_a_fault_with_line_and_column(value: str) -> None:
    assert faults(read(f"word1,word2,sim\nа,б,1\nвг,де,{value}\n")) == [(3, 7, "not-a-number")]


def test_two_commas_in_a_number_are_a_fault() -> None:
    assert faults(read("word1;word2;sim\nа;б;1,234,5\n")) == [(2, 5, "not-a-number")]


def test_a_decimal_comma_without_quotes_is_explained() -> None:
    message = only_fault("word1,word2,sim\nа,б,0,5\n")
    assert message.startswith("line 2: ")
    assert "0,5" in message


def test_a_zero_below_the_smallest_double_is_read_as_zero() -> None:
    assert rows(read("word1,word2,sim\nа,б,1e-999\n")) == [("а", "б", 0.0)]


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "place"),
    [
        ("а,б", (2, None, "fields")),
        ("а", (2, None, "fields")),
        ("а,б,1,2", (2, None, "fields")),
        (",б,1", (2, 1, "word")),
        ("а, ,1", (2, 3, "word")),
        ("а,б\0,1", (2, 3, "word")),
        ('а,"б\nв",1', (2, 3, "word")),
        (f"а,{'б' * 501},1", (2, 3, "word")),
        (f"{'а' * 200_000},б,1", (2, None, "word")),
        ('а,"б,1', (2, None, "quotes")),
        ('"а"б,в,1', (2, None, "quotes")),
    ],
)
def test_a_broken_row_is_a_fault_by_its_place(row: str, place: tuple[int, int | None, str]) -> None:
    assert faults(read(f"word1,word2,sim\n{row}\n")) == [place]


@pytest.mark.parametrize(
    ("row", "says"), [("а;б;0,5", "with “,”, this row with “;”"), ("а\tб\t1", "row with TAB")]
)
def test_rows_with_another_separator_than_the_header_are_told_so(row: str, says: str) -> None:
    (fault,) = read(f"word1,word2,sim\n{row}\n").faults.first
    assert says in str(fault)


def test_columns_are_counted_behind_quoted_separators() -> None:
    assert faults(read('word1,word2,sim\n"а,б",в,x\n')) == [(2, 9, "not-a-number")]


def test_all_faults_are_found_in_one_pass_and_the_first_fifty_kept() -> None:
    found = read("word1,word2,sim\n" + "а,б,x\n,б,nan\n" * 100)
    assert found.faults.count == 300
    assert len(found.faults.first) == MAX_FAULTS
    assert [fault.line for fault in found.faults.first[:5]] == [2, 3, 3, 4, 5]


def test_an_undecodable_file_is_refused_with_its_offset() -> None:
    found = read_pairs(CLEAN.encode("cp1251"))
    assert faults(found) == [(2, None, "encoding")]
    assert "offset 16 " in str(found.faults.first[0])


# --- size -----------------------------------------------------------------------------------------


def test_a_row_with_a_million_empty_fields_behind_it_is_read_at_once() -> None:
    assert rows(read("word1,word2,sim\nа,б,1" + "," * 1_000_000 + "\nв,г,2\n")) == [
        ("а", "б", 1.0),
        ("в", "г", 2.0),
    ]


def test_ten_million_rows_are_refused_without_being_read() -> None:
    content = b"word1,word2,sim\n" + b"a,b,1\n" * 10_000_000
    tracemalloc.start()
    found = read_pairs(content)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert faults(found) == [(None, None, "too-many-lines")]
    assert peak < 4 * len(content)


@pytest.mark.parametrize(
    "row", ["а" * 5_000_000, "а,б," + "1" * 5_000_000, "а," * 2_000_000, '"' + "а" * 5_000_000]
)
def test_a_very_long_line_is_a_short_fault(row: str) -> None:
    found = read(f"word1,word2,sim\n{row}\n")
    assert found.faults.count == 1
    assert len(str(found.faults.first[0])) < 400


# --- repeated pairs and look-up -------------------------------------------------------------------


def run_of(text: str) -> PairsRun:
    run = read("word1,word2,sim\n" + text).run
    assert run is not None
    return run


def found_values(text: str, *wanted: tuple[str, str]) -> list[float]:
    run = run_of(text)
    pair_list = run_of("".join(f"{word1},{word2},0\n" for word1, word2 in wanted))
    return list(run.values_at(run.find(pair_list)[0]))


def test_the_last_of_a_repeated_pair_counts() -> None:
    assert found_values("а,б,1\nв,г,2\nа,б,3\n", ("а", "б"), ("в", "г")) == [3.0, 2.0]


def test_the_last_counts_even_where_it_is_empty() -> None:
    assert math.isnan(found_values("а,б,1\nа,б,\n", ("а", "б"))[0])


def test_only_a_pair_that_is_not_held_exactly_is_found_by_trimming() -> None:
    both = found_values("а, б,1\nа,б,2\n", ("а", " б"), ("а", "б"))
    one = found_values("а,б,2\n", ("а", " б"), ("а", "б"))
    other = found_values("а,  б ,1\nа,б ,3\n", ("а", " б"), ("а", "б"))
    assert (both, one, other) == ([1.0, 2.0], [2.0, 2.0], [3.0, 3.0])


def test_order_and_case_and_yo_and_look_alikes_are_not_folded() -> None:
    wanted = [("б", "а"), ("А", "б"), ("ёж", "ель"), ("cон", "явь")]
    assert np.isnan(found_values("а,б,1\nеж,ель,1\nсон,явь,1\n", *wanted)).all()


def test_rows_overruled_with_another_value_are_told_from_mere_repeats() -> None:
    run = run_of("а,б,1\nв,г,2\nа,б,1\nв,г,3\nд,е,\nд,е,\nё,ж,\nё,ж,1\n")
    assert pairs.repeated_with_other_values(run).tolist() == [1, 6]


# --- both readers agree ---------------------------------------------------------------------------

WORD = st.text(
    st.one_of(
        st.sampled_from("абёйа́ .'-\t;,\"\r\n\0 \u2028\ufeff\x0b\x1c\x85　"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=4,
)
NUMBER = st.one_of(
    st.just(""),
    st.floats(allow_nan=False).map(repr),
    st.integers().map(str),
    st.sampled_from(
        ["nan", "inf", "-Infinity", "0,5", " 1", "1 ", "1\t", "1_0", "0x1", "٥", "1.", ".5", "+1",
         "1e5", "1E+05", "1e", "-", "1e-400", "1e400", "00.10", "-0", " ", "true", "1f", "1d0",
         "0.1000000000000000055511151231257827021181583404541"]
    ),
    st.from_regex(r"[+-]?[0-9]{1,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)  # fmt: skip
LINE = st.one_of(
    st.tuples(WORD, WORD, NUMBER),
    st.tuples(st.sampled_from(["кот", " кот", "е\u0308ж"]), st.sampled_from(["пёс", "дом"]), NUMBER),
    st.lists(WORD, max_size=5),
)


def as_columns(run: PairsRun) -> tuple[list[tuple[str, str]], list[str], list[int]]:
    return run.to_list(), [repr(value) for value in run.sim.tolist()], run.line.tolist()


@given(
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(LINE, min_size=1, max_size=6),
    st.booleans(),
)
@example(",", "\n", [["кот", "пёс", "1"], []], True)
def test_the_fast_reader_gives_what_the_tolerant_one_gives_or_steps_back(
    separator: str, end: str, lines: list[tuple[str, ...]], closed: bool
) -> None:
    body = end.join(separator.join(line) for line in lines) + (end if closed else "")
    text = separator.join(["word1", "word2", "sim"]) + end + body
    try:
        header = read_header(text)
    except Refused:
        pytest.fail("the header is sound")
    fast = read_regular(text, text.encode(), header)
    found = FaultList()
    slow = read_tolerant(text, header, found)
    if fast is not None:
        assert found.count == 0, [str(fault) for fault in found.first]
        assert as_columns(fast) == as_columns(slow)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["кот", " пёс"]),
            st.sampled_from(["дом"]),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        min_size=1,
    )
)
def test_a_regular_file_takes_the_fast_way(lines: list[tuple[str, str, float]]) -> None:
    text = "word1,word2,sim\n" + "".join(f"{one},{two},{value!r}\n" for one, two, value in lines)
    fast = read_regular(text, text.encode(), read_header(text))
    assert fast is not None
    assert fast.sim.tolist() == [value for _, _, value in lines]


@given(st.text(max_size=80), st.sampled_from(["", "word1,word2,sim\n"]))
def test_any_text_is_read_or_has_a_fault(text: str, head: str) -> None:
    try:
        content = (head + text).encode()
    except UnicodeEncodeError:
        return
    found = read_pairs(content)
    assert (found.run is None) == (found.faults.count > 0)
    assert len(found.faults.first) == min(found.faults.count, MAX_FAULTS)
