"""Phases, counted runs and places."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.contract import CountingRule, PhaseSpec, TaskSpec, Text, say
from leaderboard.rules import (
    Entry,
    Kind,
    Placed,
    counted,
    mean_rank,
    phases_of,
    place,
    place_of,
    window,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TITLE = Text({"en": "Title"})
COUNTINGS: tuple[CountingRule, ...] = ("best", "latest", "selected")


def entry(run: int, team: str, value: float | None, minute: int = 0, **more: object) -> Entry:
    made = Entry(run, team, NOON + timedelta(minutes=minute), value, file_hash=f"{run:04}")
    return replace(made, **more)  # type: ignore[arg-type]


def lines(placed: tuple[Placed, ...]) -> list[tuple[str, int | None]]:
    return [(line.entry.team, line.place) for line in placed]


def places(placed: tuple[Placed, ...]) -> dict[str, int]:
    return {line.entry.team: line.place for line in placed if line.place is not None}


@st.composite
def fields(draw: st.DrawFn) -> list[Entry]:
    """Runs of a few teams, with few different values so that ties are common."""
    values = st.sampled_from([None, 0.0, 0.25, 0.5, 0.5 + 1e-14, 0.5 - 4e-13, 0.75, -1.0])
    kinds: st.SearchStrategy[Kind] = st.sampled_from(["ordinary", "ordinary", "contrastive", "baseline"])
    count = draw(st.integers(0, 12))
    return [
        entry(
            number,
            draw(st.sampled_from("abcde")),
            draw(values),
            draw(st.integers(0, 3)),
            kind=draw(kinds),
            late=draw(st.sampled_from([False, False, True])),
            hidden=draw(st.sampled_from([False, False, True])),
            disqualified=draw(st.sampled_from([None, None, say("Trained on the gold.")])),
            selected=draw(st.booleans()),
        )
        for number in range(count)
    ]


def phase(name: str, opens: int | None, closes: int | None) -> PhaseSpec:
    def at(hours: int | None) -> datetime | None:
        return None if hours is None else NOON + timedelta(hours=hours)

    return PhaseSpec(name, TITLE, at(opens), at(closes))


def test_a_phase_is_open_from_its_opening_until_just_before_its_closing() -> None:
    phases = [phase("evaluation", 0, 2)]
    assert not window(phases, NOON).late
    assert not window(phases, NOON + timedelta(hours=2, microseconds=-1)).late
    assert window(phases, NOON + timedelta(hours=2)).late


def test_of_two_open_phases_the_last_opened_is_meant() -> None:
    phases = [phase("practice", None, None), phase("evaluation", 0, 2)]
    assert window(phases, NOON + timedelta(hours=1)).phase.name == "evaluation"
    assert window(phases, NOON + timedelta(hours=3)).phase.name == "practice"


def test_between_phases_a_run_is_late_for_the_one_that_closed_last() -> None:
    phases = [phase("practice", -9, -6), phase("evaluation", -3, -1), phase("post", 5, None)]
    found = window(phases, NOON)
    assert (found.phase.name, found.late) == ("evaluation", True)


def test_before_every_phase_a_run_belongs_to_the_first_and_is_not_late() -> None:
    phases = [phase("evaluation", 5, 6), phase("practice", 1, 2)]
    found = window(phases, NOON)
    assert (found.phase.name, found.late) == ("practice", False)


def test_a_task_without_phases_is_always_open() -> None:
    spec = TaskSpec("toy", Path(), Path(), TITLE, TITLE, ())
    assert not window(phases_of(spec), NOON).late


def test_equal_values_share_a_place_and_the_next_is_skipped() -> None:
    placed = place([entry(1, "a", 0.5, 2), entry(2, "b", 0.5, 1), entry(3, "c", 0.4)], "best")
    assert lines(placed) == [("b", 1), ("a", 1), ("c", 3)]


def test_values_within_the_tolerance_of_the_first_tie_however_they_chain() -> None:
    step = 0.6e-12
    runs = [entry(1, "a", 1.0), entry(2, "b", 1.0 - step), entry(3, "c", 1.0 - 2 * step)]
    assert places(place(runs, "best")) == {"a": 1, "b": 1, "c": 3}


def test_displayed_digits_never_decide() -> None:
    assert places(place([entry(1, "a", 0.70001), entry(2, "b", 0.70002)], "best")) == {"b": 1, "a": 2}


def test_where_lower_is_better_the_lowest_is_first() -> None:
    placed = place([entry(1, "a", 3.0), entry(2, "b", 2.0)], "best", higher_is_better=False)
    assert lines(placed) == [("b", 1), ("a", 2)]


def test_a_run_without_value_is_listed_last_with_its_reason() -> None:
    why = say("All values of the run are the same.")
    placed = place([entry(1, "zeros", None, reason=why), entry(2, "b", -1.0)], "best")
    assert lines(placed) == [("b", 1), ("zeros", None)]
    assert placed[1].reason == why


def test_a_baseline_stands_where_its_value_stands_without_a_place() -> None:
    runs = [entry(1, "a", 0.9), entry(2, "base", 0.5, kind="baseline"), entry(3, "c", 0.4)]
    placed = place(runs, "best")
    assert lines(placed) == [("a", 1), ("base", None), ("c", 2)]
    assert "baseline" in str(placed[1].reason)


def test_a_hidden_run_is_not_listed() -> None:
    assert places(place([entry(1, "a", 0.9, hidden=True), entry(2, "b", 0.5)], "best")) == {"b": 1}


def test_a_disqualified_run_gives_way_to_the_teams_next_best() -> None:
    runs = [entry(1, "a", 0.9, disqualified=say("Copied.")), entry(2, "a", 0.5), entry(3, "b", 0.7)]
    assert lines(place(runs, "best")) == [("a", None), ("b", 1), ("a", 2)]


def test_of_a_teams_late_runs_one_is_listed() -> None:
    runs = [entry(1, "a", 0.9, late=True), entry(2, "a", 0.8, late=True), entry(3, "a", 0.1)]
    assert [(line.entry.run, line.place) for line in place(runs, "best")] == [(1, None), (3, 1)]


def test_under_latest_the_last_submitted_counts() -> None:
    runs = [entry(1, "a", 0.9, 1), entry(2, "a", 0.5, 2)]
    assert counted(runs, "latest") == runs[1]


def test_under_selected_the_chosen_run_counts_and_the_last_where_none_is_chosen() -> None:
    chosen = [entry(1, "a", 0.1, 1, selected=True), entry(2, "a", 0.5, 2)]
    assert counted(chosen, "selected") == chosen[0]
    unchosen = [replace(run, selected=False) for run in chosen]
    assert counted(unchosen, "selected") == unchosen[1]


def test_of_equally_good_runs_of_a_team_the_earlier_counts() -> None:
    runs = [entry(1, "a", 0.5, 2), entry(2, "a", 0.5, 1)]
    assert counted(runs, "best") == runs[1]


def test_the_place_a_run_would_have_shares_that_of_its_equals() -> None:
    placed = place([entry(1, "a", 0.9), entry(2, "b", 0.5), entry(3, "c", 0.5)], "best")
    assert [place_of(value, placed) for value in (1.0, 0.9, 0.6, 0.5, 0.1)] == [1, 1, 2, 2, 4]


@given(fields(), st.sampled_from(COUNTINGS), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_insertion_never_matters(runs, counting, higher, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = runs[:]
    random.shuffle(shuffled)
    first = place(runs, counting, higher_is_better=higher)
    assert place(shuffled, counting, higher_is_better=higher) == first


@given(fields(), st.sampled_from(COUNTINGS))
def test_runs_that_do_not_count_take_no_place_from_anyone(runs: list[Entry], counting: CountingRule) -> None:
    counting_ones = [
        run
        for run in runs
        if run.kind == "ordinary" and not run.late and not run.hidden and run.disqualified is None
    ]
    assert places(place(runs, counting)) == places(place(counting_ones, counting))


@given(fields(), st.sampled_from("abcde"), st.integers(0, 10**6), st.booleans())
def test_a_run_no_better_than_the_teams_counted_run_changes_nothing(
    runs: list[Entry], team: str, worse_by: int, higher: bool
) -> None:
    before = place(runs, "best", higher_is_better=higher)
    counted_value = next(
        (line.entry.value for line in before if line.entry.team == team and line.place is not None), None
    )
    if counted_value is None:
        return
    value = counted_value - (1 if higher else -1) * worse_by / 1000
    after = place([*runs, entry(999, team, value, minute=60)], "best", higher_is_better=higher)
    assert after == before


@given(fields())
def test_ties_are_symmetric(runs: list[Entry]) -> None:
    placed = [line for line in place(runs, "best") if line.place is not None]
    for line in placed:
        sharing = [other for other in placed if other.place == line.place]
        better = [other for other in placed if (other.place or 0) < (line.place or 0)]
        assert line.place == len(better) + 1
        assert all(place_of(other.entry.value or 0.0, sharing) == 1 for other in sharing)


@given(fields())
def test_exchanging_the_names_of_two_teams_exchanges_their_places(runs: list[Entry]) -> None:
    swap = {"a": "b", "b": "a"}
    swapped = [replace(run, team=swap.get(run.team, run.team)) for run in runs]
    before, after = places(place(runs, "best")), places(place(swapped, "best"))
    assert after == {swap.get(team, team): number for team, number in before.items()}


def track(**values: float | None) -> tuple[Placed, ...]:
    return place([entry(number, team, value) for number, (team, value) in enumerate(values.items())], "best")


def test_overall_is_the_mean_of_the_places() -> None:
    overall = mean_rank({"hj": track(a=0.9, b=0.8), "rt": track(a=0.9, b=0.8)})
    assert [(line.team, line.place, line.value) for line in overall] == [("a", 1, 1.0), ("b", 2, 2.0)]


def test_a_team_without_a_place_on_a_track_has_there_the_rank_after_the_last() -> None:
    overall = mean_rank({"hj": track(a=0.9, b=0.8, c=None), "rt": track(a=0.1, b=0.2, c=0.3)})
    ranks = {line.team: dict(line.ranks) for line in overall}
    assert ranks["c"] == {"hj": 3, "rt": 1}
    assert {line.team: line.place for line in overall} == {"a": 1, "b": 1, "c": 1}


def test_a_team_with_no_place_anywhere_is_not_in_the_overall_ranking() -> None:
    overall = mean_rank({"hj": track(a=0.9, b=None)})
    assert [line.team for line in overall] == ["a"]


def test_without_phases_there_is_no_window() -> None:
    with pytest.raises(ValueError, match="at least one phase"):
        window([], NOON)
