"""An upload that is cut anywhere leaves no half run, and counts once when it is repeated."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from leaderboard.client import submitting
from leaderboard.client.connection import Broken, Server
from leaderboard.client.submitting import Sending
from tests.client.servers import Line, by_gunicorn
from tests.web.api.scripts import person, sample, team, token
from tests.web.installation import Installation
from tests.web.phased import evaluated

CUTS = 50 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 6
ENDLESS = '[[phases]]\nname = "open"\ntitle.en = "Open"\nreveals = ["own", "board"]\n'
HEAD = 300
"""At least so many bytes has a request before its file."""


@pytest.fixture
def open_task(tmp_path: Path, tasks_folder: Path) -> Iterator[Installation]:
    made = evaluated(tmp_path, tasks_folder, "russe", phase=ENDLESS)
    yield made
    made.site.close()


@pytest.fixture
def secret(open_task: Installation) -> str:
    ann = person(open_task.site)
    team(open_task.site, ann, "russe", "Foxes")
    return token(open_task.site, ann)


def different(folder: Path, number: int) -> Path:
    """A run that nobody has sent before."""
    path = folder / f"run-{number}.csv"
    lines = sample("russe", "random.csv").read_text(encoding="utf-8").splitlines()
    word1, word2, _ = lines[1].split(",")
    path.write_text(
        "\n".join([lines[0], f"{word1},{word2},0.{number + 1}", *lines[2:]]) + "\n", encoding="utf-8"
    )
    return path


def test_a_cut_upload_leaves_no_half_run_and_counts_once(
    open_task: Installation, secret: str, tmp_path: Path
) -> None:
    chance = random.Random(5)
    with by_gunicorn(open_task.settings) as url:
        straight = Server(url, secret)
        line = Line(urlsplit(url).port or 0)
        sent: list[str] = []
        kinds = {"before": 0, "after": 0}
        for number in range(CUTS):
            file = different(tmp_path, number)
            size, digest = file.stat().st_size, hashlib.sha256(file.read_bytes()).hexdigest()
            # Now while the request goes, now while its answer comes; sometimes twice in a row.
            points = [chance.choice((chance.randrange(1, size + HEAD), -chance.randrange(1, 2500)))]
            if chance.random() < 0.3:
                points.append(chance.randrange(1, size + HEAD))
            line.cuts[:] = points
            broken_before = line.broken

            def looked(_seconds: float, digest: str = digest) -> None:
                found = [run["sha256"] for run in straight.every("tasks", "russe", "runs")]
                assert found in (sent, [*sent, digest])
                kinds["after" if digest in found else "before"] += 1

            done = submitting.submit(
                Server(line.url, secret), Sending("russe", file, {}), lambda *_: None, looked
            )
            sent.append(digest)
            assert line.broken == broken_before + len(points)
            assert (done.run["state"], done.run["sha256"], done.run["size"]) == ("scored", digest, size)
        quota = straight.get("tasks", "russe", "quota").document
        assert quota["runs_in_all"] == CUTS
        runs = straight.every("tasks", "russe", "runs")
        assert [(run["sha256"], run["state"]) for run in runs] == [(digest, "scored") for digest in sent]
        # The cuts came both before anything was kept and after all was.
        assert kinds["before"]
        assert kinds["after"]
        line.close()
    kept = open_task.settings.instance / "runs" / "incoming"
    assert [path for path in kept.glob("*") if path.is_file()] == []


def test_a_line_that_stays_broken_is_told(open_task: Installation, secret: str, tmp_path: Path) -> None:
    with by_gunicorn(open_task.settings) as url:
        line = Line(urlsplit(url).port or 0, [100, 100, 100])
        sending = Sending("russe", different(tmp_path, 0), {})
        with pytest.raises(Broken):
            submitting.submit(Server(line.url, secret), sending, lambda *_: None, lambda _: None, attempts=3)
        assert Server(url, secret).every("tasks", "russe", "runs") == []
        line.close()
