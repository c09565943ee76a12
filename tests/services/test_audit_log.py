"""Reading the log: filtered, paged, in words, as files."""

from __future__ import annotations

import csv
import io
import json
from datetime import date, timedelta

import pytest

from leaderboard.services import audit, audit_log
from leaderboard.services.audit import SHELL, SITE, Actor, Change
from leaderboard.services.audit_log import Wanted
from leaderboard.services.tasks import known
from leaderboard.store.session import Database
from tests.services.people import OTHER, SPEC, install, someone
from tests.services.toy import NOON


@pytest.fixture
def filled(database: Database) -> Database:
    install(database)
    olga = Actor(someone(database, "olga"), "web", "192.0.2.7")
    lines = (
        (
            olga,
            SPEC.name,
            Change("run.hidden", "run", 7, "=1+1", {"hidden_at": None}, {"hidden_at": NOON}, "spam"),
        ),
        (SHELL, SPEC.name, Change("team.deleted", "team", 3, "Foxes")),
        (olga, OTHER.name, Change("run.shown", "run", 7, "other")),
        (SITE, None, Change("something.new", "thing", "x", "name")),
    )
    with database.writing() as session:
        for days, (actor, task, change) in enumerate(lines):
            task_id = None if task is None else known(session, task).id
            audit.record(session, actor, task_id, change, NOON + timedelta(days=days))
    return database


def names(database: Database, task: str | None, **wanted: object) -> list[str]:
    with database.reading() as session:
        return [entry.name for entry in audit_log.listing(session, task, Wanted(**wanted)).entries]  # type: ignore[arg-type]


def test_the_log_of_a_task_has_its_own_lines_and_the_sites_has_all(filled: Database) -> None:
    assert names(filled, SPEC.name) == ["Foxes", "=1+1"]
    assert names(filled, None) == ["name", "other", "Foxes", "=1+1"]


def test_lines_are_found_by_person_action_subject_and_day(filled: Database) -> None:
    with filled.reading() as session:
        people = dict(audit_log.listing(session, None, Wanted()).people)
    olga = next(number for number, name in people.items() if name == "Olga")
    first = NOON.date()
    assert names(filled, None, person=olga) == ["other", "=1+1"]
    assert names(filled, None, person=0) == ["name", "Foxes"]
    assert names(filled, None, action="run.hidden") == ["=1+1"]
    assert names(filled, None, kind="team") == ["Foxes"]
    assert names(filled, None, subject="fox") == ["Foxes"]
    assert names(filled, None, subject="7") == ["other", "=1+1"]
    assert names(filled, None, subject="SPAM") == ["=1+1"]
    assert names(filled, None, since=first + timedelta(days=3)) == ["name"]
    assert names(filled, None, until=first) == ["=1+1"]
    assert names(filled, None, since=date(2020, 1, 1), until=date(2020, 1, 2)) == []


def test_every_line_is_a_sentence_also_of_an_action_without_words(filled: Database) -> None:
    with filled.reading() as session:
        entries = audit_log.listing(session, None, Wanted()).entries
    assert [str(entry.sentence) for entry in entries] == [
        "The site itself: something.new, thing name.",
        "Olga showed the run other again.",
        "Somebody at the command line deleted the team Foxes.",
        "Olga hid the run =1+1.",
    ]
    assert entries[3].changes == (("hidden_at", None, NOON),)


def test_the_files_have_all_lines_and_are_safe_for_spreadsheets(
    filled: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "_AT_ONCE", 2)
    with filled.reading() as session:
        written = "".join(audit_log.as_csv(audit_log.every(session, None, Wanted())))
        lines = list(audit_log.as_json_lines(audit_log.every(session, None, Wanted())))
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    documents = [json.loads(line) for line in lines]
    assert [row["name"] for row in rows] == ["name", "other", "Foxes", "'=1+1"]
    assert [document["name"] for document in documents] == ["name", "other", "Foxes", "=1+1"]
    assert documents[3]["after"] == {"hidden_at": NOON.isoformat()}
    assert json.loads(rows[3]["after"]) == {"hidden_at": NOON.isoformat()}


def test_the_log_is_read_a_page_at_a_time(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "PER_PAGE", 3)
    assert names(filled, None, page=2) == ["=1+1"]
    assert names(filled, None, page=99) == ["=1+1"]
