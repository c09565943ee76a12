"""What organisers do to teams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import invitations, news, team_merging, team_moderation, teams
from leaderboard.services.audit import Actor
from leaderboard.services.runs import TeamRemoved
from leaderboard.services.team_merging import NotJoined
from leaderboard.services.team_moderation import LetterRefused, UnknownTeam
from leaderboard.services.teams import Named
from leaderboard.store.models import AuditEntry, Membership, Run
from tests.services.members import captain, person, send, team_id
from tests.services.toy import NOON, Toy, evaluation

ACTOR = Actor(None, "web")
LATER = NOON + timedelta(hours=1)


def log(toy: Toy) -> Sequence[AuditEntry]:
    with toy.database.reading() as session:
        about_teams = select(AuditEntry).where(AuditEntry.subject_kind == "team")
        return session.scalars(about_teams.order_by(AuditEntry.id)).all()


def delete(toy: Toy, team: int) -> None:
    with toy.database.writing() as session:
        team_moderation.delete(session, toy.spec, "1", team, "spam", ACTOR, LATER)


def undelete(toy: Toy, team: int, days: int = 1) -> tuple[int, ...]:
    with toy.database.writing() as session:
        moment = LATER + timedelta(days=days)
        return team_moderation.undelete(session, toy.spec, "1", team, ACTOR, moment)


def merge(toy: Toy, source: int, target: int, hours: float = 1) -> team_merging.Moved:
    with toy.database.writing() as session:
        moment = NOON + timedelta(hours=hours)
        return team_merging.merge(session, toy.spec, "1", source, target, ACTOR, moment)


def roles(toy: Toy, team: int) -> dict[int, str]:
    with toy.database.reading() as session:
        return {member.user_id: member.role for member in teams.members(session, team)}


def invited(toy: Toy, leader: int) -> str:
    with toy.database.writing() as session:
        return invitations.make(session, toy.spec, leader, NOON, most_uses=5)


def join(toy: Toy, token: str, user_id: int) -> None:
    with toy.database.writing() as session:
        invitations.accept(session, token, user_id, NOON)


def test_a_deleted_team_and_its_runs_are_gone_and_come_back(toy: Toy) -> None:
    leader, other = captain(toy, "a"), captain(toy, "b")
    team, mate = team_id(toy, leader), person(toy)
    join(toy, invited(toy, leader), mate)
    send(toy, leader, 0.1, 0.5, 0.9)
    send(toy, other, 0.2, 0.5, 0.9)
    delete(toy, team)
    assert toy.lines("near") == [("b", 1)]
    assert toy.lines(None) == [("b", 1)]
    assert roles(toy, team) == {}
    with toy.database.reading() as session:
        told = [change.team for item in news.listing(session, toy.spec, LATER) for change in item.changes]
    assert told
    assert "a" not in told
    with pytest.raises(TeamRemoved):
        toy.submit("a", 0.3, 0.5, 0.9)
    assert undelete(toy, team) == ()
    assert toy.lines("near") == [("a", 1), ("b", 2)]
    assert roles(toy, team) == {leader: "captain", mate: "member"}
    first, second = log(toy)
    assert (first.action, first.reason, first.before["people"]) == ("team.deleted", "spam", [leader, mate])
    assert (second.action, second.after["runs"]) == ("team.restored", first.before["runs"])


def test_who_is_in_another_team_by_then_does_not_come_back_and_somebody_leads(toy: Toy) -> None:
    leader, mate = captain(toy, "a"), person(toy)
    team = team_id(toy, leader)
    join(toy, invited(toy, leader), mate)
    delete(toy, team)
    with toy.database.writing() as session:
        teams.found(session, toy.spec, leader, Named("new"), LATER)
    assert undelete(toy, team) == (leader,)
    assert roles(toy, team) == {mate: "captain"}


def test_a_run_deleted_before_its_team_stays_deleted(toy: Toy) -> None:
    leader = captain(toy, "a")
    run = send(toy, leader, 0.1, 0.5, 0.9).run_id
    with toy.database.writing() as session:
        session.get_one(Run, run).deleted_at = NOON
    delete(toy, team_id(toy, leader))
    team = log(toy)[0]
    undelete(toy, int(team.subject_id))
    with toy.database.reading() as session:
        assert session.get_one(Run, run).deleted_at == NOON


def test_after_30_days_a_deletion_stays(toy: Toy) -> None:
    team = team_id(toy, captain(toy, "a"))
    delete(toy, team)
    with pytest.raises(UnknownTeam):
        undelete(toy, team, days=30)
    with pytest.raises(UnknownTeam):
        delete(toy, team)


def test_two_teams_become_one_with_all_they_have(toy: Toy) -> None:
    guest, host = captain(toy, "guests"), captain(toy, "hosts")
    source, target = team_id(toy, guest), team_id(toy, host)
    late, link = person(toy), invited(toy, guest)
    own = send(toy, guest, 0.1, 0.5, 0.9).run_id
    same = send(toy, guest, 0.3, 0.5, 0.9).run_id
    kept = send(toy, host, 0.3, 0.5, 0.9).run_id
    with toy.database.writing() as session:
        for run in (own, kept):
            session.get_one(Run, run).selected = True
        one = select(Membership).where(Membership.user_id == guest)
        session.scalars(one).one().told_when_overtaken = True
    moved = merge(toy, source, target)
    assert (moved.runs, moved.people, moved.left) == ((own,), (guest,), (same,))
    assert roles(toy, target) == {host: "captain", guest: "member"}
    assert dict(toy.lines("near")) == {"hosts": 1}
    with toy.database.reading() as session:
        rows = {run: session.get_one(Run, run) for run in (own, same, kept)}
        assert [rows[run].team_id for run in (own, same, kept)] == [target, source, target]
        assert [rows[run].deleted_at for run in (own, same, kept)] == [None, LATER, None]
        assert [rows[run].selected for run in (own, kept)] == [False, True]
        membership = teams.membership_of(session, rows[own].task_id, guest)
        assert membership is not None
        assert membership.told_when_overtaken
        (gone,) = [each for each in team_moderation.listing(session, toy.spec, LATER) if each.gone]
    assert (gone.name, gone.merged_into, gone.runs) == ("guests", "hosts", 0)
    join(toy, link, late)
    assert late in roles(toy, target)
    (entry,) = log(toy)
    assert (entry.action, entry.subject_name, entry.before["team_id"]) == ("team.merged", "guests", source)
    assert (entry.after["runs"], entry.after["people"], entry.after["runs left behind"]) == (
        [own],
        [guest],
        [same],
    )


def test_teams_are_not_joined_after_the_deadline_nor_to_themselves_nor_to_one_that_is_gone(toy: Toy) -> None:
    toy.spec = replace(toy.spec, phases=evaluation(closes=24))
    toy.install()
    one, two = (team_id(toy, captain(toy, name)) for name in "ab")
    with pytest.raises(NotJoined, match="deadline"):
        merge(toy, one, two, hours=24)
    with pytest.raises(NotJoined, match="itself"):
        merge(toy, one, one)
    delete(toy, two)
    with pytest.raises(UnknownTeam):
        merge(toy, one, two)
    assert [entry.action for entry in log(toy)] == ["team.deleted"]


def test_a_letter_to_a_team_goes_to_its_members_and_into_the_log(toy: Toy) -> None:
    leader = captain(toy, "a")
    team = team_id(toy, leader)
    with toy.database.writing() as session:
        people = team_moderation.letter(session, toy.spec, team, "Hello", "Please write.", ACTOR, LATER)
        for subject, text in (("", "x"), ("x", " ")):
            with pytest.raises(LetterRefused):
                team_moderation.letter(session, toy.spec, team, subject, text, ACTOR, LATER)
    assert [each.user_id for each in people] == [leader]
    (entry,) = log(toy)
    assert (entry.action, entry.after["subject"]) == ("team.written_to", "Hello")


def test_the_list_of_teams_tells_their_people_runs_and_quota(toy: Toy) -> None:
    leader = captain(toy, "a")
    send(toy, leader, 0.1, 0.5, 0.9)
    with toy.database.reading() as session:
        (team,) = team_moderation.listing(session, toy.spec, LATER)
        page, history = team_moderation.one(session, toy.spec, team.team_id, LATER)
        with pytest.raises(UnknownTeam):
            team_moderation.one(session, toy.spec, 999, LATER)
    assert (team.name, team.runs, team.state.quota.in_all) == ("a", 1, 1)
    assert [member.user_id for member in page.members] == [leader]
    assert history == ()
