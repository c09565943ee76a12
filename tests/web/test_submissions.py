"""Submitting runs through the pages, without JavaScript."""

from __future__ import annotations

import gzip
import re
import tracemalloc
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from flask import Flask

from leaderboard.services import boards, tasks
from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import Clock, Member, app_of
from tests.web.phased import evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
FAULTY = "word1,word2,sim\nдом,изба,0.5\nдом,крыша,much\n".encode()
SUBMIT = "/tasks/russe/submit"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(MORNING).install(monkeypatch)


@pytest.fixture
def installation(tmp_path: Path, tasks_folder: Path, clock: Clock) -> Iterator[Installation]:
    """RUSSE with two runs a day, six in all, closing on 5 March at noon."""
    made = evaluated(tmp_path, tasks_folder, "russe")
    yield made
    made.site.close()


@pytest.fixture
def app(installation: Installation) -> Flask:
    return app_of(installation)


@pytest.fixture
def ann(app: Flask) -> Member:
    return Member(app, "ann", "Foxes")


def sample(installation: Installation, name: str) -> Path:
    return installation.spec("russe").folder / "sample" / "runs" / f"{name}.csv"


def another(installation: Installation, number: int) -> bytes:
    """A run unlike any other: as many as a test wants."""
    content = sample(installation, "embeddings").read_text("utf-8").splitlines()
    last = f"{content[-1].rpartition(',')[0]},0.{number:03}"
    return "\n".join([*content[:-1], last]).encode()


def drafts(installation: Installation) -> list[Path]:
    return list((installation.settings.instance / "files" / "incoming").glob("*"))


def test_a_good_run_leads_to_its_page_with_scores_and_place(installation: Installation, ann: Member) -> None:
    page = ann.submit(sample(installation, "embeddings"), name="Vectors")
    assert ann.last.request.path == f"/tasks/russe/team/runs/{ann.run}"
    assert "The file is accepted." in page
    assert re.search(r"place\s+<strong>1</strong> of 1 team", page)
    assert "Vectors" in page
    with installation.site.database.reading() as session:
        (row,) = boards.board(session, installation.spec("russe"), "hj", "evaluation").rows
    assert (row.team, row.run_id, row.submitted_at) == ("Foxes", ann.run, MORNING)
    assert f"{row.value:.4f}" in page


def test_a_faulty_file_is_told_line_by_line_and_what_was_typed_stays(
    installation: Installation, ann: Member
) -> None:
    page = ann.submit(FAULTY, name="Mine", kind="contrastive", description="by <hand>", system="rules")
    assert ann.last.status_code == 422
    assert "The file has 1 fault" in page
    assert re.search(r'<td class="number">3</td><td class="number">11</td><td>.*much.*is not a number', page)
    assert 'value="Mine"' in page
    assert 'value="rules"' in page
    assert "by &lt;hand&gt;" in page
    assert re.search(r'checked[^>]*value="contrastive"', page)
    assert "2 of 2 left" in page
    assert "2 of 3 left" in page


def test_the_same_faults_stand_on_the_page_of_the_attempt(installation: Installation, ann: Member) -> None:
    ann.submit(FAULTY, "bad.csv", name="Mine")
    ann.submit(sample(installation, "embeddings"), name="Vectors")
    page = ann.open("/tasks/russe/team/runs/1")
    assert "The file has 1 fault" in page
    assert "is not a number" in page
    assert "Compare with" not in page


def test_what_is_hidden_in_a_form_has_no_identity_that_another_has_too(ann: Member) -> None:
    hidden = re.findall(r'<input[^>]*type="hidden"[^>]*>', ann.open(SUBMIT))
    assert hidden
    assert [field for field in hidden if " id=" in field] == []


def test_files_named_as_those_of_the_task_are_offered(ann: Member) -> None:
    offered = re.search(r'type="file"[^>]* accept="([^"]+)"', ann.open(SUBMIT))
    assert offered is not None
    assert {".csv", ".run", ".zip"} <= set(offered.group(1).split(","))


def test_a_full_day_is_refused_until_midnight(installation: Installation, ann: Member, clock: Clock) -> None:
    for number in (1, 2):
        ann.submit(another(installation, number))
        assert ann.last.status_code == 200
    page = ann.submit(another(installation, 3), name="Kept")
    assert ann.last.status_code == 429
    assert ann.last.headers["Retry-After"] == "Tue, 03 Mar 2026 00:00:00 GMT"
    assert "The next slot opens at <bdi>2026-03-03 00:00 UTC</bdi>" in page
    assert "2 Mar 2026, 12:00 AoE" in page
    assert 'value="Kept"' in page
    clock.move(hours=15)
    ann.submit(another(installation, 3))
    assert ann.last.status_code == 200


def test_the_same_file_again_leads_to_the_earlier_run_even_without_a_slot(
    installation: Installation, ann: Member
) -> None:
    for number in (1, 2):
        ann.submit(another(installation, number))
    second = ann.run
    page = ann.submit(another(installation, 2))
    assert ann.run == second
    assert "sent this very file before" in page
    ann.act(second, "withdraw")
    page = ann.submit(another(installation, 2))
    assert "you can restore it" in page
    assert f"/team/runs/{second}/restore" in page


def test_before_the_opening_and_after_the_closing(
    installation: Installation, ann: Member, clock: Clock
) -> None:
    clock.moment = datetime(2026, 2, 28, 23, tzinfo=UTC)
    page = ann.submit(another(installation, 1))
    assert ann.last.status_code == 429
    assert "opens at <bdi>2026-03-01 00:00 UTC</bdi>" in page
    clock.moment = datetime(2026, 3, 5, 12, tzinfo=UTC)
    assert "late runs are scored and listed" in ann.open(SUBMIT)
    page = ann.submit(another(installation, 1))
    assert "It came after the phase had closed" in page
    with installation.site.database.reading() as session:
        (row,) = boards.board(session, installation.spec("russe"), "hj", "evaluation").rows
    assert (row.place, row.late) == (None, True)


def test_a_run_without_gold_waits_and_says_so(tmp_path: Path, tasks_folder: Path) -> None:
    installation = Installation.make(tmp_path, tasks_folder)
    with installation.site.database.writing() as session:
        tasks.install(session, installation.spec("russe"), MORNING)
    ann = Member(app_of(installation), "ann", "Foxes")
    page = ann.submit(sample(installation, "embeddings"))
    assert "waits for its scores" in page
    assert "The task has no benchmark yet; the run is scored as soon as it has one." in page
    assert "data-poll" in page
    installation.install_gold("russe", installation.spec("russe").folder / "sample" / "gold")
    installation.site.close()


def test_a_large_run_is_scored_by_the_queue(
    installation: Installation, ann: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.submissions.SCORED_AT_ONCE", 1000)
    page = ann.submit(another(installation, 1))
    assert "waits for its scores" in page
    assert "no benchmark" not in page
    queue = installation.site.jobs
    task = queue.huey.dequeue()
    assert task is not None
    queue.huey.execute(task)
    page = ann.open(f"/tasks/russe/team/runs/{ann.run}")
    assert "waits for its scores" not in page
    assert re.search(r"place\s+<strong>1</strong>", page)


def test_nothing_is_left_of_what_was_not_kept(installation: Installation, ann: Member) -> None:
    ann.submit(another(installation, 1))
    ann.submit(another(installation, 1))
    ann.submit(FAULTY)
    ann.submit(b"", "empty.csv")
    assert "Choose a file" in ann.last.text
    ann.client.post(SUBMIT, data={"file": (BytesIO(b"x"), "x.csv")})
    ann.submit(another(installation, 2), link="javascript:alert(1)")
    assert 'id="link-fault"' in ann.last.text
    assert drafts(installation) == []


def test_a_file_that_is_too_large_is_refused_with_words(tmp_path: Path, tasks_folder: Path) -> None:
    installation = Installation.make(tmp_path, tasks_folder)
    installation.install("russe")
    object.__setattr__(installation.settings, "max_upload_mb", 1)
    ann = Member(app_of(installation), "ann", "Foxes")
    page = ann.submit(b"x" * 2_100_000)
    assert ann.last.status_code == 413
    assert "A file may have 1 MB" in page
    assert drafts(installation) == []
    installation.site.close()


def test_an_upload_is_never_whole_in_memory(installation: Installation, ann: Member, tmp_path: Path) -> None:
    ann.open(SUBMIT)
    token = next(form for form in ann.forms() if form.action == SUBMIT).values["csrf_token"]
    size = 40_000_000
    head = (
        f'--x\r\nContent-Disposition: form-data; name="csrf_token"\r\n\r\n{token}\r\n'
        '--x\r\nContent-Disposition: form-data; name="kind"\r\n\r\nordinary\r\n'
        '--x\r\nContent-Disposition: form-data; name="link"\r\n\r\nno link\r\n'
        '--x\r\nContent-Disposition: form-data; name="file"; filename="large.csv"\r\n'
        "Content-Type: text/csv\r\n\r\n"
    ).encode()

    sent = tmp_path / "sent"
    with sent.open("wb") as body:
        body.write(head)
        body.writelines(b"x" * 100_000 for _ in range(size // 100_000))
        body.write(b"\r\n--x--\r\n")
    tracemalloc.start()
    with sent.open("rb") as stream:
        answer = ann.client.post(SUBMIT, input_stream=stream, content_type="multipart/form-data; boundary=x")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.status_code == 422
    assert 'id="link-fault"' in answer.text
    assert peak < 12_000_000


def test_a_compressed_file_is_read(installation: Installation, ann: Member) -> None:
    page = ann.submit(gzip.compress(another(installation, 1)), "run.csv.gz")
    assert re.search(r"place\s+<strong>1</strong>", page)


def test_without_our_form_nothing_is_taken(installation: Installation, ann: Member) -> None:
    answer = ann.client.post(SUBMIT, data={"kind": "ordinary", "file": (BytesIO(FAULTY), "x.csv")})
    assert answer.status_code == 400
    assert "Your team has sent no run yet." in ann.open("/tasks/russe/team/runs")


def test_whose_session_has_ended_comes_back_to_the_form_after_signing_in(ann: Member) -> None:
    ann.open(SUBMIT)
    ann.client.delete_cookie("leaderboard")
    ann.headers["Referer"] = f"http://localhost{SUBMIT}"
    ann.send(SUBMIT)
    assert ann.last.request.path == "/sign-in"
    ann.sign_in("ann")
    assert ann.last.request.path == SUBMIT


@pytest.mark.parametrize("address", [SUBMIT, "/tasks/russe/team/runs", "/tasks/russe/team/runs/1"])
def test_who_is_not_signed_in_or_in_no_team_is_led_on(app: Flask, address: str) -> None:
    stranger = Browser(app)
    stranger.open(address)
    assert stranger.last.request.path == "/sign-in"
    stranger.register("bob")
    page = stranger.open(address)
    assert stranger.last.request.path == "/tasks/russe/team"
    assert "Runs belong to a team." in page


def test_a_task_that_is_not_public_takes_nothing(installation: Installation, ann: Member) -> None:
    installation.hide_task("russe")
    assert ann.client.get(SUBMIT).status_code == 404
