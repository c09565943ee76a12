"""What a run in TREC format may look like, and what is said of one that cannot be read."""

from __future__ import annotations

import numpy as np
import pytest

from leaderboard.contract import MAX_FAULTS, Fault
from leaderboard.formats.fields import MAX_LINE
from leaderboard.formats.trec_lines import MANY_FAULTS
from leaderboard.formats.trec_run import MAX_LINES, ReadRun, TrecRun, read_run

GOOD = "31_1 Q0 MARCO_1 1 2.5 mine\n31_1 Q0 CAR_2 2 1.5 mine\n31_2 Q0 MARCO_1 1 0.5 mine\n"


def rows_of(run: TrecRun) -> list[tuple[str, str, float]]:
    docnos = run.docnos.to_pylist()
    return [
        (run.topics[topic], docnos[docno], score)
        for topic, docno, score in zip(run.topic, run.docno, run.score.tolist(), strict=True)
    ]


def accepted(content: str | bytes) -> TrecRun:
    read = read_run(content if isinstance(content, bytes) else content.encode())
    assert not read.faults.count, [str(fault) for fault in read.faults.first]
    assert read.run is not None
    return read.run


def refused(content: str | bytes) -> list[Fault]:
    read = read_run(content if isinstance(content, bytes) else content.encode())
    assert read.run is None
    assert read.faults.count
    return read.faults.first


def only_fault(content: str | bytes) -> Fault:
    (fault,) = refused(content)
    return fault


def notes_of(read: ReadRun) -> str:
    return " ".join(map(str, read.notes))


EXPECTED = [("31_1", "MARCO_1", 2.5), ("31_1", "CAR_2", 1.5), ("31_2", "MARCO_1", 0.5)]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(GOOD, id="as trec_eval has it"),
        pytest.param(GOOD.replace(" ", "\t"), id="TABs"),
        pytest.param(GOOD.replace(" ", " \t "), id="a mix of spaces and TABs"),
        pytest.param(GOOD.replace(" Q0", "\tQ0"), id="a TAB after the topic only"),
        pytest.param(GOOD.replace("31_", "  \t31_"), id="leading white space"),
        pytest.param(GOOD.replace("\n", " \n"), id="trailing white space"),
        pytest.param(GOOD.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(GOOD.replace("\n", "\r\r\n"), id="CRLF converted twice"),
        pytest.param(GOOD.replace("mine\n", "mine\r\n", 1), id="CRLF on one line"),
        pytest.param(GOOD + "\n\n\r\n", id="empty lines at the end"),
        pytest.param(GOOD + " \t \n", id="a blank line at the end"),
        pytest.param("\n" + GOOD.replace("31_2", "\n31_2"), id="empty lines before and between"),
        pytest.param(GOOD[:-1], id="no end of the last line"),
        pytest.param("\ufeff" + GOOD, id="a byte order mark"),
        pytest.param(("\ufeff" + GOOD).encode("utf-16-le"), id="UTF-16, little endian"),
        pytest.param(("\ufeff" + GOOD).encode("utf-16-be"), id="UTF-16, big endian"),
    ],
)
def test_a_run_is_read_as_people_send_it(content: str | bytes) -> None:
    assert rows_of(accepted(content)) == EXPECTED


def test_utf_16_is_told_in_a_note() -> None:
    assert "UTF-16" in notes_of(read_run(("\ufeff" + GOOD).encode("utf-16-le")))


def test_a_good_run_has_no_remarks() -> None:
    read = read_run(GOOD.encode())
    assert (read.warnings, read.notes) == ((), ())


def test_topics_may_be_interleaved() -> None:
    run = accepted("1 Q0 a 1 3 t\n2 Q0 b 1 3 t\n1 Q0 c 2 2 t\n2 Q0 a 2 2 t\n")
    assert run.topics == ("1", "2")
    assert rows_of(run) == [("1", "a", 3.0), ("2", "b", 3.0), ("1", "c", 2.0), ("2", "a", 2.0)]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("1", 1.0),
        ("-0.25", -0.25),
        ("+3.5", 3.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e3", 1000.0),
        ("1.5E-3", 0.0015),
        ("1e+2", 100.0),
        ("1e-400", 0.0),
        ("007", 7.0),
        ("0.1000000000000000055511151231257827", 0.1),
        ("123456789.123456789", 123456789.123456789),
    ],
)
def test_a_score_is_any_decimal_or_scientific_number(text: str, score: float) -> None:
    assert accepted(f"1 Q0 a 1 {text} t\n").score.tolist() == [score]


@pytest.mark.parametrize(
    "text",
    ["abc", "nan", "NaN", "inf", "-inf", "Infinity", "0x10", "1_000", "9,5", "1.2.3", "1e", "e5", ".", "-",
     "--1", "1f", "1e5.0", "\u0663", "\uff11", "1\u00a0", "1e999", "-1e999", "1" * 400, "\x0b1", "None"],
)  # fmt: skip
def test_anything_else_is_no_score(text: str) -> None:
    fault = only_fault(f"1 Q0 a 1 2.0 t\n1 Q0 b 2 {text} t\n")
    assert (fault.line, fault.column, fault.kind) == (2, 10, "not-a-number")


def test_a_decimal_comma_is_named_with_the_right_way_to_write_it() -> None:
    assert "9.5" in str(only_fault("1 Q0 a 1 9,5 t\n"))


def test_a_score_beyond_64_bits_is_called_too_large() -> None:
    assert "too large" in str(only_fault("1 Q0 a 1 1e999 t\n"))


def test_five_fields_with_two_numbers_at_the_end_lack_the_tag() -> None:
    fault = only_fault("1 Q0 a 1 2.0\n")
    assert fault.line == 1
    assert "the tag is missing" in str(fault)


def test_five_fields_with_a_word_at_the_end_lack_q0() -> None:
    assert "Q0 is missing" in str(only_fault("1 a 1 2.0 t\n"))


def test_five_fields_that_could_lack_either_say_so() -> None:
    assert "the tag or Q0 is missing" in str(only_fault("1 Q0 a b c\n"))


def test_a_doubled_delimiter_does_not_make_a_field() -> None:
    assert only_fault("1  a 1 2.0 t\n").kind == "too-few-fields"


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_fewer_fields_are_counted(count: int) -> None:
    assert f"{count} field" in str(only_fault(" ".join("abcd"[:count]) + "\n"))


def test_seven_fields_are_too_many_and_the_column_is_named() -> None:
    fault = only_fault("1 Q0 a 1 2.0 my run\n")
    assert (fault.line, fault.column) == (1, 17)
    assert "too many" in str(fault)


def test_columns_count_characters_not_bytes() -> None:
    assert only_fault("книга Q0 a 1 x t\n").column == 14


def test_csv_is_not_mistaken_for_a_run() -> None:
    assert {fault.kind for fault in refused("word1,word2,sim\na,b,0.5\n")} == {"too-few-fields"}


def test_a_docno_twice_in_a_topic_names_both_lines() -> None:
    fault = only_fault("1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n\n1 Q0 a 2 2 t\n")
    assert (fault.line, fault.kind) == (4, "duplicate")
    assert "line 1" in str(fault.message)


def test_a_docno_twice_is_found_in_large_topics_as_well() -> None:
    lines = [f"{topic} Q0 d{rank} {rank} {-rank} t" for topic in (1, 2) for rank in range(1000)]
    lines[1999] = "2 Q0 d0 999 -999 t"
    fault = only_fault("\n".join(lines))
    assert (fault.line, fault.kind) == (2000, "duplicate")
    assert "line 1001" in str(fault.message)


def test_every_further_copy_is_a_fault_of_its_own() -> None:
    assert [fault.line for fault in refused("1 Q0 a 1 3 t\n" * 4)] == [2, 3, 4]


def test_a_row_with_a_bad_score_still_counts_for_duplicates() -> None:
    assert [fault.kind for fault in refused("1 Q0 a 1 x t\n1 Q0 a 2 2 t\n")] == ["not-a-number", "duplicate"]


def test_faults_of_all_kinds_are_told_in_the_order_of_the_file() -> None:
    content = "1 Q0 a 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 x t\n1 Q0 a 4 0 t\n1 Q0 c\n"
    assert [fault.line for fault in refused(content)] == [2, 3, 4, 5]


def test_only_the_first_faults_are_kept_and_all_are_counted() -> None:
    read = read_run(b"1 Q0 a 1 x t\n" * 200)
    assert len(read.faults.first) == MAX_FAULTS
    assert read.faults.count == 200 + 199
    assert [fault.line for fault in read.faults.first][:3] == [1, 2, 2]


def test_a_file_that_is_faulty_throughout_is_not_read_to_its_end() -> None:
    read = read_run(b"\n\n" + b"x\n" * (MANY_FAULTS + 10))
    assert read.faults.count == MANY_FAULTS
    assert f"Line {MANY_FAULTS + 2} is the last" in notes_of(read)


def test_very_many_blank_lines_are_passed_over() -> None:
    fault = only_fault(b"\n" * 1_400_000 + b" \r\n" * 500_000 + b" \r 1 Q0 a 1 x t\n")
    assert (fault.line, fault.column, fault.kind) == (1_900_001, 2, "lone-cr")


@pytest.mark.parametrize("content", [b"", b"\n\n", b" \t\r\n", b"\xef\xbb\xbf"])
def test_a_file_without_results_is_a_fault(content: bytes) -> None:
    fault = only_fault(content)
    assert (fault.line, fault.kind) == (None, "empty")


def test_a_nul_byte_is_a_fault_of_its_line() -> None:
    fault = only_fault("1 Q0 a 1 2 t\n1 Q0 b\0 2 1 t\n")
    assert (fault.line, fault.column, fault.kind) == (2, 7, "nul")


def test_a_carriage_return_inside_a_line_is_a_fault() -> None:
    fault = only_fault("1 Q0 a 1 2 t\n1 Q0 b\r2 1 t\n")
    assert (fault.line, fault.column, fault.kind) == (2, 7, "lone-cr")


def test_the_line_ends_of_old_macs_are_named() -> None:
    assert only_fault(GOOD.replace("\n", "\r")).kind == "lone-cr"


def test_bytes_that_are_no_utf_8_are_named_by_offset_and_line() -> None:
    content = GOOD.encode() + b"31_3 Q0 caf\xe9 1 2.0 t\n"
    fault = only_fault(content)
    assert fault.line == 4
    assert str(content.index(b"\xe9")) in str(fault)


@pytest.mark.parametrize("size", [MAX_LINE + 1, 5_000_000])
@pytest.mark.parametrize("filling", ["x", " y", "1 Q0 a 1 2 t "])
def test_an_overlong_line_is_a_fault_and_the_others_are_still_read(size: int, filling: str) -> None:
    faults = refused(f"1 Q0 a 1 2 t\n{(filling * (size // len(filling) + 1))[:size]}\n1 Q0 b 1 x t\n")
    assert [(fault.line, fault.kind) for fault in faults] == [(2, "overlong-line"), (3, "not-a-number")]


def test_an_overlong_line_is_not_cut_to_a_good_one_at_a_carriage_return() -> None:
    start = "1 Q0 a 1 2 t"
    assert only_fault(start + "t" * (MAX_LINE - len(start)) + "\rx\n").kind == "overlong-line"


def test_an_overlong_number_is_a_fault_too() -> None:
    assert only_fault(f"1 Q0 a 1 0.{'0' * MAX_LINE}1 t\n").kind == "overlong-line"


@pytest.mark.parametrize(
    "character", ["\u00a0", "\u2028", "\u2003", "\u200b", "\x0b", "\x0c", "\x85", "\x1c"]
)
def test_white_space_other_than_space_and_tab_belongs_to_the_id(character: str) -> None:
    read = read_run(f"1 Q0 a 1 2.0 t\n1 Q0 b{character}c 2 1.0 t\n".encode())
    assert read.run is not None
    assert read.run.docnos.to_pylist() == ["a", f"b{character}c"]
    assert "Line 2" in notes_of(read)
    assert f"U+{ord(character):04X}" in notes_of(read)


def test_letters_of_any_script_are_no_cause_for_a_note() -> None:
    read = read_run("тема Q0 книга 1 2.0 команда\n".encode())
    assert read.run is not None
    assert read.run.topics == ("тема",)
    assert read.notes == ()


def test_quotes_and_backslashes_are_plain_characters() -> None:
    assert rows_of(accepted('1 Q0 "a 1 2.0 t\n1 Q0 b" 2 1.0 t\\\n')) == [("1", '"a', 2.0), ("1", 'b"', 1.0)]


def test_words_for_nothing_are_plain_ids() -> None:
    run = accepted("null Q0 NA 1 2.0 None\nnull Q0 nan 2 1.0 None\n")
    assert rows_of(run) == [("null", "NA", 2.0), ("null", "nan", 1.0)]


def test_ranks_are_kept_as_numbers_where_they_are_some() -> None:
    run = accepted("1 Q0 a 0 3 t\n1 Q0 b x 2 t\n1 Q0 c 9223372036854775808 1 t\n1 Q0 d -1 0 t\n")
    np.testing.assert_array_equal(run.rank, [0.0, np.nan, 2.0**63, -1.0])


@pytest.mark.parametrize("rank", ["nan", "inf", "1e999", "0x10", "1,5", "first", "-", "1_0"])
def test_a_rank_that_is_no_number_is_no_fault(rank: str) -> None:
    assert np.isnan(accepted(f"1 Q0 a {rank} 3 t\n").rank).all()


def test_several_tags_are_noted_and_read_as_one_run() -> None:
    read = read_run(b"1 Q0 a 1 2 one\n1 Q0 b 2 1 two\n")
    assert read.run is not None
    assert read.run.tags == ("one", "two")
    assert "2 different tags: one, two" in notes_of(read)


def test_a_file_of_very_many_lines_is_refused_without_being_read() -> None:
    assert only_fault("1 Q0 a 1 1 t\n" * (MAX_LINES + 1)).kind == "too-many-lines"
