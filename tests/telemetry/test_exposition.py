from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from leaderboard.telemetry import exposition, meters
from leaderboard.telemetry.exposition import Gauge
from tests.conftest import REPOSITORY
from tests.processes import PATIENCE, children_of, free_port, is_there, listens, until

COUNTING = """
import sys
from leaderboard.telemetry import exposition, meters
exposition.start()
for _ in range(int(sys.argv[1])):
    meters.JOBS.add("russe", "score", "done")
    meters.SCORING_SECONDS.took(0.2, "russe", "scored")
if len(sys.argv) > 2:
    sys.stdout.buffer.write(exposition.text())
"""


ANSWERING = """
from leaderboard.telemetry import exposition, meters
exposition.start()

def app(environ, start_response):
    meters.REQUESTS.add("GET", "/", "200")
    start_response("200 OK", [])
    return [exposition.text()]
"""


def counting(folder: Path, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, *map(str, arguments)],
        env={**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_several_processes_of_a_host_are_added_up_also_those_that_ended(tmp_path: Path) -> None:
    counting(tmp_path, 2)
    shown = counting(tmp_path, 3, "show")
    assert 'leaderboard_jobs_total{kind="score",outcome="done",task="russe"} 5.0\n' in shown
    assert 'leaderboard_scoring_seconds_count{outcome="scored",task="russe"} 5.0\n' in shown
    assert 'leaderboard_scoring_seconds_bucket{le="0.25",outcome="scored",task="russe"} 5.0\n' in shown


def test_what_killed_workers_have_counted_is_neither_lost_nor_counted_twice(tmp_path: Path) -> None:
    port, numbers = free_port(), tmp_path / "numbers"
    numbers.mkdir()
    (tmp_path / "answering.py").write_text(ANSWERING)
    gunicorn = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "answering:app", "--workers", "2", "--bind", f"127.0.0.1:{port}"],
        env={**os.environ, exposition.FOLDER: str(numbers), "PYTHONPATH": str(REPOSITORY)},
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
    )

    def asked() -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=PATIENCE) as answer:
            (count,) = re.findall(
                r"^leaderboard_requests_total.* (\d+)", answer.read().decode(), re.MULTILINE
            )
        return int(count)

    try:
        assert until(lambda: listens(port))
        assert [asked() for _ in range(6)] == [1, 2, 3, 4, 5, 6]
        killed = children_of(gunicorn.pid)
        assert len(killed) == 2
        for number in killed:
            os.kill(number, signal.SIGKILL)
        assert until(lambda: not any(is_there(number) for number in killed))
        assert [asked() for _ in range(3)] == [7, 8, 9]
    finally:
        gunicorn.terminate()
        gunicorn.wait(PATIENCE)


def test_a_process_alone_shows_its_own(counted: None) -> None:
    meters.REJECTED.add("toy-of-this-test", "not-a-number")
    line = 'leaderboard_uploads_rejected_total{fault="not-a-number",task="toy-of-this-test"} 1.0\n'
    assert line in exposition.text().decode()


def test_nothing_is_kept_before_somebody_asks_for_it() -> None:
    meters.put_behind(None)
    meters.REJECTED.add("never", "never")
    assert 'task="never"' not in exposition.text().decode()
    meters.put_behind(None)


def test_what_is_so_at_the_moment_stands_beside() -> None:
    gauge = Gauge("leaderboard_consumers", (), "Consumers that live.", {(): 2})
    shown = exposition.text(lambda: [gauge]).decode()
    assert "# TYPE leaderboard_consumers gauge\nleaderboard_consumers 2.0\n" in shown
    meters.put_behind(None)


@pytest.mark.parametrize(
    ("token", "header", "shown"),
    [
        ("word", "Bearer word", True),
        ("word", "bearer word", True),
        ("word", "Bearer other", False),
        ("word", "Basic word", False),
        ("word", "", False),
        ("", "Bearer ", False),
        ("", "", False),
    ],
)
def test_only_who_shows_the_token_is_let_in(token: str, header: str, shown: bool) -> None:
    assert exposition.is_shown(token, header) is shown
