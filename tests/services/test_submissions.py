"""A team submits: phases, quotas, and the race for the last slot."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import func, select

from leaderboard.contract import PhaseSpec
from leaderboard.services import memberships, run_actions, run_pages, runs, submissions
from leaderboard.services.runs import Details
from leaderboard.services.submissions import NoSlot, Upload
from leaderboard.services.teams import NotInTheTeam
from leaderboard.store.models import Job, Run
from leaderboard.store.session import Database
from tests.services.members import captain, draft, person, send, team_id
from tests.services.ready import ready
from tests.services.toy import NOON, TITLE, Toy, evaluation, make_spec

MIDNIGHT = NOON + timedelta(hours=12)


def limited(database: Database, folder: Path, *more: PhaseSpec, **limits: Any) -> Toy:
    phases = (replace(evaluation(closes=100)[0], **limits), *more)
    toy = Toy(database, folder, make_spec(phases=phases)).install()
    toy.install_gold()
    return toy


def rows(toy: Toy) -> int:
    with toy.database.reading() as session:
        return session.scalar(select(func.count()).select_from(Run)) or 0


def left_today(toy: Toy, user_id: int, now: datetime = NOON) -> int | None:
    with toy.database.reading() as session:
        return submissions.state(session, toy.spec, team_id(toy, user_id), now).quota.left_today


def test_a_run_is_kept_scored_and_ranked_at_once(toy: Toy) -> None:
    sent = send(toy, captain(toy, "a"), 0.1, 0.5, 0.9, name="mine")
    assert (sent.state, sent.again) == ("received", False)
    assert toy.lines("near") == [("a", 1)]
    with toy.database.reading() as session:
        assert session.scalars(select(Job.state)).all() == ["done"]
        page = run_pages.show(session, toy.spec, sent.run_id)
    assert (page.summary.state, page.summary.name, page.file_name) == ("scored", "mine", "my run.txt")


def test_nothing_is_left_of_a_draft(toy: Toy) -> None:
    user = captain(toy, "a")
    send(toy, user, 0.1)
    send(toy, user, 0.1)
    with pytest.raises(submissions.EmptyFile):
        send(toy, user)
    assert list((toy.files.kept.root / "incoming").iterdir()) == []


def test_the_moment_of_the_request_decides(database: Database, tmp_path: Path) -> None:
    toy = Toy(database, tmp_path, make_spec(phases=evaluation(closes=1))).install()
    user = captain(toy, "a")
    assert not send(toy, user, 1, hours=0.999).late
    assert send(toy, user, 2, hours=1).late


def test_a_late_run_never_moves_the_ranking(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    first, second = captain(toy, "first"), captain(toy, "second")
    send(toy, first, 0.1, 0.5, 0.8)
    send(toy, second, 0.1, 0.5, 0.9, hours=2)
    assert toy.lines("near", "evaluation") == [("second", None), ("first", 1)]


def test_after_the_closing_runs_go_to_the_later_phase(database: Database, tmp_path: Path) -> None:
    later = PhaseSpec("post", TITLE, opens_at=NOON + timedelta(hours=100))
    toy = limited(database, tmp_path, later)
    user = captain(toy, "a")
    sent = send(toy, user, 0.1, 0.5, 0.9, hours=100)
    assert (sent.phase, sent.late) == ("post", False)
    assert toy.lines("near", "evaluation") == []
    assert toy.lines("near", "post") == [("a", 1)]


def test_before_the_opening_nothing_is_taken(database: Database, tmp_path: Path) -> None:
    toy = Toy(database, tmp_path, make_spec(phases=evaluation(opens=2))).install()
    with pytest.raises(NoSlot, match="opens at 2026-03-01 14:00 UTC") as refused:
        send(toy, captain(toy, "a"), 1)
    assert refused.value.quota.next_slot == NOON + timedelta(hours=2)
    assert rows(toy) == 0


def test_a_full_day_is_refused_with_the_time_of_the_next_slot(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=2)
    user = captain(toy, "a")
    send(toy, user, 1)
    send(toy, user, 2, kind="contrastive")
    with pytest.raises(
        NoSlot, match=r"the 2 runs that a day allows.*opens at 2026-03-02 00:00 UTC"
    ) as refused:
        send(toy, user, 3)
    assert refused.value.quota.next_slot == MIDNIGHT
    assert send(toy, user, 3, hours=12).state == "received"


def test_a_used_up_phase_opens_no_slot(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_in_all=1)
    user = captain(toy, "a")
    send(toy, user, 1)
    with pytest.raises(NoSlot, match="the one run that this phase allows") as refused:
        send(toy, user, 2, hours=50)
    assert refused.value.quota.next_slot is None


def test_the_same_file_costs_nothing_and_leads_to_the_earlier_run(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1)
    user = captain(toy, "a")
    first = send(toy, user, 1)
    again = send(toy, user, 1, hours=1)
    assert (again.again, again.run_id) == (True, first.run_id)
    with toy.database.writing() as session:
        run_actions.withdraw(session, toy.spec, toy.scorer.VERSION, team_id(toy, user), first.run_id, NOON)
    assert send(toy, user, 1).withdrawn


def test_a_faulty_file_costs_no_slot(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1)
    user = captain(toy, "a")
    assert send(toy, user, "x").state == "rejected"
    assert left_today(toy, user) == 1
    assert send(toy, user, 1).state == "received"


def test_faulty_files_come_to_an_end(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1, rejected_per_day=2)
    user = captain(toy, "a")
    send(toy, user, "x")
    send(toy, user, "y")
    for value in ("z", 1):
        with pytest.raises(NoSlot, match=r"2 files of your team were faulty today.*2026-03-02 00:00"):
            send(toy, user, value)
    assert send(toy, user, 1, hours=12).state == "received"


def test_the_same_faulty_file_costs_nothing_twice(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, rejected_per_day=2)
    user = captain(toy, "a")
    first, second = send(toy, user, "x"), send(toy, user, "x")
    assert (second.again, second.run_id, second.state) == (True, first.run_id, "rejected")
    assert second.report.faults == first.report.faults
    send(toy, user, "y")


def test_our_failure_costs_no_slot(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1)
    user = captain(toy, "a")
    failed = send(toy, user, 666)
    with toy.database.reading() as session:
        assert run_pages.show(session, toy.spec, failed.run_id).summary.state == "failed"
    assert left_today(toy, user) == 1
    assert send(toy, user, 1).state == "received"


def test_a_withdrawn_run_has_cost_its_slot(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1)
    user = captain(toy, "a")
    sent = send(toy, user, 1)
    with toy.database.writing() as session:
        run_actions.withdraw(session, toy.spec, toy.scorer.VERSION, team_id(toy, user), sent.run_id, NOON)
    with pytest.raises(NoSlot):
        send(toy, user, 2)


def test_teams_have_quotas_of_their_own_and_organisers_none(database: Database, tmp_path: Path) -> None:
    toy = limited(database, tmp_path, runs_per_day=1)
    user = captain(toy, "a")
    send(toy, user, 1)
    send(toy, captain(toy, "b"), 1)
    assert toy.submit("a", 2).state == "received"
    toy.submit("b", 3, kind="baseline")
    assert left_today(toy, user) == 0


def test_who_is_in_no_team_submits_nothing(toy: Toy) -> None:
    with pytest.raises(NotInTheTeam):
        send(toy, person(toy), 1)


def test_who_left_while_the_file_was_checked_submits_nothing(toy: Toy) -> None:
    user = captain(toy, "a")
    path = draft(toy, 1)
    upload = Upload(path, "x", user, NOON, Details(""))
    received = runs.receive(toy.files, toy.spec, toy.scorer, path, None)
    with toy.database.writing() as session:
        memberships.leave(session, toy.spec, user, NOON)
    with pytest.raises(NotInTheTeam), toy.database.writing() as session:
        submissions.record(session, toy.spec, received, upload, NOON)


@pytest.mark.parametrize("limit", ["runs_per_day", "runs_in_all"])
def test_of_many_racing_for_the_last_slots_exactly_so_many_get_them(
    database: Database, tmp_path: Path, limit: str
) -> None:
    toy = limited(database, tmp_path, **{limit: 3})
    user = captain(toy, "a")
    send(toy, user, 1)
    together = Barrier(6)

    def race(number: int) -> str:
        path = draft(toy, number)
        upload = Upload(path, "x", user, NOON, Details(""))
        received = runs.receive(toy.files, toy.spec, toy.scorer, path, None)
        together.wait()
        try:
            with toy.database.writing() as session:
                return submissions.record(session, toy.spec, received, upload, NOON).state
        except NoSlot as refused:
            return refused.quota.reached or ""

    with ThreadPoolExecutor(6) as threads:
        outcomes = sorted(threads.map(race, range(100, 106)))
    refused = {"runs_per_day": "runs today", "runs_in_all": "runs in all"}[limit]
    assert outcomes == sorted(["received"] * 2 + [refused] * 4)
    assert rows(toy) == 3


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("C:\\files\\run.csv", "run.csv"), ("../../etc/x", "x"), ("a\nb\x00.csv", "ab.csv"), ("", "run")],
)
def test_a_file_name_is_only_a_name(sent: str, kept: str) -> None:
    assert submissions.clean_file_name(sent) == kept
