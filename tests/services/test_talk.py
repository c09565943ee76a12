"""Announcements, and questions with their answers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import announcements, news, personal_data, questions
from leaderboard.services.announcements import AnnouncementRefused, UnknownAnnouncement, Wanted
from leaderboard.services.audit import Actor
from leaderboard.services.questions import QuestionRefused, TooManyQuestions, UnknownQuestion
from leaderboard.store.models import AuditEntry
from tests.services.members import captain, person, team_id
from tests.services.toy import NOON, Toy

ACTOR = Actor(None, "web")
LATER = NOON + timedelta(hours=1)
ENGLISH = {"en": "Gold is out", "ru": ""}
TEXT = {"en": "Read *this*.", "ru": ""}


def make(
    toy: Toy, title: dict[str, str], text: dict[str, str], *teams: int, public: bool = True
) -> announcements.Made:
    with toy.database.writing() as session:
        return announcements.make(session, toy.spec, Wanted(title, text, public, teams), ACTOR, LATER)


def ask(toy: Toy, user_id: int, text: str) -> int:
    with toy.database.writing() as session:
        return questions.ask(session, toy.spec, user_id, text, NOON)


def answer(toy: Toy, number: int, text: str, *, public: bool) -> questions.Answered:
    with toy.database.writing() as session:
        return questions.answer(session, toy.spec, number, text, ACTOR, LATER, public=public)


def log(toy: Toy, kind: str) -> Sequence[AuditEntry]:
    with toy.database.reading() as session:
        about = select(AuditEntry).where(AuditEntry.subject_kind == kind)
        return session.scalars(about.order_by(AuditEntry.id)).all()


def said(toy: Toy) -> list[tuple[str, str, str]]:
    with toy.database.reading() as session:
        items = news.listing(session, toy.spec, LATER)
    return [(item.kind, str(item.said.title), str(item.said.text)) for item in items if item.said]


def test_an_announcement_is_news_until_it_is_withdrawn(toy: Toy) -> None:
    made = make(toy, ENGLISH, TEXT)
    assert said(toy) == [("announcement", "Gold is out", "Read *this*.")]
    assert made.addressees == ()
    with toy.database.writing() as session:
        announcements.withdraw(session, toy.spec, made.told.number, ACTOR, LATER)
        with pytest.raises(UnknownAnnouncement):
            announcements.withdraw(session, toy.spec, made.told.number, ACTOR, LATER)
        assert announcements.public(session, toy.spec) == ()
        assert [each.withdrawn_at for each in announcements.listing(session, toy.spec)] == [LATER]
    assert said(toy) == []
    assert [entry.action for entry in log(toy, "announcement")] == [
        "announcement.made",
        "announcement.withdrawn",
    ]


def test_letters_go_to_the_members_of_the_chosen_teams(toy: Toy) -> None:
    one, _other = captain(toy, "a"), captain(toy, "b")
    made = make(toy, ENGLISH, TEXT, team_id(toy, one), public=False)
    assert [each.user_id for each in made.addressees] == [one]
    assert said(toy) == []
    with toy.database.reading() as session:
        assert announcements.public(session, toy.spec) == ()


def test_readers_of_a_language_without_a_text_get_the_other_one(toy: Toy) -> None:
    told = make(toy, {"en": "", "ru": "Новость"}, {"en": "", "ru": "Текст"}).told
    assert (told.title.for_language("en"), told.title.for_language("ru")) == ("Новость", "Новость")


@pytest.mark.parametrize(
    ("title", "text", "public"),
    [
        ({"en": "", "ru": ""}, {"en": "", "ru": ""}, True),
        ({"en": "a title", "ru": ""}, {"en": " ", "ru": ""}, True),
        ({"en": "x", "ru": "half"}, {"en": "x", "ru": ""}, True),
        ({"en": "x" * 201, "ru": ""}, {"en": "x", "ru": ""}, True),
        (ENGLISH, TEXT, False),
    ],
)
def test_what_says_nothing_or_goes_to_nobody_is_refused(
    toy: Toy, title: dict[str, str], text: dict[str, str], public: bool
) -> None:
    with pytest.raises(AnnouncementRefused):
        make(toy, title, text, public=public)
    assert not log(toy, "announcement")


def test_a_question_is_answered_for_one_and_then_for_all(toy: Toy) -> None:
    asker = captain(toy, "a")
    number = ask(toy, asker, "  May we use Wiktionary?  ")
    done = answer(toy, number, "Yes.", public=False)
    assert [each.user_id for each in done.addressees] == [asker]
    assert said(toy) == []
    with toy.database.reading() as session:
        assert questions.answered_for_all(session, toy.spec) == ()
        (mine,) = questions.of_person(session, toy.spec, asker)
        assert (mine.answer, mine.person, mine.team) == ("Yes.", "", "")
    answer(toy, number, "Yes, everybody.", public=True)
    answer(toy, number, "Yes, all of you.", public=True)
    assert said(toy) == [("answer", "May we use Wiktionary?", "Yes, all of you.")]
    with toy.database.reading() as session:
        (shown,) = questions.answered_for_all(session, toy.spec)
        kept = personal_data.of_person(session, asker)["questions asked"]
    assert (shown.person, shown.email, shown.team) == ("", "", "")
    assert [entry["question"] for entry in kept] == ["May we use Wiktionary?"]
    entries = log(toy, "question")
    assert [entry.action for entry in entries] == [
        "question.answered",
        "question.answer_changed",
        "question.answer_changed",
    ]
    assert entries[1].before == {"answer": "Yes.", "public": False}


def test_taking_a_public_answer_back_takes_it_out_of_the_news(toy: Toy) -> None:
    number = ask(toy, person(toy), "Why?")
    answer(toy, number, "Because.", public=True)
    answer(toy, number, "Because.", public=False)
    assert said(toy) == []


def test_unanswered_questions_come_first_the_oldest_at_the_head(toy: Toy) -> None:
    asker = captain(toy, "a")
    first, second, third = (ask(toy, asker, text) for text in ("1", "2", "3"))
    answer(toy, first, "done", public=False)
    with toy.database.reading() as session:
        listed = questions.for_organisers(session, toy.spec)
        assert questions.waiting(session, toy.spec) == 2
        assert questions.one(session, toy.spec, second).team == "a"
        with pytest.raises(UnknownQuestion):
            questions.one(session, toy.spec, third + 1)
    assert [each.number for each in listed] == [second, third, first]


def test_nobody_floods_the_organisers(toy: Toy) -> None:
    asker = person(toy)
    for number in range(questions.MOST_OPEN):
        last = ask(toy, asker, f"question {number}")
    with pytest.raises(TooManyQuestions):
        ask(toy, asker, "one more")
    answer(toy, last, "enough", public=False)
    ask(toy, asker, "one more")
    ask(toy, person(toy), "another person's")
    for text in ("", " \n", "x" * (questions.LONGEST + 1)):
        with pytest.raises(QuestionRefused):
            ask(toy, person(toy), text)
