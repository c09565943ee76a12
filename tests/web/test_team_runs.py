"""The pages of a team's own runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask

from leaderboard.contract import say
from leaderboard.services import boards
from leaderboard.store.models import Run
from tests.web.installation import Installation
from tests.web.members import Clock, Member, app_of
from tests.web.phased import PHASE, evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
REVEALING = PHASE.replace('"board"]', '"board", "per-topic"]').replace(
    "runs_per_day = 2", "runs_per_day = 20"
)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(MORNING).install(monkeypatch)


@pytest.fixture
def installation(tmp_path: Path, tasks_folder: Path, clock: Clock) -> Iterator[Installation]:
    made = evaluated(tmp_path, tasks_folder, "cast", phase=REVEALING)
    yield made
    made.site.close()


@pytest.fixture
def app(installation: Installation) -> Flask:
    return app_of(installation)


@pytest.fixture
def ann(app: Flask) -> Member:
    return Member(app, "ann", "Foxes", "cast")


def send(installation: Installation, member: Member, sample: str, **values: str) -> int:
    member.submit(installation.spec("cast").folder / "sample" / "runs" / f"{sample}.run", **values)
    return member.run


def counted(installation: Installation) -> dict[int | None, int | None]:
    with installation.site.database.reading() as session:
        rows = boards.board(session, installation.spec("cast"), "graded", "evaluation").rows
    return {row.run_id: row.place for row in rows}


def address(run: int, more: str = "") -> str:
    return f"/tasks/cast/team/runs/{run}{more}"


def test_a_run_stands_beside_the_field(installation: Installation, app: Flask, ann: Member) -> None:
    best = send(installation, ann, "bm25_resolved")
    bob = Member(app, "bob", "Bears", "cast")
    mine = send(installation, bob, "random")
    page = bob.open(address(mine))
    assert re.search(r"place\s+<strong>2</strong> of 2 teams", page)
    assert "best of 2 counted runs" in page
    assert "their median" in page
    page = ann.open(address(best))
    assert "this one" in page


def test_a_run_that_does_not_count_has_the_place_it_would_have(
    installation: Installation, ann: Member
) -> None:
    send(installation, ann, "bm25_resolved")
    page = ann.open(address(send(installation, ann, "random", kind="contrastive")))
    assert re.search(r"would have place\s+<strong>1</strong> of 1 team", page)
    assert "for comparison" in page


def test_a_plot_is_on_the_page_and_in_files(installation: Installation, ann: Member) -> None:
    run = send(installation, ann, "bm25_raw", name="BM25 & <raw>")
    page = ann.open(address(run, "?track=combined"))
    assert page.count('role="img"') == 2
    assert "BM25 &amp; &lt;raw&gt;" in page
    assert not re.search(r"<svg[^>]*>(?:(?!</svg>).)*style=", page, re.DOTALL)
    answers = {
        ending: ann.client.get(address(run, f"/topics.{ending}?track=graded&measure=AP"))
        for ending in ("svg", "pdf", "csv")
    }
    assert {answer.status_code for answer in answers.values()} == {200}
    assert answers["pdf"].data.startswith(b"%PDF")
    assert b"BM25 &amp; &lt;raw&gt;" in answers["svg"].data
    rows = list(csv.reader(io.StringIO(answers["csv"].text)))
    assert len(rows) == 1 + 39
    shown = ann.open(address(run, "?track=graded&measure=AP"))
    assert f">{float(rows[1][2]):.4f}<" in shown


@pytest.mark.parametrize(
    "more", ["?track=none", "?measure=none", "/topics.png", "/compare?with=x", "/compare/99"]
)
def test_what_is_not_there_is_not_found(installation: Installation, ann: Member, more: str) -> None:
    run = send(installation, ann, "bm25_raw")
    assert ann.client.get(address(run, more)).status_code == 404


def test_two_runs_are_compared(installation: Installation, ann: Member) -> None:
    first, second = send(installation, ann, "bm25_raw"), send(installation, ann, "bm25_resolved")
    page = ann.open(address(first, f"/compare?with={second}"))
    assert ann.last.request.path == address(first, f"/compare/{second}")
    assert "bm25_raw minus bm25_resolved" in page
    assert "difference of nDCG@3" in page
    assert ann.client.get(address(first, f"/compare/{second}/topics.pdf")).data.startswith(b"%PDF")


def test_withdrawing_and_restoring_move_the_ranking(installation: Installation, ann: Member) -> None:
    worse, better = send(installation, ann, "random"), send(installation, ann, "bm25_resolved")
    assert counted(installation) == {better: 1}
    assert "You can restore it" in ann.act(better, "withdraw")
    assert counted(installation) == {worse: 1}
    ann.act(better, "restore")
    assert counted(installation) == {better: 1}
    ann.act(better, "set-aside")
    assert counted(installation) == {worse: 1, better: None}
    ann.act(better, "count")
    assert counted(installation) == {better: 1}


def test_after_the_closing_nothing_of_it_can_be_changed(
    installation: Installation, ann: Member, clock: Clock
) -> None:
    run = send(installation, ann, "bm25_raw")
    ann.open(address(run))
    form = next(form for form in ann.forms() if form.action.endswith("/withdraw"))
    clock.move(days=3, hours=3)
    answer = ann.client.post(form.action, data=form.values, follow_redirects=True)
    assert "The phase closed at <bdi>2026-03-05 12:00 UTC</bdi>" in answer.text
    assert "/withdraw" not in answer.text
    assert counted(installation) == {run: 1}


def test_the_words_of_a_run_are_changed(installation: Installation, ann: Member) -> None:
    run = send(installation, ann, "bm25_raw")
    ann.open(address(run, "/edit"))
    page = ann.send(
        address(run, "/edit"), name="BM25", system="sparse", link="https://example.org/", manner="automatic"
    )
    assert "Saved." in page
    assert '<a href="https://example.org/" rel="nofollow noopener noreferrer ugc">' in page
    ann.open(address(run, "/edit"))
    page = ann.send(address(run, "/edit"), name=" ", link="x")
    assert ann.last.status_code == 422
    assert "The run needs a name." in page
    assert "begins with https://" in page


def test_the_file_comes_back_as_it_was_sent(installation: Installation, ann: Member) -> None:
    run = send(installation, ann, "bm25_raw")
    answer = ann.client.get(address(run, "/file"))
    sent = installation.spec("cast").folder / "sample" / "runs" / "bm25_raw.run"
    assert answer.data == sent.read_bytes()
    assert answer.headers["Content-Disposition"] == "attachment; filename=bm25_raw.run"
    assert answer.headers["Content-Type"] == "application/octet-stream"


def test_a_failed_run_is_scored_again(
    installation: Installation, ann: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = send(installation, ann, "bm25_raw")
    with installation.site.database.writing() as session:
        session.get_one(Run, run).state = "failed"
        session.get_one(Run, run).failure = say("The scorer broke on this run.")
        session.get_one(Run, run).failure_detail = "a secret of the gold"
    page = ann.open(address(run))
    assert "We could not score it" in page
    assert "a secret of the gold" not in page
    page = ann.act(run, "score-again")
    assert "waits for its scores" in page
    task = installation.site.jobs.huey.dequeue()
    assert task is not None
    installation.site.jobs.huey.execute(task)
    assert "We could not score it" not in ann.open(address(run))


def test_runs_of_others_and_of_former_teams_are_not_found(
    installation: Installation, app: Flask, ann: Member
) -> None:
    run = send(installation, ann, "bm25_raw")
    other = send(installation, ann, "random")
    bob = Member(app, "bob", "Bears", "cast")
    own = send(installation, bob, "bm25_raw")
    pages = ("", "/edit", "/file", "/topics.svg", f"/compare/{other}")
    for more in pages:
        assert bob.client.get(address(run, more)).status_code == 404
    assert bob.client.get(address(own, f"/compare/{run}")).status_code == 404
    bob.open(address(own))
    token = bob.forms()[-1].values["csrf_token"]
    for action in ("withdraw", "set-aside", "score-again"):
        answer = bob.client.post(address(run, f"/{action}"), data={"csrf_token": token})
        assert answer.status_code == 404
    assert run in counted(installation) or other in counted(installation)
    ann.open("/tasks/cast/team")
    ann.send("/tasks/cast/team/leave")
    for more in pages:
        answer = ann.client.get(address(run, more))
        assert (answer.status_code, answer.headers["Location"]) == (302, "/tasks/cast/team")


def test_the_history_is_filtered_sorted_and_written_as_csv(
    installation: Installation, ann: Member, clock: Clock
) -> None:
    send(installation, ann, "random", name="Z first")
    clock.move(hours=5)
    send(installation, ann, "bm25_resolved", name="A second")
    ann.submit(b"not a run", "x.run", name="Broken")
    page = ann.open("/tasks/cast/team/runs")
    assert page.count('role="img"') == 2
    names = re.compile(r'<th scope="row"><a href="/tasks/cast/team/runs/\d+"><bdi>([^<]*)<')
    assert names.findall(page) == ["Broken", "A second", "Z first"]
    assert names.findall(ann.open("/tasks/cast/team/runs?sort=graded"))[:2] == ["A second", "Z first"]
    assert names.findall(ann.open("/tasks/cast/team/runs?state=rejected")) == ["Broken"]
    assert "No run is like that." in ann.open("/tasks/cast/team/runs?state=withdrawn")
    written = ann.client.get("/tasks/cast/team/runs.csv?state=scored&sort=graded").text
    rows = list(csv.DictReader(io.StringIO(written)))
    assert [row["name"] for row in rows] == ["A second", "Z first"]
    assert float(rows[0]["graded nDCG@3"]) > float(rows[1]["graded nDCG@3"])
    for ending in ("svg", "pdf", "csv"):
        assert ann.client.get(f"/tasks/cast/team/over-time.{ending}?track=best").status_code == 200
    assert ann.client.get("/tasks/cast/team/runs?sort=nothing").status_code == 404
