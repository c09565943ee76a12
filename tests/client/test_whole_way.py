"""A participant's way from a token to a place: through the API alone, and through the client alone."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from leaderboard.cli import main
from leaderboard.config import Settings
from leaderboard.services import consumers, queue, scoring_jobs
from leaderboard.site import utc_now
from leaderboard.store.models import Run
from tests.web.api.scripts import person, sample, team, token
from tests.web.installation import Installation
from tests.web.members import Clock

FAULTY = "word1,word2,sim\nкот,пёс,much\nкот,кит,0.5\n"


@pytest.fixture
def secret(installation: Installation) -> str:
    """The token of somebody who has a team in both tasks."""
    ann = person(installation.site)
    for task in ("russe", "cast"):
        team(installation.site, ann, task, "Foxes")
    return token(installation.site, ann)


def ask(
    method: str,
    address: str,
    secret: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Any]:
    """What any program in any language would do."""
    request = urllib.request.Request(address, data=body, method=method, headers=dict(headers or {}))
    request.add_header("Authorization", f"Bearer {secret}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_through_the_api_alone(url: str, secret: str, clock: Clock) -> None:
    root = f"{url}/api/v1/tasks"
    octets = {"Content-Type": "application/octet-stream"}
    status, report = ask("POST", f"{root}/russe/check", secret, FAULTY.encode(), octets)
    assert (status, report["accepted"]) == (200, False)
    assert report["faults"][0]["line"] == 2
    for task, track, file in (("russe", "hj", "embeddings.csv"), ("cast", "graded", "bm25_raw.run")):
        body = sample(task, file).read_bytes()
        status, sent = ask("POST", f"{root}/{task}/runs", secret, body, octets)
        assert status == 201
        status, run = ask("GET", f"{root}/{task}/runs/{sent['run']['id']}", secret)
        assert (status, run["state"]) == (200, "scored")
        assert {result["place"] for result in run["results"]} == {1}
        status, board = ask("GET", f"{root}/{task}/standings?track={track}", secret)
        assert [(row["place"], row["team"], row["run"]) for row in board["items"]] == [
            (1, "Foxes", run["id"])
        ]
    ask("POST", f"{root}/russe/runs", secret, sample("russe", "random.csv").read_bytes(), octets)
    status, problem = ask(
        "POST", f"{root}/russe/runs", secret, sample("russe", "thesaurus.csv").read_bytes(), octets
    )
    assert (status, problem["next_slot"]) == (429, "2026-03-03T00:00:00Z")
    clock.move(days=4)
    status, late = ask(
        "POST", f"{root}/russe/runs", secret, sample("russe", "thesaurus.csv").read_bytes(), octets
    )
    assert (status, late["run"]["late"]) == (201, True)


@dataclass
class Participant:
    """A person with the client on a machine of their own."""

    url: str
    secret: str
    settings: Settings

    def run(self, *arguments: object) -> Result:
        environment = {"LEADERBOARD_TOKEN": self.secret, "LEADERBOARD_SERVER": self.url}
        return CliRunner().invoke(
            main, ["client", *map(str, arguments)], obj=self.settings, env=environment, catch_exceptions=False
        )

    def done(self, *arguments: object) -> str:
        result = self.run(*arguments)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *arguments: object) -> str:
        result = self.run(*arguments)
        assert result.exit_code == 1, result.output
        return result.stderr


@pytest.fixture
def ann(url: str, secret: str, tmp_path: Path) -> Participant:
    return Participant(url, secret, Settings(data=tmp_path / "ann"))


def test_through_the_client_alone(ann: Participant, clock: Clock, tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.csv"
    faulty.write_text(FAULTY)
    assert f"{faulty}:2:9: " in ann.refused("submit", "russe", faulty)
    # The check of the server says the same.
    assert f"{faulty}:2:9: " in ann.refused("submit", "russe", faulty, "--no-check")
    printed = ann.done("submit", "russe", sample("russe", "embeddings.csv"), "--name", "Vectors")
    assert 'run 2: "Vectors"' in printed
    assert printed.count("place 1 of 1") == 3
    printed = ann.done("submit", "cast", sample("cast", "bm25_raw.run"), "--manner", "automatic")
    assert printed.count("place 1 of 1") == 4
    assert "(ranks this track)" in printed
    board = ann.done("board", "cast", "--track", "graded")
    assert "graded nDCG@3" in board
    assert "Foxes" in board
    ann.done("submit", "russe", sample("russe", "random.csv"), "--contrastive")
    said = ann.refused("submit", "russe", sample("russe", "thesaurus.csv"))
    assert "The next slot opens at 2026-03-03 00:00 UTC." in said
    # A file that was sent before costs nothing, also without a slot.
    assert "very file before" in ann.run("submit", "russe", sample("russe", "embeddings.csv")).stderr
    listed = ann.done("runs", "russe").splitlines()
    assert [line.split()[4] for line in listed[1:]] == ["ordinary", "ordinary", "contrastive"]
    clock.move(days=4)
    late = ann.done("submit", "russe", sample("russe", "thesaurus.csv"))
    assert "The phase had closed by then" in late
    assert "It would have place" in late
    assert "Vectors" in ann.done("runs", "russe", 2)


def test_a_run_that_waits_is_printed_with_its_place_in_the_queue(
    ann: Participant, installation: Installation
) -> None:
    run = json.loads(ann.done("submit", "russe", sample("russe", "embeddings.csv"), "--json"))
    with installation.site.database.writing() as session:
        session.get_one(Run, run["id"]).state = "received"
        job_id = scoring_jobs.request(session, "russe", run["id"], utc_now())
    printed = ann.done("runs", "russe", run["id"])
    assert "It is number 1 in the queue at most." in printed
    assert "Nobody scores at the moment; nothing is lost." in printed
    with installation.site.database.writing() as session:
        consumers.arrive(session, "here", 1, 1, utc_now())
    assert "Judging by the last runs, it takes about" in ann.done("runs", "russe", run["id"])
    with installation.site.database.writing() as session:
        assert queue.take(session, job_id, utc_now()) is not None
    assert "It is being scored now." in ann.done("runs", "russe", run["id"])


def test_public_files_are_brought_once(ann: Participant, tmp_path: Path) -> None:
    folder = tmp_path / "here"
    first = ann.done("inputs", "russe", "--to", folder)
    assert "pairs.csv: brought" in first
    assert "pairs.csv: is here already" in ann.done("inputs", "russe", "--to", folder)
    (folder / "pairs.csv").write_text("broken")
    assert "pairs.csv: brought" in ann.done("inputs", "russe", "--to", folder)
    assert not list(folder.glob(".incoming-*"))


def test_json_has_what_the_server_said(ann: Participant) -> None:
    run = json.loads(ann.done("submit", "russe", sample("russe", "embeddings.csv"), "--json"))
    assert json.loads(ann.done("runs", "russe", run["id"], "--json")) == run
    board = json.loads(ann.done("board", "russe", "--track", "rt", "--json"))
    assert board["items"][0]["value"] == next(
        result["values"]["AveP"] for result in run["results"] if result["track"] == "rt"
    )


def test_without_a_token_one_is_told_where_to_get_it(ann: Participant) -> None:
    ann.secret = ""
    result = ann.run("runs", "russe")
    assert result.exit_code == 2
    assert "page of your account" in result.output
    assert "Nobody has a place" in ann.done("board", "russe", "--track", "hj")


def test_a_token_that_does_not_work_and_a_server_that_is_none(ann: Participant, tmp_path: Path) -> None:
    ann.secret = "leaderboard_wrong"
    assert "unknown, expired or revoked" in ann.refused("runs", "russe")
    ann.url = "http://127.0.0.1:1"
    assert "There is no answer from http://127.0.0.1:1: Connection refused" in " ".join(
        ann.refused("runs", "russe").replace("[Errno 111] ", "").split()
    )
    ann.url = "ftp://example.org"
    assert "begins with https://" in ann.refused("runs", "russe")


def test_what_a_stranger_wrote_does_not_steer_the_terminal(
    ann: Participant, installation: Installation
) -> None:
    other = person(installation.site)
    team(installation.site, other, "russe", "Bears")
    bear = Participant(ann.url, token(installation.site, other), ann.settings)
    evil = sample("russe", "embeddings.csv")
    bear.done("submit", "russe", evil, "--description", "\x1b[2J")
    assert "\x1b" not in ann.done("board", "russe", "--track", "hj")
