"""Who asks on the page of the team is told by mail that it was overtaken, and no one else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.phased import evaluated

TEAM = "/tasks/russe/team"


@pytest.fixture
def installation(tmp_path: Path, tasks_folder: Path) -> Iterator[Installation]:
    made = evaluated(
        tmp_path,
        tasks_folder,
        "russe",
        phase='[[phases]]\nname = "open"\ntitle.en = "Open"\ntitle.ru = "Да"\n',
    )
    yield made
    made.site.close()


@pytest.fixture
def ann(installation: Installation) -> Member:
    made = Member(app_of(installation), "ann", "Foxes")
    made.submit(sample(installation, "char_trigrams"))
    return made


def sample(installation: Installation, name: str) -> Path:
    return installation.spec("russe").folder / "sample" / "runs" / f"{name}.csv"


def overtake(ann: Member, installation: Installation, name: str = "eve", run: str = "embeddings") -> None:
    Member(ann.app, name, name.title()).submit(sample(installation, run))


def told(ann: Member) -> list[EmailMessage]:
    site_of(ann.app).deliver_letters()
    return [letter for letter in ann.letters() if "overtaken" in letter["Subject"]]


def test_nobody_is_told_who_did_not_ask(ann: Member, installation: Installation) -> None:
    assert "Tell me by mail" in ann.open(TEAM)
    overtake(ann, installation)
    assert told(ann) == []


def test_who_asked_is_told_once(ann: Member, installation: Installation) -> None:
    ann.open(TEAM)
    page = ann.send(f"{TEAM}/notices")
    assert "We will tell you." in page
    assert "You get a letter when" in page
    overtake(ann, installation)
    (letter,) = told(ann)
    assert letter["To"] == "ann@example.org"
    assert "Ahead of you now: Eve." in letter.get_content()
    assert len(told(ann)) == 1


def test_who_has_enough_is_told_no_more(ann: Member, installation: Installation) -> None:
    ann.open(TEAM)
    ann.send(f"{TEAM}/notices")
    ann.open(TEAM)
    page = ann.send(f"{TEAM}/notices/end")
    assert "You get no such letters any more." in page
    overtake(ann, installation)
    assert told(ann) == []


def test_what_waits_to_be_told_is_among_the_personal_data(ann: Member, installation: Installation) -> None:
    ann.open(TEAM)
    ann.send(f"{TEAM}/notices")
    overtake(ann, installation)
    assert "notice" in json.dumps(json.loads(ann.open("/account/data"))).lower()
