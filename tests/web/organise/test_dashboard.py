"""The first page of organisers, the ranking as it is, and what single teams are allowed."""

from __future__ import annotations

import re

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.organisers import Organiser


def test_the_dashboard_says_how_the_task_stands_and_draws_it(own: Installation) -> None:
    own.enter_samples("russe")
    olga = Organiser(app_of(own))
    page = olga.open("/tasks/russe")
    assert 'href="/tasks/russe/organise"' in page
    page = olga.open("/tasks/russe/organise")
    assert re.search(r"<dd>\d+</dd><dt>runs in all</dt>", page)
    assert "Runs over time" in page
    assert page.count("<svg") >= 4
    assert 'data-live="/tasks/russe/organise/now"' in page
    assert "<script>" not in page
    for what in ("runs", "best"):
        olga.open(olga.at(f"over-time/{what}.csv?track=rt"))
        assert olga.last.mimetype == "text/csv"
    olga.open(olga.at("over-time/gold.csv"))
    assert olga.last.status_code == 404


def test_the_part_that_changes_comes_alone_and_is_kept_by_nobody(own: Installation) -> None:
    olga = Organiser(app_of(own))
    part = olga.open(olga.at("now"))
    assert "<html" not in part
    assert "runs today" in part
    assert olga.last.headers["Cache-Control"] == "no-store"


def test_a_frozen_ranking_stands_still_for_readers_and_api_but_not_for_organisers(own: Installation) -> None:
    app = app_of(own)
    own.submit("russe", *sample(own, 0), "first")
    olga, reader = Organiser(app), Browser(app)
    olga.open(olga.at("phases"))
    assert "stands still" in olga.send(olga.at("phases/open/freeze"))
    own.submit("russe", *sample(own, 1), "second")
    public = reader.open("/tasks/russe/board?track=rt")
    assert "The organisers froze this ranking." in public
    assert "second" not in public
    for address in (
        "/tasks/russe/board.csv?track=rt",
        "/api/v1/tasks/russe/standings",
        "/tasks/russe/changes.atom",
        "/",
    ):
        assert "second" not in reader.open(address), address
        assert reader.last.status_code == 200
    live = olga.open(olga.at("board?track=rt"))
    assert "second" in live
    assert "for organisers only" in live
    reader.open(olga.at("board"))
    assert reader.last.request.path == "/sign-in"
    olga.open(olga.at("phases"))
    olga.send(olga.at("phases/open/unfreeze"))
    assert "second" in reader.open("/tasks/russe/board?track=rt")
    assert "second" in reader.open("/tasks/russe/changes.atom")


def sample(own: Installation, number: int) -> tuple[str]:
    files = sorted((own.spec("russe").folder / "sample" / "runs").iterdir())
    return (files[number].name,)


def test_a_team_reads_what_it_alone_is_allowed(own: Installation) -> None:
    app = app_of(own)
    olga, anna = Organiser(app), Member(app, "anna", "Quokkas")
    olga.open(olga.at("phases/open"))
    olga.send(olga.at("phases/open"), title_en="Open", title_ru="", runs_in_all="1", own="y", board="y")
    page = olga.open(olga.at("allowances"))
    assert "Quokkas" in page
    team = re.search(r'<option value="(\d+)"', page)
    assert team is not None
    given = {
        "team": team.group(1),
        "phase": "open",
        "closes_at": "",
        "runs_per_day": "",
        "rejected_per_day": "",
    }
    page = olga.send(olga.at("allowances"), **given, runs_in_all="1", reason="")
    assert "allows every team that much already" in page
    olga.open(olga.at("allowances"))
    page = olga.send(olga.at("allowances"), **given, runs_in_all="7", reason="Their server burnt.")
    assert "The team may do that now" in page
    page = anna.open("/tasks/russe/submit")
    assert "Their server burnt." in page
    assert "7 of 7 left" in page
    olga.open(olga.at("allowances"))
    take = next(form.action for form in olga.forms() if form.action.endswith("/take"))
    assert "The allowance is taken back." in olga.send(take)
    assert "1 of 1 left" in anna.open("/tasks/russe/submit")
