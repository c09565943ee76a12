"""A board of fifty teams is light, and whole before any script runs."""

from __future__ import annotations

import re
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from flask.testing import FlaskClient

from tests.web.installation import Installation

TEAMS = 50
MOST = 150_000
ACCEPTED = {"Accept-Encoding": "br, gzip"}


@pytest.fixture(scope="module")
def fifty(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> FlaskClient:
    """RUSSE with fifty teams under two alphabets."""
    made = Installation.make(tmp_path_factory.mktemp("fifty"), tasks_folder)
    made.install("russe")
    made.submit_for_many("russe", TEAMS, ("Ладога", "Onega", "Институт русского языка"), "Прогон")
    return made.app().test_client()


def loads(page: str) -> set[str]:
    """What a browser fetches for a page: styles, scripts, icons, and the fonts that styles name."""
    return set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', page))


@pytest.mark.parametrize("address", ["/tasks/russe/board", "/tasks/russe/board?track=hj"])
def test_a_board_of_fifty_teams_weighs_at_most_150_kb(fifty: FlaskClient, address: str) -> None:
    answer = fifty.get(address, headers=ACCEPTED)
    assert answer.headers["Content-Encoding"] == "br"
    page = brotli.decompress(answer.data).decode()
    assert page.count('<bdi class="name">') == TEAMS
    weight = len(answer.data) + len(str(answer.headers))
    fonts: set[str] = set()
    for asset in loads(page):
        part = fifty.get(asset, headers=ACCEPTED)
        weight += len(part.data) + len(str(part.headers))
        if asset.endswith(".css"):
            style = brotli.decompress(part.data).decode()
            base = asset.rpartition("/css/")[0]
            fonts |= {f"{base}/fonts/{name}" for name in re.findall(r"url\([^)]*?([\w-]+\.woff2)", style)}
    assert fonts
    for font in fonts - loads(page):
        part = fifty.get(font, headers=ACCEPTED)
        assert part.status_code == 200
        weight += len(part.data) + len(str(part.headers))
    assert weight <= MOST, weight


def test_the_whole_board_stands_in_the_page_itself(fifty: FlaskClient) -> None:
    page = fifty.get("/tasks/russe/board?track=hj").text
    for number in range(TEAMS):
        assert f"Прогон {number}<" in page
    # Scripts come last and nothing waits for them.
    assert all("defer" in script for script in re.findall(r"<script[^>]*>", page))
