"""Teams that may be one person's."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from leaderboard.services import memberships, sign_ins, teams
from leaderboard.services.probing_found import Found
from leaderboard.services.probing_people import REMEMBERED, mailbox, of_people
from leaderboard.services.tasks import known
from leaderboard.services.teams import Named
from leaderboard.store.models import Run, User
from leaderboard.store.session import Database
from tests.services.members import captain, send
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, evaluation, make_spec

LATER = NOON + timedelta(days=1)


def found(toy: Toy, now: datetime = LATER) -> list[Found]:
    with toy.database.reading() as session:
        return list(of_people(session, known(session, toy.spec.name).id, now))


def kinds(toy: Toy, now: datetime = LATER) -> list[tuple[str, str]]:
    return [(each.kind, each.strength) for each in found(toy, now)]


def two(toy: Toy) -> tuple[int, int]:
    """The captains of two teams that have sent a run each."""
    one, other = captain(toy, "one"), captain(toy, "other")
    send(toy, one, 1)
    send(toy, other, 2)
    return one, other


def called(toy: Toy, user: int, email: str) -> None:
    with toy.database.writing() as session:
        session.execute(update(User).where(User.id == user).values(email=email))


def signed_in(toy: Toy, user: int, address: str, browser: str = "Firefox") -> None:
    with toy.database.writing() as session:
        sign_ins.begin(session, user, browser, address, NOON)


def test_teams_of_different_people_have_nothing_in_common(toy: Toy) -> None:
    one, other = two(toy)
    signed_in(toy, one, "192.0.2.1")
    signed_in(toy, other, "192.0.2.1", "Chromium")
    signed_in(toy, other, "192.0.2.2")
    assert found(toy) == []


def test_a_person_in_two_teams_is_named_by_what_each_sent_meanwhile(toy: Toy) -> None:
    user = captain(toy, "one")
    send(toy, user, 1)
    send(toy, user, 2)
    with toy.database.writing() as session:
        memberships.leave(session, toy.spec, user, NOON + timedelta(hours=1))
        teams.found(session, toy.spec, user, Named("other"), NOON + timedelta(hours=1))
    send(toy, user, 3, hours=2)
    seen = found(toy)
    assert [(each.kind, each.strength) for each in seen] == [("one person", "moderate")]
    assert seen[0].numbers == {"people": 1, "one": 2, "other": 1}


@pytest.mark.parametrize(
    ("address", "same"),
    [
        ("Ann+x@Example.org", "ann@example.org"),
        ("ann@example.org", "ann@example.org"),
        ("a.n.n+1@googlemail.com", "ann@gmail.com"),
        ("a.n.n@example.org", "a.n.n@example.org"),
        ("+x@example.org", "+x@example.org"),
        ("nobody", None),
        (None, None),
    ],
)
def test_a_mailbox_is_an_address_without_tags(address: str | None, same: str | None) -> None:
    assert mailbox(address) == same


def test_two_accounts_with_one_mailbox_are_seen_and_no_address_is_stored(toy: Toy) -> None:
    one, other = two(toy)
    called(toy, one, "ann+one@example.org")
    called(toy, other, "ann+two@example.org")
    seen = found(toy)
    assert [(each.kind, each.strength) for each in seen] == [("one mailbox", "strong")]
    assert "ann" not in repr(seen)


def test_one_browser_at_one_address_is_seen_for_a_while_and_neither_is_stored(toy: Toy) -> None:
    for user in two(toy):
        signed_in(toy, user, "192.0.2.77")
    seen = found(toy)
    assert [(each.kind, each.strength, each.numbers["people"]) for each in seen] == [
        ("one browser", "moderate", 2)
    ]
    assert "192.0.2" not in repr(seen)
    assert "Firefox" not in repr(seen)
    assert kinds(toy, NOON + REMEMBERED + timedelta(hours=1)) == []


def test_a_lecture_hall_is_no_person(toy: Toy) -> None:
    for number in range(9):
        user = captain(toy, f"team {number}")
        send(toy, user, number)
        signed_in(toy, user, "192.0.2.1")
    assert found(toy) == []


def test_teams_without_runs_are_not_looked_at(toy: Toy) -> None:
    for name in ("one", "other"):
        signed_in(toy, captain(toy, name), "192.0.2.1")
    assert found(toy) == []


def test_teams_that_take_turns_are_seen_where_there_is_a_quota(database: Database, tmp_path: Path) -> None:
    phase = replace(evaluation(closes=24 * 30)[0], runs_per_day=3)
    toy = ready(database, tmp_path, make_spec(phases=(phase,)))
    for day in range(5):
        for number in range(3):
            minute = 24 * 60 * day + 5 * number
            toy.submit("one", day, number, minute=minute)
            toy.submit("other", day, number, 9, minute=minute + 20)
    assert found(toy) == []
    with toy.database.writing() as session:
        session.execute(update(Run).values(state="scored"))
    seen = found(toy)
    assert [(each.kind, each.strength) for each in seen] == [("turns", "moderate")]
    assert (seen[0].numbers["days"], seen[0].numbers["apart"], seen[0].numbers["minutes"]) == (5, 5, 10)
