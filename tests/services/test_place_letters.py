"""Letters to the teams whose place a draft of gold has changed."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select, update

from leaderboard.services import freezing, notices
from leaderboard.services.audit import SHELL
from leaderboard.store.models import Letter, Membership, Notice, Phase, Task, Team, User
from tests.services.drafting import apply, ready
from tests.services.members import captain, person, send
from tests.services.toy import NOON, Toy, make_spec

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def people(toy: Toy) -> dict[str, int]:
    """Three teams with a run each; the gold `TURNED` exchanges the first and the last."""
    toy.spec = make_spec(overall=None)
    found = {}
    for hours, (name, values) in enumerate(
        {"Red": (0.1, 0.5, 0.9), "Blue": (0.3, 0.5, 0.6), "Green": (0.9, 0.5, 0.1)}.items()
    ):
        found[name] = captain(toy, name)
        send(toy, found[name], *values, hours=hours)
    return found


def letters(toy: Toy) -> dict[int, Letter]:
    with toy.database.reading() as session:
        written = session.scalars(select(Letter)).all()
    assert len({letter.user_id for letter in written}) == len(written), "one letter each"
    return {letter.user_id or 0: letter for letter in written}


def test_every_member_of_a_team_that_moved_gets_one_letter_with_old_and_new_place(
    toy: Toy, people: dict[str, int]
) -> None:
    mate, left = person(toy), person(toy)
    with toy.database.writing() as session:
        team = session.scalars(select(Team).where(Team.name == "Green")).one()
        for user_id, gone in ((mate, None), (left, NOON)):
            session.add(
                Membership(
                    task_id=team.task_id,
                    team_id=team.id,
                    user_id=user_id,
                    role="member",
                    joined_at=NOON,
                    left_at=gone,
                )
            )
        session.get_one(User, mate).locale = "ru"
    apply(toy, ready(toy).number, url="https://lb.example")
    found = letters(toy)
    assert set(found) == {people["Red"], people["Green"], mate}
    red = found[people["Red"]]
    assert red.subject == "Toy: the place of your team has changed"
    assert 'The places of your team "Red":' in red.body
    assert "Toy: from place 1 to place 3." in red.body
    assert "https://lb.example/tasks/toy/board" in red.body
    assert "from place 3 to place 1." in found[people["Green"]].body
    assert "Игрушка" in found[mate].body


def test_who_asked_to_hear_of_being_overtaken_is_not_told_twice(toy: Toy, people: dict[str, int]) -> None:
    with toy.database.writing() as session:
        notices.choose(session, toy.spec, people["Red"], told=True)
    apply(toy, ready(toy).number)
    assert people["Red"] in letters(toy)
    with toy.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Notice)) == 0


@pytest.mark.parametrize("hiding", ["task", "frozen", "board"])
def test_of_a_ranking_that_teams_do_not_see_nothing_is_told(
    toy: Toy, people: dict[str, int], hiding: str
) -> None:
    change = {
        "task": update(Task).values(visibility="organisers"),
        "board": update(Phase).values(reveals=["own"]),
    }.get(hiding)
    with toy.database.writing() as session:
        if change is None:
            (phase,) = session.scalars(select(Phase.name))
            freezing.freeze(session, toy.spec, "1", phase, SHELL, NOON)
        else:
            session.execute(change)
    apply(toy, ready(toy).number)
    assert letters(toy) == {}
    assert toy.lines("near")[0] == ("Green", 1) or hiding == "frozen"
