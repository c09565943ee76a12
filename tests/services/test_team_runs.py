"""A team's own runs: places, distances, topics, history."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from leaderboard.services import fields, moderation, team_history, team_runs
from leaderboard.services.audit import SHELL
from leaderboard.services.fields import Stand
from leaderboard.services.moderation import Order
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.team_history import History, Wanted
from leaderboard.services.team_runs import TeamRun
from leaderboard.store.models import Run
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.members import captain, send, team_id
from tests.services.toy import NOON, Toy, evaluation, make_spec

EVERYTHING = ("own", "board", "per-topic")


def revealing(database: Database, folder: Path, *reveals: str) -> Toy:
    """The gold of `near` is 0, 0.5, 1: the closeness of a run 0, 0.5, x is (2 + x) / 3."""
    phase = replace(evaluation()[0], reveals=reveals)
    toy = Toy(database, folder, make_spec(phases=(phase,)))
    kept(("revealing", reveals), database, folder, lambda: toy.install().install_gold(near=(0, 0.5, 1)))
    return toy


@pytest.fixture
def toy(database: Database, tmp_path: Path) -> Toy:
    return revealing(database, tmp_path, *EVERYTHING)


def show(toy: Toy, user: int, run_id: int, hours: float = 0) -> TeamRun:
    with toy.database.reading() as session:
        moment = NOON + timedelta(hours=hours)
        return team_runs.show(session, toy.spec, team_id(toy, user), run_id, moment)


def history(toy: Toy, user: int, **wanted: Any) -> History:
    with toy.database.reading() as session:
        return team_history.show(session, toy.spec, team_id(toy, user), Wanted(**wanted), NOON)


def names(found: History) -> list[str]:
    return [row.summary.name for row in found.rows]


def test_a_counted_run_has_its_place_and_its_distances(toy: Toy) -> None:
    for team, last in (("b", 1.0), ("c", 0.4)):
        send(toy, captain(toy, team), 0, 0.5, last)
    user = captain(toy, "a")
    found = show(toy, user, send(toy, user, 0, 0.5, 0.7).run_id).stands["near"]
    assert (found.place, found.has_place, found.teams) == (2, True, 3)
    assert (found.best, found.to_best) == pytest.approx((1.0, -0.1))
    assert (found.median, found.to_median) == pytest.approx((0.9, 0.0))


def test_another_run_would_have_a_place_in_place_of_the_counted_one(toy: Toy) -> None:
    user = captain(toy, "a")
    send(toy, user, 0, 0.5, 1)
    for team, last in (("b", 0.9), ("c", 0.4)):
        send(toy, captain(toy, team), 0, 0.5, last)
    worse = show(toy, user, send(toy, user, 0, 0.5, 0.5).run_id).stands["near"]
    assert (worse.place, worse.has_place, worse.teams) == (2, False, 3)
    for_comparison = send(toy, user, 0, 0.5, 0.95, kind="contrastive").run_id
    assert show(toy, user, for_comparison).stands["near"].place == 1


def test_where_less_is_better_less_is_ahead() -> None:
    track = replace(make_spec().track("near"), higher_is_better=False)
    lines = (fields.Counted(1, 1, 1, 0.1, 1), fields.Counted(2, 2, 2, 0.5, 1))
    found = fields.stand(track, lines, 3, 3, 0.2)
    assert isinstance(found, Stand)
    assert (found.place, found.best, found.to_best, found.to_median) == pytest.approx((2, 0.1, -0.1, 0.1))


def test_topics_are_compared_with_the_median_and_best_of_counted_runs(toy: Toy) -> None:
    for team, last in (("b", 1.0), ("c", 0.4)):
        send(toy, captain(toy, team), 0, 0.5, last)
    user = captain(toy, "a")
    send(toy, user, 0.5, 0.5, 1, kind="contrastive")
    run = show(toy, user, send(toy, user, 0.2, 0.5, 0.7).run_id)
    with toy.database.reading() as session:
        field = team_runs.topic_field(session, toy.spec, run, toy.spec.track("near"), "closeness")
    assert field is not None
    assert (field.topics, field.runs) == (("a", "b", "c"), 3)
    assert field.median == pytest.approx([1, 1, 0.7])
    assert field.best == pytest.approx([1, 1, 1])
    assert run.per_topic["near"].values["closeness"] == pytest.approx([0.8, 1, 0.7])


@pytest.mark.parametrize(
    ("reveals", "scores", "places", "topics"),
    [
        ((), False, False, False),
        (("own",), True, False, False),
        (("own", "per-topic"), True, False, True),
        (("board",), True, True, False),
        (EVERYTHING, True, True, True),
    ],
)
def test_a_phase_shows_what_it_reveals(
    database: Database, tmp_path: Path, reveals: tuple[str, ...], scores: bool, places: bool, topics: bool
) -> None:
    toy = revealing(database, tmp_path, *reveals)
    user = captain(toy, "a")
    run = show(toy, user, send(toy, user, 0, 0.5, 1).run_id)
    assert (bool(run.page.results), bool(run.stands), bool(run.per_topic)) == (scores, places, topics)
    (row,) = history(toy, user).rows
    assert (bool(row.values), bool(row.places)) == (scores, places)
    with toy.database.reading() as session:
        field = team_runs.topic_field(session, toy.spec, run, toy.spec.track("near"), "closeness")
    assert (field is not None) == (reveals == EVERYTHING)


def test_a_hidden_run_has_no_scores_not_even_by_topic(toy: Toy) -> None:
    user = captain(toy, "a")
    run_id = send(toy, user, 0, 0.5, 1).run_id
    with toy.database.writing() as session:
        moderation.carry_out(session, toy.spec, "1", [run_id], Order("hide", SHELL), NOON)
    run = show(toy, user, run_id)
    assert (bool(run.page.results), bool(run.per_topic)) == (False, False)


def test_a_closed_phase_shows_scores_and_places(database: Database, tmp_path: Path) -> None:
    toy = revealing(database, tmp_path)
    user = captain(toy, "a")
    run_id = send(toy, user, 0, 0.5, 1).run_id
    run = show(toy, user, run_id, hours=24)
    assert (bool(run.page.results), bool(run.stands), bool(run.per_topic)) == (True, True, False)


def test_what_organisers_are_told_of_a_failure_stays_with_them(toy: Toy) -> None:
    user = captain(toy, "a")
    run = show(toy, user, send(toy, user, 666).run_id)
    assert run.page.failure is not None
    assert run.page.failure_detail is None
    assert "score again" in run.actions


def test_the_run_of_another_team_is_unknown(toy: Toy) -> None:
    run_id = send(toy, captain(toy, "a"), 0, 0.5, 1).run_id
    with pytest.raises(UnknownRun, match=f"no run {run_id}"):
        show(toy, captain(toy, "b"), run_id)


def test_a_history_has_every_run_the_last_first(toy: Toy) -> None:
    user = captain(toy, "a")
    send(toy, user, 0, 0.5, 1, name="one")
    send(toy, user, "x", name="two", hours=1)
    send(toy, captain(toy, "b"), 0, 0.5, 1, name="theirs")
    assert names(history(toy, user)) == ["two", "one"]
    assert names(history(toy, user, descending=False)) == ["one", "two"]


def test_a_history_is_filtered_and_sorted(toy: Toy) -> None:
    user = captain(toy, "a")
    send(toy, user, 0, 0.5, 0.5, name="b middle")
    send(toy, user, 0, 0.5, 1, name="c best", hours=1)
    withdrawn = send(toy, user, 0, 0.5, 0, name="a worst", hours=2).run_id
    send(toy, user, "x", name="faulty", hours=3)
    with toy.database.writing() as session:
        session.get_one(Run, withdrawn).withdrawn_at = NOON
    assert names(history(toy, user, sort="near")) == ["c best", "b middle", "a worst", "faulty"]
    assert names(history(toy, user, sort="near", descending=False))[:3] == ["a worst", "b middle", "c best"]
    assert names(history(toy, user, sort="name", descending=False))[0] == "a worst"
    assert names(history(toy, user, state="rejected")) == ["faulty"]
    assert names(history(toy, user, state="withdrawn")) == ["a worst"]
    assert names(history(toy, user, state="scored", sort="name")) == ["c best", "b middle"]
    assert names(history(toy, user, phase="another")) == []
    assert history(toy, user, state="failed").total == 4


def test_the_best_value_only_rises(toy: Toy) -> None:
    user = captain(toy, "a")
    for hour, last in enumerate((0.4, 0.1, 0.7, 0.7, 1.0)):
        send(toy, user, 0, 0.5, last, -hour, hours=hour, kind="contrastive" if last == 1 else "ordinary")
    steps = team_history.best_over_time(toy.spec.track("near"), history(toy, user).rows)
    assert [moment for moment, _, _ in steps] == [NOON, NOON + timedelta(hours=2)]
    assert [value for _, value, _ in steps] == pytest.approx([0.8, 0.9])


def test_a_history_is_a_csv_file_safe_for_spreadsheets(toy: Toy) -> None:
    user = captain(toy, "a")
    sent = send(toy, user, 0, 0.5, 0.7, name="=cmd()")
    (row,) = csv.DictReader(io.StringIO(team_history.as_csv(toy.spec, history(toy, user).rows)))
    assert (row["run"], row["name"], row["state"]) == (str(sent.run_id), "'=cmd()", "scored")
    assert float(row["near closeness"]) == pytest.approx(0.9)
    assert (row["near place"], row["same place"]) == ("1", "1")
