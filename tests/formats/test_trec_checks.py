"""What is remarked on a run that was read, and how it is judged against public inputs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.formats.trec_checks import RunCheck, check_run
from leaderboard.formats.trec_run import TrecRun, read_run


def make_run(*rows: tuple[str, str, object, object]) -> TrecRun:
    """A run of (topic, docno, rank, score)."""
    lines = [f"{topic} Q0 {docno} {rank} {score} t\n" for topic, docno, rank, score in rows]
    run = read_run("".join(lines).encode()).run
    assert run is not None
    return run


def warnings_on(*rows: tuple[str, str, object, object]) -> str:
    lines = [f"{topic} Q0 {docno} {rank} {score} t\n" for topic, docno, rank, score in rows]
    return " ".join(map(str, read_run("".join(lines).encode()).warnings))


def check(
    run: TrecRun, depth: int = 1000, topics: list[str] | None = None, id_pattern: str | None = None
) -> RunCheck:
    return check_run(run, depth=depth, topics=topics, id_pattern=id_pattern)


def deep_run(**sizes: int) -> TrecRun:
    return make_run(*((name, f"d{i}", i, -i) for name, size in sizes.items() for i in range(size)))


def test_ranks_that_follow_the_scores_are_no_cause_for_a_warning() -> None:
    assert warnings_on(("1", "a", 1, 3), ("1", "b", 2, 2), ("2", "c", 1, 9)) == ""


def test_ranks_may_start_anywhere_and_leave_gaps() -> None:
    assert warnings_on(("1", "a", 0, 3), ("1", "b", 7, 2), ("1", "c", 7, 1)) == ""


def test_the_same_rank_everywhere_contradicts_nothing() -> None:
    assert warnings_on(("1", "a", 1, 1), ("1", "b", 1, 2), ("1", "c", 1, 3)) == ""


def test_lines_in_another_order_than_the_scores_contradict_nothing() -> None:
    assert warnings_on(("1", "b", 2, 2), ("1", "a", 1, 3), ("2", "c", 1, 1), ("1", "d", 3, 1)) == ""


def test_a_better_rank_for_a_lower_score_is_warned_of_with_an_example() -> None:
    text = warnings_on(("1", "a", 1, 0.5), ("1", "b", 2, 0.75), ("2", "c", 1, 9))
    assert "In 1 topic the ranks contradict" in text
    assert "topic 1 b has rank 2 and score 0.75, but a has rank 1 and score 0.5" in text


def test_every_topic_whose_ranks_contradict_is_counted() -> None:
    rows = [(str(t), d, r, s) for t in range(3) for d, r, s in (("a", 1, 1), ("b", 2, 2), ("c", 3, 3))]
    assert "In 3 topics" in warnings_on(*rows)


def test_ranks_among_equal_scores_contradict_nothing() -> None:
    text = warnings_on(("1", "a", 2, 5), ("1", "b", 1, 5), ("1", "c", 3, 4))
    assert "contradict" not in text


def test_a_contradiction_is_found_across_equal_scores() -> None:
    assert "contradict" in warnings_on(("1", "a", 3, 5), ("1", "b", 1, 5), ("1", "c", 2, 4))


def test_ranks_that_are_no_numbers_are_passed_over() -> None:
    assert warnings_on(("1", "a", "x", 3), ("1", "b", 1, 2), ("1", "c", "-", 1)) == ""
    assert "contradict" in warnings_on(("1", "a", 2, 3), ("1", "b", "x", 2), ("1", "c", 1, 1))


ROWS = st.lists(
    st.tuples(st.sampled_from("12"), st.sampled_from(["x", 1, 2, 3]), st.integers(1, 4)),
    min_size=1,
    max_size=12,
)


@given(ROWS)
def test_the_warning_comes_exactly_where_a_pair_contradicts(rows: list[tuple[str, object, int]]) -> None:
    contradicting = {
        topic
        for topic, rank, score in rows
        for other_topic, other_rank, other_score in rows
        if topic == other_topic and isinstance(rank, int) and isinstance(other_rank, int)
        if rank > other_rank and score > other_score
    }
    text = warnings_on(*((topic, f"d{i}", rank, score) for i, (topic, rank, score) in enumerate(rows)))
    found = re.search(r"In (\d+) topics? the ranks contradict", text)
    assert (int(found.group(1)) if found else 0) == len(contradicting)


@given(ROWS)
def test_ties_are_counted_whatever_the_order_of_the_lines(rows: list[tuple[str, object, int]]) -> None:
    keys = [(topic, score) for topic, _, score in rows]
    tied = sum(keys.count(key) > 1 for key in keys)
    text = warnings_on(*((topic, f"d{i}", rank, score) for i, (topic, rank, score) in enumerate(rows)))
    found = re.search(r"(\d+) results share", text)
    assert (int(found.group(1)) if found else 0) == tied


def test_ties_name_how_many_topics_have_them() -> None:
    text = warnings_on(
        ("1", "a", 1, 2), ("1", "b", 2, 2.0), ("2", "a", 1, 2), ("3", "a", 1, 0), ("3", "b", 2, "-0")
    )
    assert "4 results share" in text
    assert "(topics concerned: 2)" in text


def test_scores_a_billionth_apart_are_not_tied() -> None:
    assert warnings_on(("1", "a", 1, 1.000000001), ("1", "b", 2, 1.0)) == ""


def test_a_topic_may_have_as_many_results_as_the_depth() -> None:
    assert not check(deep_run(a=5, b=3), depth=5).faults.count


def test_topics_with_more_results_than_the_depth_are_named() -> None:
    (fault,) = check(deep_run(a=6, b=5, c=7), depth=5).faults.first
    assert fault.kind == "too-deep"
    assert "2 topics have more than 5 results: a (6), c (7)." in str(fault)


def test_only_a_few_of_many_names_are_listed() -> None:
    (fault,) = check(deep_run(**{f"t{i}": 2 for i in range(9)}), depth=1).faults.first
    assert "t4 (2), …" in str(fault)
    assert "t5" not in str(fault)


def test_a_run_of_none_of_the_tasks_topics_is_a_fault() -> None:
    found = check(deep_run(a=1, b=1), topics=["31_1", "31_2"])
    (fault,) = found.faults.first
    assert fault.kind == "unknown-topics"
    assert "a, b" in str(fault)
    assert "31_1, 31_2" in str(fault)
    assert found.notes == ()


def test_unknown_topics_beside_known_ones_are_noted() -> None:
    found = check(deep_run(a=1, b=1, c=1), topics=["a"])
    assert not found.faults.count
    assert [str(note) for note in found.notes] == [
        "2 topics are not in the task's topic list and are left aside: b, c."
    ]


def test_topics_without_results_are_noted() -> None:
    found = check(deep_run(a=1), topics=["a", "b"])
    assert [str(note) for note in found.notes] == ["1 topic of the task has no results in this run: b."]


def test_without_a_topic_list_topics_are_not_judged() -> None:
    found = check(deep_run(a=1))
    assert (found.faults.count, found.warnings, found.notes) == (0, (), ())


PATTERN = r"MARCO_\d+|CAR_[0-9a-f]{40}"


def test_ids_of_another_collection_are_warned_of_with_their_number() -> None:
    run = make_run(("1", "MARCO_D1", 1, 2), ("1", "MARCO_1x", 2, 1), ("2", "MARCO_D1", 1, 2))
    (warning,) = check(run, id_pattern=PATTERN).warnings
    assert "0 of 3 retrieved items have the form of this collection's ids" in str(warning)
    assert "MARCO_D1" in str(warning)


@pytest.mark.parametrize("docno", ["MARCO_12", "CAR_" + "0af9" * 10])
def test_one_id_of_the_right_form_is_enough(docno: str) -> None:
    assert not check(make_run(("1", "x", 1, 2), ("1", docno, 2, 1)), id_pattern=PATTERN).warnings
