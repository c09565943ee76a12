"""What may be known of runs while the ranking of their phase is frozen: what was known then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import (
    analysing,
    boards,
    comparisons,
    fields,
    public_runs,
    run_actions,
    run_pages,
    scoring,
    task_pages,
    team_history,
    team_moderation,
    team_runs,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.services.scoring import UnknownRun
from leaderboard.store.models import Board, BoardAnalysis, Run
from tests.services import drafting
from tests.services.members import captain, send, team_id
from tests.services.test_freezing import BETTER, GOOD, freeze, frozen, unfreeze
from tests.services.toy import NOON, Toy

__all__ = ["frozen"]

LATER = NOON + timedelta(hours=2)


def test_a_run_that_came_before_and_is_scored_after_shows_nothing(toy: Toy) -> None:
    a, b = captain(toy, "a"), captain(toy, "b")
    send(toy, a, *GOOD)
    waiting = toy.submit("b", *BETTER, minute=1).run_id
    freeze(toy)
    with toy.database.writing() as session:
        scoring.score(session, toy.files, toy.spec, toy.scorer, waiting, LATER)
    with toy.database.reading() as session:
        with pytest.raises(UnknownRun):
            public_runs.show(session, toy.spec, waiting, LATER)
        assert [choice.team for choice in comparisons.choices(session, toy.spec, LATER)] == ["a"]
        (page,) = task_pages.overview(session, [toy.spec], LATER)
        assert (page.teams, page.runs) == (1, 1)
        own = team_runs.show(session, toy.spec, team_id(toy, b), waiting, LATER)
    near = next(result for result in own.page.results if result.track == "near")
    assert (near.values["closeness"], near.place, "frozen" in str(near.reason)) == (1.0, None, True)
    unfreeze(toy)
    with toy.database.reading() as session:
        assert public_runs.show(session, toy.spec, waiting, LATER).results
        (page,) = task_pages.overview(session, [toy.spec], LATER)
        assert (page.teams, page.runs) == (2, 2)


def test_a_run_that_is_scored_anew_shows_what_it_scored_then(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = captain(toy, "a")
    first = send(toy, a, *GOOD).run_id
    other = send(toy, a, 0.1, 0.5, 0.1, hours=0.1).run_id
    freeze(toy)
    with toy.database.reading() as session:
        before = public_runs.show(session, toy.spec, first, LATER).results
        assert public_runs.show(session, toy.spec, other, LATER).results
    real = toy.scorer.score
    monkeypatch.setattr(toy.scorer, "score", lambda spec, run, gold: real(spec, run / 2, gold))
    for run in (first, other):
        with toy.database.writing() as session:
            scoring.score(session, toy.files, toy.spec, toy.scorer, run, LATER)
    assert toy.lines("near") == [("a", 1)]
    with toy.database.reading() as session:
        shown = public_runs.show(session, toy.spec, first, LATER)
        assert [each.values for each in shown.results] == [each.values for each in before]
        assert [each.place for each in shown.results] == [each.place for each in before]
        # No board has what the other run scored then.
        with pytest.raises(UnknownRun):
            public_runs.show(session, toy.spec, other, LATER)
        rows = team_history.show(session, toy.spec, team_id(toy, a), team_history.Wanted(), LATER).rows
    values = {row.summary.run_id: row.values["near"]["closeness"] for row in rows}
    assert values[first] == next(each for each in before if each.track == "near").values["closeness"]


def test_a_team_does_not_see_its_scores_by_gold_that_came_meanwhile(toy: Toy) -> None:
    a, b = captain(toy, "a"), captain(toy, "b")
    run = send(toy, a, *GOOD).run_id
    freeze(toy)
    drafting.apply(toy, drafting.ready(toy).number)
    late = send(toy, b, *BETTER, hours=1).run_id
    with toy.database.reading() as session:
        shown = team_runs.show(session, toy.spec, team_id(toy, a), run, LATER)
        versions = {(each.track, each.gold_version, each.active, each.place) for each in shown.page.results}
        assert versions == {("near", 1, True, 1), ("same", 1, True, 1)}
        assert {each.reason for each in shown.page.results} == {None}
        lines = fields.field(session, toy.spec, "open")["near"]
        near = toy.spec.track("near")
        by_topic = fields.by_topic(session, toy.spec, near, lines, "closeness", shown.phase.frozen_at)
        assert by_topic is not None
        assert by_topic.best.tolist() == pytest.approx([1.0, 1.0, 0.9])
        own = team_runs.show(session, toy.spec, team_id(toy, b), late, LATER)
        assert {each.track for each in own.page.results} == {"same"}
        (row,) = team_history.show(session, toy.spec, team_id(toy, b), team_history.Wanted(), LATER).rows
        assert "near" not in row.values
        live = run_pages.page_of(session, toy.spec, session.get_one(Run, late), "b", "open")
        assert {each.gold_version for each in live.results if each.track == "near"} == {2}


def test_intervals_and_letters_stand_on_the_frozen_board_at_once(toy: Toy) -> None:
    for number, team in enumerate("abc"):
        toy.enter(team, 0.1 * number, 0.5, 0.9, minute=number)
    transactions = Transactions(toy.database.reading, toy.database.writing)
    analysing.finish(transactions, toy.files, toy.spec, toy.scorer, lambda: NOON, unwatched)
    with toy.database.reading() as session:
        before = boards.board(session, toy.spec, "near", "open")
    assert before.lettered
    freeze(toy)
    with toy.database.reading() as session:
        assert boards.board(session, toy.spec, "near", "open") == before
        assert analysing.due(session, toy.spec) == ()
    unfreeze(toy)
    with toy.database.reading() as session:
        boards_left = set(session.scalars(select(Board.id)))
        assert set(session.scalars(select(BoardAnalysis.board_id))) <= boards_left
        assert boards.board(session, toy.spec, "near", "open").rows == before.rows


def test_a_team_that_is_deleted_leaves_the_frozen_boards_too(frozen: tuple[Toy, int, int]) -> None:
    toy, a, _ = frozen
    with toy.database.writing() as session:
        team_moderation.delete(session, toy.spec, "1", team_id(toy, a), "spam", SHELL, LATER)
    assert [toy.lines(track) for track in ("near", "same", None)] == [[], [], []]


def test_a_run_that_is_withdrawn_stands_where_it_stood_without_a_page(frozen: tuple[Toy, int, int]) -> None:
    toy, a, _ = frozen
    with toy.database.writing() as session:
        (run,) = run_pages.listing(session, toy.spec, "a")
        run_actions.withdraw(session, toy.spec, "1", team_id(toy, a), run.run_id, LATER)
    with toy.database.reading() as session:
        (row,) = boards.board(session, toy.spec, "near", "open").rows
        assert (row.team, row.place, row.withdrawn) == ("a", 1, True)
        with pytest.raises(UnknownRun):
            public_runs.show(session, toy.spec, run.run_id, LATER)
