"""The page where organisers see what looks like probing."""

from __future__ import annotations

import json

from click.testing import CliRunner
from sqlalchemy import select

from leaderboard.cli import main
from leaderboard.store.models import AuditEntry, ProbingFinding
from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser


def test_an_organiser_sees_what_was_found_and_notes_that_it_was_looked_at(own: Installation) -> None:
    for team in ("Foxes", "<b>Bears"):
        own.submit("russe", "embeddings.csv", team)
    olga = Organiser(app_of(own))
    site = site_of(olga.app)
    assert "Nothing has been looked at yet" in olga.open(olga.at("probing"))
    assert "look again in a minute" in olga.send(olga.at("probing/again"))
    assert "being brought up to date" in olga.open(olga.at("probing"))
    assert site.jobs.drain() == 1
    page = olga.open(olga.at("probing"))
    assert "1 finding to look at" in page
    assert "sent the same file, byte for byte" in page
    assert "<b>Bears" not in page
    assert "&lt;b&gt;Bears" in page
    with site.database.reading() as session:
        number = session.scalars(select(ProbingFinding.id)).one()
    page = olga.send(olga.at(f"probing/{number}/look"), note="<i>asked")
    assert "Noted. It stands in the log." in page
    assert "&lt;i&gt;asked" in page
    assert "0 findings to look at" in page
    assert "1 finding to look at" in olga.send(olga.at(f"probing/{number}/open"))
    with site.database.reading() as session:
        actions = session.scalars(select(AuditEntry.action).where(AuditEntry.subject_kind == "finding")).all()
    assert actions == ["probing.looked_at", "probing.opened_again"]
    assert "looked at what was found" in olga.open(olga.at("log"))
    document = json.loads(olga.open(olga.at("probing/findings.json")))
    assert [(each["kind"], each["strength"]) for each in document["findings"]] == [("same files", "strong")]
    assert document["up_to_date"] is True


def test_the_command_prints_what_is_stored_and_makes_it_anew(own: Installation) -> None:
    for team in ("Foxes", "Bears"):
        own.submit("russe", "embeddings.csv", team)
    app_of(own)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, ["probing", "russe", *arguments], obj=own.settings)
        assert result.exit_code == 0, result.output
        return result.output

    assert "No report has been made yet" in run()
    printed = run("--again")
    assert "2 runs of 2 teams" in printed
    assert "1. The same file from two teams (strong, to be looked at)" in printed
    assert json.loads(run("--json"))["findings"][0]["runs_not_named"] == 0
