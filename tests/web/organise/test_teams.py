"""The pages where organisers see the teams, submit for them, and write to them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.organisers import Organiser


def sent(content: bytes, name: str) -> Any:
    """A file as a form sends it."""
    return BytesIO(content), name


def test_an_organiser_writes_to_a_team_deletes_it_and_brings_it_back(own: Installation) -> None:
    app = app_of(own)
    mary, olga = Member(app, "mary", "Foxes"), Organiser(app)
    assert "Foxes" in olga.open(olga.at("teams"))
    address = olga.at("teams/1")
    olga.open(address)
    assert "A letter has a subject" in olga.send(f"{address}/letter", subject="", letter="x")
    assert "goes to 1 person" in olga.send(f"{address}/letter", subject="Your run", letter="Is <it> yours?")
    letter = next(each for each in olga.letters() if "Your run" in each["Subject"])
    assert letter["To"] == "mary@example.org"
    assert "Is <it> yours?" in letter.get_content()
    assert "The team is deleted." in olga.send(f"{address}/delete", reason="by mistake")
    assert "Foxes" not in mary.open("/tasks/russe/team")
    assert "The team is back." in olga.send(f"{address}/undelete")
    assert "Foxes" in mary.open("/tasks/russe/team")
    log = olga.open(olga.at("log?kind=team"))
    assert log.count("by mistake") == 1
    assert "deleted the team <bdi>Foxes</bdi>" in log
    assert "team.written_to" in olga.client.get(olga.at("log/log.jsonl"), buffered=True).text


def test_an_organiser_joins_two_teams(own: Installation) -> None:
    app = app_of(own)
    mary, olga = Member(app, "mary", "Foxes"), Organiser(app)
    Member(app, "hugo", "Hosts")
    address = olga.at("teams/1")
    olga.open(address)
    assert "tick that you are sure" in olga.send(f"{address}/merge", target="2")
    opened = olga.last
    page = olga.send(f"{address}/merge", target="2", sure="y")
    assert "The two teams are one now." in page
    olga.last = opened
    page = olga.send(f"{address}/merge", target="2", sure="y")
    assert olga.last.status_code == 200
    assert "There is no such team, or not any more." in page
    assert "Hosts" in mary.open("/tasks/russe/team")
    assert "joined to" in olga.open(olga.at("teams"))
    assert olga.client.get(olga.at("teams/99")).status_code == 404


def test_an_organiser_submits_for_a_team(own: Installation) -> None:
    app = app_of(own)
    Member(app, "mary", "Foxes")
    olga = Organiser(app)
    address = olga.at("submit")
    olga.open(f"{address}?team=1")
    filled = {"team": "1", "kind": "baseline", "manner": "", "submitted_at": "2026-03-10T11:00"}
    bad = olga.send(address, file=sent(b"not a run", "bad.csv"), **filled)
    assert "fault" in bad
    run = (own.spec("russe").folder / "sample/runs/word_length.csv").read_bytes()
    page = olga.send(address, file=sent(run, "own.csv"), **filled)
    assert "The file is accepted." in page
    assert "10 Mar 2026, 11:00 UTC" in page
    assert "submitted the run" in page


def test_an_organiser_imports_published_results_or_reads_every_fault(own: Installation) -> None:
    olga = Organiser(app_of(own))
    address = olga.at("references")
    olga.open(address)
    bad = olga.send(address, file=sent(b"run,map\nx,0.1\ny\n", "p.csv"), source="RUSSE 2015", track="")
    assert "The line has 1 fields" in bad
    assert olga.last.status_code == 422
    page = olga.send(address, file=sent(b"run,map\nx,0.1\ny,0.2\n", "p.csv"), source="RUSSE 2015", track="")
    assert "2 published results are imported." in page
    page = olga.send(f"{address}/remove", source="RUSSE 2015")
    assert "are removed" in page
    assert "None yet." in page
