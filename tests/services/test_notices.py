"""Letters to those whose team was overtaken, if they asked for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from leaderboard.contract import TaskSpec
from leaderboard.services import accounts, memberships, notice_words, notices, rescoring
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.services.teams import NotInTheTeam
from leaderboard.store.models import Letter, Notice, Task, Team, User
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.members import captain, person, send
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, evaluation, make_spec

GOOD, BETTER, BEST = (0.1, 0.5, 0.7), (0.1, 0.5, 0.8), (0.1, 0.5, 0.9)


@pytest.fixture
def red(toy: Toy) -> int:
    """The captain of a team with a run, who wants to be told."""

    def fill() -> int:
        user_id = captain(toy, "Red")
        send(toy, user_id, *GOOD)
        ask(toy, user_id)
        return user_id

    return kept("red", toy.database, toy.folder, fill)


def ask(toy: Toy, user_id: int, *, told: bool = True) -> None:
    with toy.database.writing() as session:
        notices.choose(session, toy.spec, user_id, told=told)


def waiting(toy: Toy) -> int:
    with toy.database.reading() as session:
        return session.scalar(select(func.count()).select_from(Notice)) or 0


def letters(toy: Toy, url: str = "https://lb.example") -> list[Letter]:
    """Makes letters of what waits; all letters there are."""

    def find(name: str) -> TaskSpec | None:
        return toy.spec if name == toy.spec.name else None

    notices.put_into_letters(toy.database.writing, notice_words.wording(find, url), NOON)
    with toy.database.reading() as session:
        return list(session.scalars(select(Letter).order_by(Letter.id)))


def rival(toy: Toy, name: str, *values: float, hours: float = 1) -> int:
    user_id = captain(toy, name)
    send(toy, user_id, *values, hours=hours)
    return user_id


def test_who_is_overtaken_gets_one_letter_about_all_boards(toy: Toy, red: int) -> None:
    rival(toy, "Blue", *BEST)
    assert waiting(toy) == 1
    (letter,) = letters(toy)
    assert letter.user_id == red
    assert letter.subject == "Toy: another team has overtaken yours"
    assert 'Your team "Red" was overtaken in Toy' in letter.body
    assert "Toy: from place 1 to place 2. Ahead of you now: Blue." in letter.body
    assert "Overall ranking: from place 1 to place 2" in letter.body
    assert "https://lb.example/tasks/toy/team#notices" in letter.body
    assert waiting(toy) == 0
    assert len(letters(toy)) == 1


def test_who_did_not_ask_gets_none(toy: Toy) -> None:
    send(toy, captain(toy, "Red"), *GOOD)
    rival(toy, "Blue", *BEST)
    assert waiting(toy) == 0


def test_who_asked_no_more_gets_none_and_what_waited_is_gone(toy: Toy, red: int) -> None:
    rival(toy, "Blue", *BEST)
    ask(toy, red, told=False)
    assert letters(toy) == []


def test_a_worse_run_and_one_for_comparison_tell_nobody(toy: Toy, red: int) -> None:
    rival(toy, "Blue", 0.9, 0.5, 0.1)
    send(toy, captain(toy, "Green"), *BEST, hours=1, kind="contrastive")
    assert waiting(toy) == 0


def test_who_overtakes_is_not_told(toy: Toy, red: int) -> None:
    blue = rival(toy, "Blue", *BETTER)
    ask(toy, blue)
    letters(toy)
    send(toy, red, *BEST, hours=2)
    told = letters(toy)
    assert [letter.user_id for letter in told] == [red, blue]


def test_a_rescoring_tells_each_person_once(toy: Toy, red: int) -> None:
    blue = rival(toy, "Blue", 0.4, 0.6, 0.9)
    ask(toy, blue)
    before = len(letters(toy))
    for number in range(3):
        send(toy, captain(toy, f"Grey {number}"), 0.9, 0.9, 0.1 + number / 100, hours=2)
    toy.install_gold(near=(0.1, 0.5, 0.7), same=(3, 2, 1))
    rescoring.rescore_all(
        Transactions(toy.database.reading, toy.database.writing),
        toy.files,
        toy.spec,
        toy.scorer,
        lambda: NOON,
        unwatched,
    )
    assert sorted(letter.user_id or 0 for letter in letters(toy)[before:]) == [red, blue]


def test_what_happened_before_the_letter_went_out_is_told_together(toy: Toy, red: int) -> None:
    rival(toy, "Blue", *BETTER)
    rival(toy, "Green", *BEST, hours=2)
    (letter,) = letters(toy)
    assert "from place 1 to place 3. Ahead of you now: Blue, Green." in letter.body


def test_other_teams_are_called_by_their_alias(toy: Toy, red: int) -> None:
    blue = captain(toy, "Blue")
    with toy.database.writing() as session:
        session.execute(update(Team).where(Team.name == "Blue").values(alias="Mister X"))
    send(toy, blue, *BEST, hours=1)
    (letter,) = letters(toy)
    assert "Mister X" in letter.body
    assert "Blue" not in letter.body


def test_a_letter_is_in_the_language_of_the_person(toy: Toy, red: int) -> None:
    with toy.database.writing() as session:
        session.execute(update(User).where(User.id == red).values(locale="ru"))
    rival(toy, "Blue", *BEST)
    (letter,) = letters(toy)
    assert "Игрушка" in letter.subject


def test_without_a_public_address_the_letter_names_the_page(toy: Toy, red: int) -> None:
    rival(toy, "Blue", *BEST)
    (letter,) = letters(toy, url="")
    assert "on the page of your team" in letter.body
    assert "http" not in letter.body


def test_while_the_ranking_is_hidden_nobody_is_told(database: Database, tmp_path: Path) -> None:
    (phase,) = evaluation()
    toy = ready(database, tmp_path, make_spec(phases=(replace(phase, reveals=("own",)),)))
    red = captain(toy, "Red")
    send(toy, red, *GOOD)
    ask(toy, red)
    rival(toy, "Blue", *BEST)
    assert waiting(toy) == 0


def test_in_a_task_that_is_not_public_nobody_is_told(toy: Toy, red: int) -> None:
    with toy.database.writing() as session:
        session.execute(update(Task).values(visibility="organisers"))
    rival(toy, "Blue", *BEST)
    assert waiting(toy) == 0


def test_a_late_run_overtakes_nobody(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    red = captain(toy, "Red")
    send(toy, red, *GOOD)
    ask(toy, red)
    rival(toy, "Blue", *BEST, hours=2)
    assert waiting(toy) == 0


def test_who_has_left_the_team_or_the_site_is_not_told(toy: Toy, red: int) -> None:
    rival(toy, "Blue", *BEST)
    with toy.database.writing() as session:
        memberships.leave(session, toy.spec, red, NOON)
    assert letters(toy) == []
    other = rival(toy, "Green", *BETTER, hours=2)
    ask(toy, other)
    send(toy, captain(toy, "Grey"), 0.1, 0.5, 0.85, hours=3)
    with toy.database.writing() as session:
        accounts.delete(session, other, NOON + timedelta(hours=4))
    assert letters(toy) == []


def test_of_a_task_whose_folder_is_gone_nothing_is_said(toy: Toy, red: int) -> None:
    rival(toy, "Blue", *BEST)
    notices.put_into_letters(toy.database.writing, notice_words.wording(lambda _: None, ""), NOON)
    assert waiting(toy) == 0
    assert letters(toy) == []


def test_only_members_choose(toy: Toy) -> None:
    stranger = person(toy)
    with toy.database.writing() as session, pytest.raises(NotInTheTeam):
        notices.choose(session, toy.spec, stranger, told=True)
    with toy.database.reading() as session:
        assert not notices.wanted(session, toy.spec, stranger)
