"""Ways around a team's quota, and that none of them leads anywhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from leaderboard.contract import say
from leaderboard.services import (
    memberships,
    moderation,
    on_behalf,
    run_actions,
    runs,
    submissions,
    team_merging,
    teams,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.moderation import Order
from leaderboard.services.run_actions import NotAllowed
from leaderboard.services.runs import Details, RunRemoved
from leaderboard.services.submissions import NoSlot, Upload
from leaderboard.services.teams import Named
from leaderboard.store.models import Run
from leaderboard.store.session import Database
from tests.services.members import captain, draft, person, send, team_id
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, evaluation, make_spec


def limited(database: Database, folder: Path, **limits: Any) -> Toy:
    return ready(database, folder, make_spec(phases=(replace(evaluation(closes=100)[0], **limits),)))


def at(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def leave(toy: Toy, user: int, hours: float) -> None:
    with toy.database.writing() as session:
        memberships.leave(session, toy.spec, user, at(hours))


def found(toy: Toy, user: int, team: str, hours: float) -> int:
    with toy.database.writing() as session:
        return teams.found(session, toy.spec, user, Named(team), at(hours))


def join(toy: Toy, user: int, team: int, hours: float) -> None:
    with toy.database.writing() as session:
        teams.join(session, teams.lock_team(session, team), user, "member", at(hours))


def merge(toy: Toy, source: int, target: int, hours: float) -> None:
    with toy.database.writing() as session:
        team_merging.merge(session, toy.spec, toy.scorer.VERSION, source, target, SHELL, at(hours))


@pytest.mark.parametrize("limit", ["runs_per_day", "runs_in_all", "rejected_per_day"])
def test_who_leaves_a_team_and_makes_another_has_no_new_slots(
    database: Database, tmp_path: Path, limit: str
) -> None:
    toy = limited(database, tmp_path, **{limit: 1})
    user = captain(toy, "a")
    value = "x" if limit == "rejected_per_day" else 1
    send(toy, user, value)
    leave(toy, user, 1)
    found(toy, user, "b", 1)
    with pytest.raises(NoSlot, match="What other teams sent while you were in them counts for you too"):
        send(toy, user, 2, hours=2)
    with toy.database.reading() as session:
        state = submissions.state(session, toy.spec, team_id(toy, user), at(2), user)
        assert state.refusal is not None
        assert submissions.state(session, toy.spec, team_id(toy, user), at(2)).refusal is None


def test_the_others_of_the_new_team_send_as_before(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    user, other = captain(toy, "a"), captain(toy, "b")
    send(toy, user, 1)
    leave(toy, user, 1)
    join(toy, user, team_id(toy, other), 1)
    with pytest.raises(NoSlot):
        send(toy, user, 2, hours=2)
    assert send(toy, other, 2, hours=2).state == "received"


def test_what_a_team_sent_after_a_person_left_is_not_counted(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    lead, user = captain(toy, "a"), person(toy)
    join(toy, user, team_id(toy, lead), 0)
    leave(toy, user, 1)
    send(toy, lead, 1, hours=2)
    found(toy, user, "b", 2)
    assert send(toy, user, 2, hours=3).state == "received"


def test_to_come_and_go_between_teams_adds_up(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=3)
    user = captain(toy, "a")
    first = team_id(toy, user)
    for number, team in enumerate(("b", "c")):
        send(toy, user, number, hours=number)
        leave(toy, user, number + 0.4)
        found(toy, user, team, number + 0.5)
    send(toy, user, 7, hours=2)
    leave(toy, user, 2.5)
    join(toy, user, first, 2.6)
    with pytest.raises(NoSlot) as refused:
        send(toy, user, 8, hours=3)
    assert refused.value.quota.next_slot == at(12)
    assert send(toy, user, 8, hours=12).state == "received"


def test_a_file_on_its_way_while_its_sender_changes_teams_counts_too(
    database: Database, tmp_path: Path
) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    user = captain(toy, "a")
    path = draft(toy, 1)
    received = runs.receive(toy.files, toy.spec, toy.scorer, path, None)
    leave(toy, user, 1)
    found(toy, user, "b", 1)
    with toy.database.writing() as session:
        # It arrived at noon, and was here, whole, two hours later.
        submissions.record(session, toy.spec, received, Upload(path, "x", user, NOON, Details("")), at(2))
    leave(toy, user, 3)
    found(toy, user, "c", 3)
    with pytest.raises(NoSlot):
        send(toy, user, 2, hours=4)


def test_joined_teams_have_sent_what_both_sent(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_in_all=2)
    one, two = captain(toy, "a"), captain(toy, "b")
    send(toy, one, 1)
    send(toy, two, 2)
    merge(toy, team_id(toy, one), team_id(toy, two), 1)
    for user in (one, two):
        with pytest.raises(NoSlot):
            send(toy, user, 3, hours=2)


def test_who_leaves_joined_teams_takes_along_what_was_sent(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    one, two, three = captain(toy, "a"), captain(toy, "b"), captain(toy, "c")
    send(toy, one, 1)
    merge(toy, team_id(toy, one), team_id(toy, two), 1)
    merge(toy, team_id(toy, two), team_id(toy, three), 2)
    leave(toy, one, 3)
    found(toy, one, "d", 3)
    with pytest.raises(NoSlot):
        send(toy, one, 2, hours=4)


def test_a_deleted_run_frees_its_slot_and_its_file_does_not_come_back(
    database: Database, tmp_path: Path
) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    user = captain(toy, "a")
    sent = send(toy, user, 1).run_id
    with toy.database.writing() as session:
        order = Order("delete", SHELL, "asked for")
        moderation.carry_out(session, toy.spec, toy.scorer.VERSION, (sent,), order, at(1), lambda _: None)
    with pytest.raises(RunRemoved):
        send(toy, user, 1, hours=2)
    send(toy, user, 2, hours=2)
    with toy.database.writing() as session:
        order = Order("undelete", SHELL, "")
        moderation.carry_out(session, toy.spec, toy.scorer.VERSION, (sent,), order, at(3), lambda _: None)
    with pytest.raises(NoSlot):
        send(toy, user, 3, hours=4)


@pytest.mark.parametrize("limit", ["runs_per_day", "runs_in_all"])
def test_failed_runs_are_no_store_of_slots(database: Database, tmp_path: Path, limit: str) -> None:
    toy = limited(database, tmp_path, **{limit: 1})
    user = captain(toy, "a")
    sent = send(toy, user, 1).run_id
    with toy.database.writing() as session:
        broken = {"state": "failed", "failure": say("It looped.")}
        session.execute(update(Run).where(Run.id == sent).values(broken))
    send(toy, user, 2)
    with pytest.raises(NotAllowed, match="was used for another one"), toy.database.writing() as session:
        run_actions.score_again(session, toy.spec, team_id(toy, user), sent, at(1))


def test_a_failed_run_is_scored_again_in_its_own_slot(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1)
    user = captain(toy, "a")
    sent = send(toy, user, 666).run_id
    send(toy, user, 2, hours=24)
    with toy.database.writing() as session:
        run_actions.score_again(session, toy.spec, team_id(toy, user), sent, at(25))
        assert session.get_one(Run, sent).state == "received"


def test_what_organisers_send_within_limits_finds_the_same_slots(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    user = captain(toy, "a")
    send(toy, user, 1)
    path = draft(toy, 2)
    received = runs.receive(toy.files, toy.spec, toy.scorer, path, None)
    upload = on_behalf.Upload(path, "x", team_id(toy, user), at(1), Details(""), within_limits=True)
    with pytest.raises(NoSlot), toy.database.writing() as session:
        on_behalf.record(session, toy.spec, received, upload, SHELL, at(1))
