"""A ranking of many teams comes in pages, and a team is found on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select, update

from leaderboard.store.models import Run, Team
from tests.web.installation import NOON, Installation
from tests.web.members import Member
from tests.web.organisers import Organiser
from tests.web.phased import evaluated

BOARD = "/tasks/russe/board?track=hj"
TEAMS = 120


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Installation]:
    """RUSSE with so many teams; one is late, one was hidden, one goes by another name."""
    made = evaluated(tmp_path_factory.mktemp("long"), tasks_folder, "russe")
    made.submit_for_many("russe", TEAMS - 1, ["Angara", "Onega", "Ёлка"], "run")
    with made.site.database.writing() as session:
        run = session.scalars(select(Run).join(Team).where(Team.name == "Onega 5")).one()
        hidden, phase_id = run.id, run.phase_id
        session.execute(update(Team).where(Team.name == "Angara 7").values(alias="Mister X"))
        session.execute(update(Run).where(Run.phase_id == phase_id).values(late=False))
    made.change("russe", hidden, hidden_at=NOON)
    made.submit("russe", "embeddings.csv", "Late 1", name="late")
    yield made
    made.site.close()


@pytest.fixture(scope="module")
def app(installation: Installation) -> Flask:
    return installation.app()


def lines(page: str) -> list[str]:
    found = re.findall(r'<tr role="row" id="line-(\d+)".*?<bdi class="name">(.*?)</bdi>', page, re.DOTALL)
    return [f"{position} {unescape(team)}" for position, team in found]


@pytest.mark.parametrize("order", ["", "&sort=team&order=asc", "&sort=rt&order=desc", "&sort=submitted"])
@pytest.mark.parametrize("shown", ["", "&show=late"])
def test_the_pages_together_are_the_ranking_line_by_line(app: Flask, order: str, shown: str) -> None:
    reader = app.test_client()
    address = f"{BOARD}&per=50{order}{shown}"
    parts = [lines(reader.get(f"{address}&page={number}").text) for number in (1, 2, 3)]
    whole = lines(reader.get(f"{address.replace('per=50', 'per=250')}").text)
    assert [line for part in parts for line in part] == whole
    assert [len(part) for part in parts[:2]] == [50, 50]
    assert len(whole) == TEAMS - 2 + bool(shown)
    assert len(set(whole)) == len(whole)
    assert not any("Onega 5" in line.split(" ", 1)[1:] for line in whole)


def test_a_number_of_lines_that_is_not_offered_is_not_found(app: Flask) -> None:
    assert app.test_client().get(f"{BOARD}&per=7").status_code == 404
    assert app.test_client().get(f"{BOARD}&per=500").status_code == 200


@pytest.mark.parametrize("order", ["", "&sort=team&order=asc", "&sort=ae&order=asc"])
@pytest.mark.parametrize(
    ("typed", "found"), [("angara 100", "Angara 100"), ("ЁЛКА 11", "Ёлка 111"), ("mister", "Mister X")]
)
def test_a_team_is_found_by_its_name_or_a_part_of_it(app: Flask, typed: str, found: str, order: str) -> None:
    reader = app.test_client()
    answer = reader.get(f"{BOARD}&per=50{order}", query_string=None)
    assert "Find a team" in answer.text
    led = reader.get("/tasks/russe/board", query_string=f"track=hj&per=50{order}&find={typed}")
    assert led.status_code == 302
    address, _, anchor = led.headers["Location"].partition("#line-")
    team = next(line for line in lines(reader.get(address).text) if line.startswith(f"{anchor} "))
    assert team.partition(" ")[2].startswith(found.rpartition(" ")[0] if "11" in typed else found)
    assert typed.casefold() in team.casefold()


def test_a_name_that_is_hidden_or_not_there_leads_nowhere(app: Flask) -> None:
    reader = app.test_client()
    for name in ("Angara 7", "Onega 5", "Nobody", "<b>"):
        page = reader.get("/tasks/russe/board", query_string={"track": "hj", "find": name})
        told = page.status_code == 200 and "No team here has" in page.text
        # "Angara 7" is a part of the names of others.
        elsewhere = page.status_code == 302 and name in ("Angara 7", "Onega 5")
        assert told or elsewhere, name
        assert "<b>" not in page.text.partition("No team here has")[2].partition("</p>")[0]


def test_members_are_led_to_the_line_of_their_own_team_and_nobody_else_reads_of_it(
    installation: Installation, app: Flask
) -> None:
    mary = Member(app, "mary", "Owls of the night")
    page = mary.open(f"{BOARD}&per=50")
    assert "Your team's place" in page
    assert "Owls+of+the+night" in page
    assert "Owls" not in app.test_client().get(f"{BOARD}&per=50").text
    assert "No team here has" in mary.open("/tasks/russe/board?track=hj&find=Owls+of+the+night")


def test_organisers_find_teams_on_the_ranking_of_now(app: Flask) -> None:
    olga = Organiser(app, "olga")
    answer = olga.client.get(
        "/tasks/russe/organise/board?track=hj&per=50&find=Angara+100", headers=olga.headers
    )
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/tasks/russe/organise/board?")
