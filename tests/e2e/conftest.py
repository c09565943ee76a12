"""Pages in a real browser: Debian's Chromium against a server in a thread of this process.

Its headless shell is taken where it is there: the same engine without the parts that nobody looks at, for
less than half of the time.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect, sync_playwright
from werkzeug.serving import make_server

from tests.web.installation import NOON, Installation

WORDS = ("Ладога", "Onega", "Ангара", "Yenisei", "مجموعة", "Vychegda", "Институт русского языка", "Baikal")
TEAMS = 50


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium. Without one the test is skipped, or fails where services are required."""
    chromium = (
        os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    )
    if chromium is None:
        reason = "no Chromium here (apt-get install chromium-headless-shell; CHROMIUM names another)"
        if os.environ.get("LEADERBOARD_REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
    # The browser shall speak to the pages alone, and not to its maker.
    arguments += ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
    # A page is given time on a busy machine; a test that passes does not wait.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield started
        started.close()


def serve(installation: Installation) -> Iterator[str]:
    """The address of a server for the installation, until the test is over."""
    yield from serve_app(installation.app())


def serve_app(app: Flask) -> Iterator[str]:
    """The address of a server for the application, until the test is over."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def pages(browser: Browser, tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[str]:
    """RUSSE and CAsT with the runs of their samples, MJ published, and lines of every kind on the boards."""
    made = Installation.make(tmp_path_factory.mktemp("pages"), tasks_folder)
    for task in ("russe", "cast"):
        made.install(task)
        made.enter_samples(task)
    long = "Institute for the Study of Very Long Names of Teams, Department of Semantics, Group 7B"
    made.submit("russe", "thesaurus.csv", "مجموعة القدس", name="a tie")
    made.submit("russe", "associations.csv", long, name="x" * 100)
    made.submit("russe", "edit_similarity.csv", "<b>&amp;</b>", kind="contrastive", description="a\nb")
    made.change("russe", made.submit("russe", "random.csv", "Слишком поздно"), late=True)
    barred = made.submit("russe", "embeddings.csv", "Disqualified")
    made.change("russe", barred, disqualified_at=NOON, disqualified_for="It was made from the benchmark.")
    for task in ("russe", "cast"):
        made.analyse(task)
    made.build_mj(publish=True)
    yield from serve(made)
    made.site.close()


@pytest.fixture(scope="session")
def fifty_teams(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path
) -> Iterator[str]:
    """RUSSE with fifty teams, whose names need every letter we ship."""
    made = Installation.make(tmp_path_factory.mktemp("fifty"), tasks_folder)
    made.install("russe")
    made.submit_for_many("russe", TEAMS, WORDS, "Прогон run")
    yield from serve(made)
    made.site.close()
