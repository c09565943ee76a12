"""Teams: founding, naming, joining by invitation, leaving, handing over."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from leaderboard.services import invitations, memberships, teams
from leaderboard.services.errors import ServiceError
from leaderboard.services.invitations import InvitationClosed, InvitationRefused
from leaderboard.services.memberships import CaptainStays, NotAMember
from leaderboard.services.teams import InAnotherTeam, Named, NameTaken, NotInTheTeam, OnlyTheCaptain
from leaderboard.store.models import Membership, Task
from leaderboard.store.session import Database
from tests.services.people import OTHER, SPEC, accept, found, install, invite, names, someone, team_of
from tests.services.toy import NOON

LATER = NOON + timedelta(hours=1)


@pytest.fixture
def site(database: Database) -> Database:
    install(database)
    return database


@pytest.fixture
def ann(site: Database) -> int:
    return someone(site, "ann")


@pytest.fixture
def bob(site: Database) -> int:
    return someone(site, "bob")


@pytest.fixture
def eve(site: Database) -> int:
    return someone(site, "eve")


def task_id(site: Database, name: str) -> int:
    with site.reading() as session:
        return session.scalars(select(Task.id).where(Task.name == name)).one()


def test_who_founds_a_team_is_its_captain(site: Database, ann: int) -> None:
    found(site, ann)
    assert names(site, ann) == [("Ann", "captain")]


@pytest.mark.parametrize("name", ["Foxes", "FOXES", "  foxes ", "Ｆoxes"])
def test_a_name_that_looks_like_another_teams_is_taken(site: Database, ann: int, bob: int, name: str) -> None:
    found(site, ann)
    with pytest.raises(NameTaken, match="choose another"):
        found(site, bob, name)
    assert team_of(site, bob) is None


def test_an_alias_can_be_no_other_teams_name(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    with pytest.raises(NameTaken):
        found(site, bob, "Bears", alias="foxes")


def test_a_person_founds_one_team_per_task(site: Database, ann: int) -> None:
    found(site, ann)
    with pytest.raises(InAnotherTeam, match="Foxes"):
        found(site, ann, "Bears")
    with site.writing() as session:
        teams.found(session, OTHER, ann, Named("Bears"), NOON)


def test_the_database_itself_refuses_a_second_team(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    bears = found(site, bob, "Bears")
    second = Membership(
        user_id=ann, team_id=bears, task_id=task_id(site, "toy"), role="member", joined_at=NOON
    )
    with pytest.raises(IntegrityError), site.writing() as session:
        session.add(second)


def test_the_database_itself_refuses_a_membership_under_another_task(
    site: Database, ann: int, bob: int
) -> None:
    foxes = found(site, ann)
    other = task_id(site, "other")
    with pytest.raises(IntegrityError), site.writing() as session:
        session.add(Membership(user_id=bob, team_id=foxes, task_id=other, role="member", joined_at=NOON))


def test_a_team_can_change_what_it_calls_itself(site: Database, ann: int) -> None:
    found(site, ann)
    with site.writing() as session:
        teams.change(session, SPEC, ann, Named("foxes", "Fox University", "Team 7"))
    page = team_of(site, ann)
    assert page is not None
    assert (page.name, page.affiliation, page.alias, page.shown_as) == (
        "foxes",
        "Fox University",
        "Team 7",
        "Team 7",
    )


def test_only_the_captain_names_the_team(site: Database, ann: int, bob: int, eve: int) -> None:
    found(site, ann)
    accept(site, invite(site, ann), bob)
    with pytest.raises(OnlyTheCaptain), site.writing() as session:
        teams.change(session, SPEC, bob, Named("Bears"))
    with pytest.raises(NotInTheTeam), site.writing() as session:
        teams.change(session, SPEC, eve, Named("Bears"))


def test_the_public_reads_the_alias_until_names_are_revealed() -> None:
    assert teams.shown_name("Foxes", "Team 7", None, NOON) == "Team 7"
    assert teams.shown_name("Foxes", "Team 7", LATER, NOON) == "Team 7"
    assert teams.shown_name("Foxes", "Team 7", NOON, NOON) == "Foxes"
    assert teams.shown_name("Foxes", None, LATER, NOON) == "Foxes"


def test_an_invitation_lets_a_person_join(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    token = invite(site, ann)
    with site.reading() as session:
        offer = invitations.look(session, token, bob, NOON)
    assert (offer.task, offer.team, offer.made_by, offer.joined) == ("toy", "Foxes", "Ann", False)
    assert accept(site, token, bob) == "toy"
    assert names(site, bob) == [("Ann", "captain"), ("Bob", "member")]


def test_accepting_again_changes_nothing(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    token = invite(site, ann, most_uses=1)
    accept(site, token, bob)
    accept(site, token, bob)
    assert len(names(site, ann)) == 2
    with site.reading() as session:
        (offer,) = invitations.listing(session, team_of(site, ann).team_id, NOON)  # type: ignore[union-attr]
    assert (offer.uses, offer.state) == (1, "used up")


def test_a_used_invitation_lets_nobody_else_in(site: Database, ann: int, bob: int, eve: int) -> None:
    found(site, ann)
    token = invite(site, ann, most_uses=1)
    accept(site, token, bob)
    with pytest.raises(InvitationClosed, match="has been used"):
        accept(site, token, eve)


def test_an_invitation_ends_at_its_time(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    token = invite(site, ann)
    with pytest.raises(InvitationClosed, match="expired"), site.writing() as session:
        invitations.accept(session, token, bob, NOON + invitations.LIFETIME)


def test_a_withdrawn_invitation_lets_nobody_in(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    token = invite(site, ann)
    with site.writing() as session:
        (offer,) = invitations.listing(session, team_of(site, ann).team_id, NOON)  # type: ignore[union-attr]
        invitations.withdraw(session, SPEC, ann, offer.invitation_id, NOON)
    with pytest.raises(InvitationClosed, match="withdrawn"):
        accept(site, token, bob)


def test_an_invitation_that_nobody_made_is_unknown(site: Database, bob: int) -> None:
    with pytest.raises(InvitationClosed, match="no such invitation"):
        accept(site, "guess", bob)


def test_another_teams_captain_cannot_withdraw_an_invitation(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    found(site, bob, "Bears")
    invite(site, ann)
    with site.writing() as session:
        (offer,) = invitations.listing(session, team_of(site, ann).team_id, NOON)  # type: ignore[union-attr]
    with pytest.raises(InvitationClosed), site.writing() as session:
        invitations.withdraw(session, SPEC, bob, offer.invitation_id, NOON)


@pytest.mark.parametrize("most_uses", [0, 21])
def test_an_invitation_is_for_a_few_people(site: Database, ann: int, most_uses: int) -> None:
    found(site, ann)
    with pytest.raises(InvitationRefused):
        invite(site, ann, most_uses)


def test_who_is_in_another_team_cannot_accept(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    found(site, bob, "Bears")
    with pytest.raises(InAnotherTeam, match="Bears"):
        accept(site, invite(site, ann), bob)


def test_a_removed_member_is_outside_and_an_old_link_does_not_lead_back(
    site: Database, ann: int, bob: int
) -> None:
    found(site, ann)
    token = invite(site, ann)
    accept(site, token, bob)
    with site.writing() as session:
        memberships.remove(session, SPEC, ann, bob, LATER)
    assert team_of(site, bob) is None
    with pytest.raises(InvitationClosed, match="before"):
        accept(site, token, bob)
    with site.writing() as session:
        fresh = invitations.make(session, SPEC, ann, LATER + timedelta(minutes=1))
    accept(site, fresh, bob)
    assert names(site, bob) == [("Ann", "captain"), ("Bob", "member")]


def test_a_captain_hands_over_and_then_leaves(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    accept(site, invite(site, ann), bob)
    with pytest.raises(CaptainStays), site.writing() as session:
        memberships.leave(session, SPEC, ann, NOON)
    with site.writing() as session:
        memberships.hand_over(session, SPEC, ann, bob)
    assert names(site, ann) == [("Bob", "captain"), ("Ann", "member")]
    with site.writing() as session:
        memberships.leave(session, SPEC, ann, LATER)
    assert team_of(site, ann) is None
    assert names(site, bob) == [("Bob", "captain")]


def test_a_former_captain_can_do_nothing(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    accept(site, invite(site, ann), bob)
    with site.writing() as session:
        memberships.hand_over(session, SPEC, ann, bob)
    attempts: list[Callable[..., object]] = [
        lambda session: memberships.remove(session, SPEC, ann, bob, NOON),
        lambda session: memberships.hand_over(session, SPEC, ann, ann),
        lambda session: invitations.make(session, SPEC, ann, NOON),
        lambda session: invitations.withdraw(session, SPEC, ann, 1, NOON),
        lambda session: teams.change(session, SPEC, ann, Named("Mine")),
    ]
    for attempt in attempts:
        with pytest.raises(OnlyTheCaptain), site.writing() as session:
            attempt(session)


def test_a_team_is_handed_to_members_only(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    with pytest.raises(NotAMember), site.writing() as session:
        memberships.hand_over(session, SPEC, ann, bob)


def test_the_last_member_leaves_a_team_without_open_invitations(site: Database, ann: int, bob: int) -> None:
    found(site, ann)
    token = invite(site, ann)
    with site.writing() as session:
        memberships.leave(session, SPEC, ann, LATER)
    with pytest.raises(InvitationClosed, match="withdrawn"):
        accept(site, token, bob)


AT_ONCE = 4


def at_once(tasks: list[Callable[[], object]]) -> list[object]:
    """What came of each, all begun together: its result, or the ServiceError it raised."""
    together = Barrier(len(tasks))

    def attempt(task: Callable[[], object]) -> object:
        together.wait()
        try:
            return task()
        except ServiceError as error:
            return error

    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(attempt, tasks))


def test_one_person_accepting_many_invitations_at_once_is_in_one_team(site: Database, eve: int) -> None:
    tokens = []
    for number in range(AT_ONCE):
        captain = someone(site, f"captain{number}")
        found(site, captain, f"Team {number}")
        tokens.append(invite(site, captain))
    results = at_once([lambda token=token: accept(site, token, eve) for token in tokens])  # type: ignore[misc]
    assert sum(isinstance(result, InAnotherTeam) for result in results) == AT_ONCE - 1
    with site.reading() as session:
        statement = select(func.count()).where(Membership.user_id == eve, Membership.left_at.is_(None))
        assert session.scalar(statement) == 1


def test_many_people_accepting_the_last_place_at_once_one_gets_it(site: Database, ann: int) -> None:
    found(site, ann)
    token = invite(site, ann, most_uses=1)
    people = [someone(site, f"person{number}") for number in range(AT_ONCE)]
    results = at_once([lambda p=person: accept(site, token, p) for person in people])  # type: ignore[misc]
    assert results.count("toy") == 1
    assert len(names(site, ann)) == 2


def test_many_teams_founded_at_once_under_one_name_one_gets_it(site: Database) -> None:
    people = [someone(site, f"person{number}") for number in range(AT_ONCE)]
    results = at_once([lambda p=person: found(site, p, "Foxes") for person in people])  # type: ignore[misc]
    assert sum(isinstance(result, NameTaken) for result in results) == AT_ONCE - 1


def test_handing_over_while_the_successor_leaves_keeps_one_captain(site: Database, ann: int) -> None:
    found(site, ann)
    for number in range(AT_ONCE):
        bob = someone(site, f"bob{number}")
        accept(site, invite(site, ann), bob)

        def hand_over(successor: int = bob) -> None:
            with site.writing() as session:
                memberships.hand_over(session, SPEC, ann, successor)

        def leave(successor: int = bob) -> None:
            with site.writing() as session:
                memberships.leave(session, SPEC, successor, LATER)

        at_once([hand_over, leave])
        with site.reading() as session:
            captains = session.scalars(
                select(Membership.user_id).where(Membership.role == "captain", Membership.left_at.is_(None))
            ).all()
        assert len(captains) == 1
        if captains != [ann]:
            with site.writing() as session:
                memberships.hand_over(session, SPEC, bob, ann)
