"""One team gets more runs, or a deadline of its own."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from leaderboard.contract import PhaseSpec
from leaderboard.rules import Grant
from leaderboard.services import allowances, deadlines, run_actions, submissions, team_merging
from leaderboard.services.allowances import BadAllowance
from leaderboard.services.audit import SHELL
from leaderboard.services.submissions import NoSlot
from leaderboard.store.models import Phase, Run
from leaderboard.store.session import Database
from tests.services.members import captain, send, team_id
from tests.services.organising import log
from tests.services.ready import ready
from tests.services.toy import NOON, TITLE, Toy, make_spec

LATER = NOON + timedelta(hours=4)


@pytest.fixture
def limited(database: Database, tmp_path: Path) -> Toy:
    """One run in all until two o'clock, and then another phase."""
    phases = (
        PhaseSpec("evaluation", TITLE, None, NOON + timedelta(hours=2), runs_in_all=1),
        PhaseSpec("after", TITLE, NOON + timedelta(hours=2)),
    )
    return ready(database, tmp_path, make_spec(phases=phases))


def give(toy: Toy, user: int, grant: Grant, reason: str = "") -> None:
    with toy.database.writing() as session:
        allowances.give(session, toy.spec, "1", team_id(toy, user), "evaluation", grant, reason, SHELL, NOON)


def test_a_team_sends_more_runs_where_it_may_and_others_do_not(limited: Toy) -> None:
    one, other = captain(limited, "one"), captain(limited, "other")
    give(limited, one, Grant(runs_in_all=2), "their server was down")
    send(limited, one, 0.1)
    send(limited, one, 0.2)
    with pytest.raises(NoSlot):
        send(limited, one, 0.3)
    send(limited, other, 0.1)
    with pytest.raises(NoSlot):
        send(limited, other, 0.2)
    assert log(limited)[0][2] == {"phase": "evaluation", "runs_in_all": 2}


def test_asked_for_all_teams_each_stands_where_it_does_alone(limited: Toy) -> None:
    people = [captain(limited, name) for name in ("none", "one", "late")]
    give(limited, people[1], Grant(runs_in_all=2))
    give(limited, people[2], Grant(closes_at=NOON + timedelta(days=400)))
    for user in people[1:]:
        send(limited, user, 0.1)
    teams = [team_id(limited, user) for user in people]
    with limited.database.reading() as session:
        for now in (NOON, NOON + timedelta(days=300)):
            together = submissions.states(session, limited.spec, teams, now)
            assert together == {
                team: submissions.state(session, limited.spec, team, now) for team in teams
            }, now


def test_a_deadline_of_its_own_keeps_the_phase_open_for_the_team(limited: Toy) -> None:
    one, other = captain(limited, "one"), captain(limited, "other")
    give(limited, one, Grant(closes_at=LATER))
    sent = send(limited, one, 0.1, 0.5, 0.9, hours=3)
    assert (sent.phase, sent.late) == ("evaluation", False)
    assert send(limited, other, 0.1, hours=3).phase == "after"
    with limited.database.reading() as session:
        state = submissions.state(session, limited.spec, team_id(limited, one), NOON + timedelta(hours=3))
        actions = run_actions.allowed(
            session,
            run_actions.own(session, limited.spec, team_id(limited, one), sent.run_id),
            limited.spec,
            NOON + timedelta(hours=3),
        )
    assert state.quota.phase.closes_at == LATER
    assert "withdraw" in actions
    assert limited.lines("near", "evaluation") == [("one", 1)]


def test_runs_that_were_late_count_once_the_team_may_and_no_longer_when_it_is_taken_back(
    database: Database, tmp_path: Path
) -> None:
    phases = (PhaseSpec("evaluation", TITLE, None, NOON + timedelta(hours=2)),)
    toy = ready(database, tmp_path, make_spec(phases=phases))
    one = captain(toy, "one")
    assert send(toy, one, 0.1, 0.5, 0.9, hours=3).late
    give(toy, one, Grant(closes_at=LATER))
    assert toy.lines("near", "evaluation") == [("one", 1)]
    with toy.database.writing() as session:
        (given,) = allowances.listing(session, toy.spec)
        allowances.take(session, toy.spec, "1", given.allowance_id, SHELL, NOON)
    assert toy.lines("near", "evaluation") == [("one", None)]
    assert [action for action, _, _ in log(toy)] == ["allowance.given", "allowance.taken"]


@pytest.mark.parametrize(
    ("grant", "field"),
    [
        (Grant(), None),
        (Grant(runs_in_all=1), "runs_in_all"),
        (Grant(runs_per_day=5), "runs_per_day"),
        (Grant(closes_at=NOON), "closes_at"),
    ],
)
def test_what_allows_nothing_more_is_refused(limited: Toy, grant: Grant, field: str | None) -> None:
    one = captain(limited, "one")
    with pytest.raises(BadAllowance) as refused:
        give(limited, one, grant)
    assert refused.value.field == field


def test_joined_teams_may_what_either_might(limited: Toy) -> None:
    one, other = captain(limited, "one"), captain(limited, "other")
    source, target = team_id(limited, one), team_id(limited, other)
    give(limited, one, Grant(closes_at=LATER, runs_in_all=2))
    give(limited, other, Grant(runs_in_all=3))
    sent = send(limited, one, 0.1, 0.5, 0.9, hours=3)
    with limited.database.writing() as session:
        moment = NOON + timedelta(hours=3, minutes=30)
        team_merging.merge(session, limited.spec, "1", source, target, SHELL, moment)
        (allowed,) = allowances.listing(session, limited.spec)
        assert (allowed.team_id, allowed.grant.closes_at, allowed.grant.runs_in_all) == (target, LATER, 3)
        assert not session.get_one(Run, sent.run_id).late
        deadlines.settle(session, session.get_one(Phase, session.get_one(Run, sent.run_id).phase_id))
        assert not session.get_one(Run, sent.run_id).late
