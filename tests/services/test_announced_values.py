"""What everybody is told of scores depends on the scores alone, and nothing else of them is read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from sqlalchemy import select

from leaderboard.contract import TaskSpec
from leaderboard.services import (
    board_pages,
    exports,
    freezing,
    moderation,
    public_value_settings,
    public_values,
    rescoring,
    run_pages,
    scoring,
    standings,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.settings import BadSetting
from leaderboard.store.models import (
    EXACT,
    SHOWN_SPLITS,
    AuditEntry,
    GoldVersion,
    News,
    Run,
    Score,
)
from leaderboard.store.session import Database
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, make_spec

RUNS = (
    (0.4, 0.9, 0.1),
    (0.35, 0.8, 0.3),
    (0.1, 0.7, 0.5),
    (0.12, 0.5, 0.9),
    (0.9, 0.1, 0.1),
    (0.1, 0.5, 0.9),
)


def told_by(near: str, same: str = "exact") -> TaskSpec:
    spec = make_spec()
    rules = {"near": near, "same": same}
    return replace(spec, tracks=tuple(replace(each, public_values=rules[each.name]) for each in spec.tracks))


def guarded(database: Database, folder: Any, near: str = "ladder 0.1", same: str = "exact") -> Toy:
    made = ready(database, folder, told_by(near, same))
    with database.writing() as session:
        public_values.adopt(session, made.spec)
    return made


def scores(toy: Toy, *splits: str, measure: str = "closeness") -> dict[int, float | None]:
    with toy.database.reading() as session:
        statement = (
            select(Score.run_id, Score.value)
            .join(GoldVersion, GoldVersion.id == Score.gold_version_id)
            .where(Score.split.in_(splits), Score.measure == measure, GoldVersion.state == "active")
        )
        return {row.run_id: row.value for row in session.execute(statement.order_by(Score.run_id))}


def told_of(toy: Toy) -> list[tuple[Any, ...]]:
    """Everything that everybody is told of runs, but for when it was made."""
    columns = (
        *(Score.run_id, Score.gold_version_id, Score.measure, Score.split),
        *(Score.value, Score.undefined, Score.per_topic),
    )
    with toy.database.reading() as session:
        statement = select(*columns).where(Score.split.in_(SHOWN_SPLITS), Score.track == "near")
        return list(session.execute(statement.order_by(Score.run_id, Score.gold_version_id, Score.measure)))


def enter_all(toy: Toy) -> list[int]:
    return [toy.enter("one", *values, minute=minute) for minute, values in enumerate(RUNS)]


def test_a_value_moves_only_by_a_step(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    enter_all(toy)
    exact = scores(toy, EXACT)
    assert list(exact.values()) == pytest.approx([0.5, 0.617, 0.8, 0.993, 0.333, 1.0], abs=0.001)
    assert list(scores(toy, *SHOWN_SPLITS).values()) == [0.5, 0.6, 0.8, 1.0, 1.0, 1.0]
    # The other measure is that of the run that was announced, though a later one has more.
    assert list(scores(toy, *SHOWN_SPLITS, measure="P@1").values()) == [0.7, 0.8, 1.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("rule", ["ladder 0.1", "ladder", "rounded 1"])
def test_whatever_order_runs_are_scored_in_the_same_is_told(
    database: Database, tmp_path: Any, rule: str
) -> None:
    toy = guarded(database, tmp_path, rule)
    waiting = [toy.submit("one", *values, minute=minute).run_id for minute, values in enumerate(RUNS)]
    shuffled = Random(5).sample(waiting, len(waiting))
    for run in shuffled:
        toy.score(run)
    found = told_of(toy)
    with database.writing() as session:
        for run in Random(6).sample(waiting, 3):
            scoring.retry(session, toy.spec, run)
    for run in reversed(waiting):
        toy.score(run)
    assert told_of(toy) == found
    with database.writing() as session:
        for rule_between in ("exact", rule):
            task_spec = told_by(rule_between)
            public_values.adopt(session, task_spec)
    assert told_of(toy) == found


def test_consumers_at_once_tell_what_one_would(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path, "ladder")
    waiting = [toy.submit("one", *values, minute=minute).run_id for minute, values in enumerate(RUNS)]
    both = rescoring.Transactions(database.reading, database.writing)

    def score(run: int) -> str:
        return rescoring.score_one(both, toy.files, toy.spec, toy.scorer, run, lambda: NOON)

    with ThreadPoolExecutor(3) as consumers:
        assert set(consumers.map(score, reversed(waiting))) == {"scored"}
    found = told_of(toy)
    for run in waiting:
        score(run)
    assert told_of(toy) == found


def test_values_by_topic_are_read_by_nobody(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path, "ladder")
    runs = enter_all(toy)
    assert {row[-1] for row in told_of(toy)} == {None}
    with database.reading() as session:
        assert [run_pages.per_topic(session, toy.spec, run) for run in runs] == [{}] * len(runs)


def test_no_run_page_board_or_export_has_an_exact_value(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path, "ladder 0.1", "rounded 1")
    runs = [
        toy.enter("one", *(value + 0.0123457 * number for value in values), minute=number)
        for number, values in enumerate(RUNS)
    ]
    exact = [
        value
        for measure in ("closeness", "P@1", "correlation")
        for value in scores(toy, EXACT, measure=measure).values()
        if value is not None and round(value, 1) != value
    ]
    assert len(exact) > 12
    with database.reading() as session:
        shown = [run_pages.show(session, toy.spec, run) for run in runs]
        found = [
            board_pages.whole(session, toy.spec, board_pages.Wanted(track), NOON).board
            for track in ("near", "same", None)
        ]
        files = [
            exports.render(toy.spec, board, kind) for board in found if board for kind in ("csv", "json")
        ]
    text = f"{shown}{found}{files}"
    assert [value for value in exact if f"{value:.5f}"[:7] in text] == []


def test_taking_the_best_run_back_does_not_tell_the_next_one(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    first = toy.enter("one", 0.1, 0.5, 0.9)
    with database.writing() as session:
        session.get_one(Run, first).withdrawn_at = NOON
        standings.refresh(session, toy.spec, "1", NOON)
    second = toy.enter("one", 0.4, 0.9, 0.1, minute=1)
    assert scores(toy, *SHOWN_SPLITS)[second] == 1.0


def test_each_team_and_each_baseline_climbs_alone(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    toy.enter("one", 0.1, 0.5, 0.9)
    other = toy.enter("two", 0.4, 0.9, 0.1)
    baseline = toy.enter("one", 0.35, 0.8, 0.3, kind="baseline", minute=1)
    told = scores(toy, *SHOWN_SPLITS)
    assert (told[other], told[baseline]) == (0.5, 0.6)
    with database.writing() as session:
        order = moderation.Order("ordinary", SHELL)
        moderation.carry_out(session, toy.spec, "1", (baseline,), order, NOON)
    assert scores(toy, *SHOWN_SPLITS)[baseline] == 1.0


def test_new_gold_is_climbed_anew(database: Database, tmp_path: Any) -> None:
    toy = guarded(database, tmp_path)
    enter_all(toy)
    before = told_of(toy)
    toy.install_gold(near=(0.9, 0.1, 0.1))
    with database.writing() as session:
        for run in session.scalars(select(Run.id)).all():
            scoring.score(session, toy.files, toy.spec, toy.scorer, run, NOON)
    told = list(scores(toy, *SHOWN_SPLITS).values())
    assert told == sorted(told)  # type: ignore[type-var]
    assert told[-2:] == [1.0, 1.0]
    # What was told by the earlier version stays.
    assert [row for row in told_of(toy) if row in before] == before


def change(toy: Toy, **rules: str) -> bool:
    with toy.database.writing() as session:
        return public_value_settings.change(session, make_spec(), toy.scorer, rules, SHELL, NOON)


def test_switching_it_on_and_off_makes_everything_anew(toy: Toy) -> None:
    enter_all(toy)
    plain, board = told_of(toy), toy.lines("near")
    assert change(toy, near="ladder 0.1")
    assert not change(toy, near="ladder 0.1")
    assert list(scores(toy, *SHOWN_SPLITS).values()) == [0.5, 0.6, 0.8, 1.0, 1.0, 1.0]
    with toy.database.reading() as session:
        shown = board_pages.whole(session, toy.spec, board_pages.Wanted("near"), NOON)
        assert shown.board is not None
        assert [row.value for row in shown.board.rows] == [1.0]
        assert "settings" in session.scalars(select(News.kind)).all()
        entry = session.scalars(select(AuditEntry).order_by(AuditEntry.id.desc())).first()
        assert entry is not None
        assert entry.after == {"public_values": {"near": "ladder 0.1", "same": "exact"}}
    assert change(toy)
    assert (told_of(toy), toy.lines("near")) == (plain, board)
    assert scores(toy, EXACT) == {}


def test_while_a_ranking_is_frozen_what_it_tells_stays(toy: Toy) -> None:
    with toy.database.writing() as session:
        freezing.freeze(session, toy.spec, "1", "open", SHELL, NOON)
    with pytest.raises(BadSetting, match="frozen"):
        change(toy, near="ladder")


def test_the_ladder_without_a_step_is_refused_where_there_are_no_units(toy: Toy) -> None:
    with pytest.raises(BadSetting, match="Give the Ladder a step"):
        change(toy, same="ladder")
    assert change(toy, same="ladder 0.1")
