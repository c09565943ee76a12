"""The fast reader of runs agrees with the tolerant one, or declines."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from leaderboard.formats.trec_lines import read_lines
from leaderboard.formats.trec_regular import read_regular
from leaderboard.formats.trec_run import TrecRun

FIELD = st.one_of(
    st.sampled_from(
        ["Q0", "d1", "d2", "1", "2.5", "книга", "nan", "NULL", '"', "a\\", "\ufeff", "\u00a0", "é"]
    ),
    st.text(st.characters(exclude_characters=" \t\r\n\0", codec="utf-8"), min_size=1, max_size=6),
)
NUMBER = st.one_of(
    st.integers(-5, 2**64).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?[0-9]{1,3}(\.[0-9]{0,3})?(e-?[0-9]{1,2})?", fullmatch=True),
)
ODD_NUMBER = st.sampled_from(
    ["+1", "1_0", "0x1A", "nan", "-inf", "infinity", "1e999", "1e-999", "1,5", ".", "5.", ".5", "1e", "1d3",
     "\u0661", "nan(1)", "1f", "--1", "1e+5", "0b1", "1\u00a0", "", " ", "True", "00"]
)  # fmt: skip
END = st.sampled_from(["\n", "\r\n"])
INSERTED = st.sampled_from(
    [*' \t\n\r\0"\\,+_.eE-1x\x0b\x0c\x1c\x85\u00a0\u2028\ufeff', "\r\n", "  ", "nan", "é"]
)


@st.composite
def regular_runs(draw: st.DrawFn) -> str:
    """A valid run of one delimiter, with few enough names that topics and docnos repeat."""
    delimiter, end = draw(st.sampled_from(" \t")), draw(END)
    topics = draw(st.lists(FIELD, min_size=1, max_size=3))
    items = draw(st.lists(st.tuples(st.sampled_from(topics), FIELD), min_size=1, max_size=12, unique=True))
    numbers = st.tuples(NUMBER, NUMBER)
    rows = [(topic, "Q0", docno, *draw(numbers), draw(FIELD)) for topic, docno in items]
    return end.join(delimiter.join(row) for row in rows) + draw(st.sampled_from(["", end, end * 3]))


@st.composite
def mutated_runs(draw: st.DrawFn) -> str:
    """A run of which a few characters were removed, doubled or put in anywhere."""
    text = draw(regular_runs())
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 2)))
        text = (
            text[:start] + draw(st.one_of(INSERTED, st.just(text[start:end] * 2), st.just(""))) + text[end:]
        )
    return text


@st.composite
def mixed_runs(draw: st.DrawFn) -> str:
    """Lines of any number of any fields with any white space."""
    gap = st.sampled_from([" ", " ", "\t", "  ", " \t"])
    margin = st.sampled_from(["", "", "", " ", "\t"])
    lines = []
    for _ in range(draw(st.integers(0, 6))):
        number = st.one_of(NUMBER, ODD_NUMBER)
        fields = [draw(FIELD), "Q0", draw(FIELD), draw(number), draw(number), draw(FIELD)]
        fields = fields[: draw(st.sampled_from([6, 6, 6, 5]))]
        line = "".join(field + draw(gap) for field in fields[:-1]) + fields[-1]
        lines.append(draw(margin) + line + draw(margin) + draw(END))
    return "".join(lines)


def assert_same(fast: TrecRun, tolerant: TrecRun) -> None:
    assert fast.topics == tolerant.topics
    assert fast.tags == tolerant.tags
    np.testing.assert_array_equal(fast.topic, tolerant.topic)
    np.testing.assert_array_equal(fast.score, tolerant.score)
    np.testing.assert_array_equal(fast.rank, tolerant.rank)
    assert fast.docnos.take(fast.docno).equals(tolerant.docnos.take(tolerant.docno))


@given(regular_runs())
def test_both_readers_give_a_regular_run_the_same_columns(text: str) -> None:
    tolerant = read_lines(text.encode()).run
    assert tolerant is not None
    fast = read_regular(text.encode())
    assert (fast is None) == text.startswith("\ufeff")
    if fast is not None:
        assert_same(fast, tolerant)


@given(st.one_of(mutated_runs(), mixed_runs()))
@example("1 Q0 a 1 +2 t\n")
@example("\ufeff1 Q0 a 1 2 t\n")
@example("1 Q0 a 1 2 t\r1 Q0 b 2 1 t\n")
@example("1 Q0 a 1 2 t\r\r\n")
@example("1 Q0 a 1 2 \n")
@example("1  a 1 2 t\n")
@example("1 Q0 a 1 2\tt x\n")
@example("1 Q0 a 1 nan t\n")
@example("1 Q0 a nan 1 t\n")
@example("1 Q0 a 1 2 t\n \n")
def test_what_the_fast_reader_accepts_the_tolerant_one_reads_the_same(text: str) -> None:
    fast = read_regular(text.encode())
    if fast is None:
        return
    tolerant = read_lines(text.encode()).run
    assert tolerant is not None
    assert_same(fast, tolerant)


@given(st.integers(1, 3), st.sampled_from(" \t"), END, st.integers(1, 700))
def test_runs_of_large_and_small_topics_take_the_fast_way(
    n: int, delimiter: str, end: str, size: int
) -> None:
    rows = [(f"t{t}", "Q0", f"d{i}", str(i), f"{-i / 7!r}", "tag") for t in range(n) for i in range(size)]
    content = "".join(delimiter.join(row) + end for row in rows).encode()
    fast, tolerant = read_regular(content), read_lines(content).run
    assert fast is not None
    assert tolerant is not None
    assert_same(fast, tolerant)
    assert fast.topics == tuple(f"t{t}" for t in range(n))
