"""Where a track tells less than exact values, no address and no operation tells more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from leaderboard.services import public_value_settings
from leaderboard.services.audit import SHELL
from leaderboard.site import utc_now
from leaderboard.store.models import EXACT, SHOWN_SPLITS, Score
from tests.web.browser import Browser, site_of
from tests.web.marked import Marked, crawl, texts_of

SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Marked]:
    made = Marked.make(tmp_path_factory.mktemp("told"), tasks_folder)
    yield made
    made.installation.site.close()


@pytest.fixture
def exact(site: Marked) -> Iterator[tuple[str, ...]]:
    """What pages would show as exact values, while RUSSE tells those of a Ladder."""
    declared = site.installation.spec("russe")
    tell(site, dict.fromkeys((track.name for track in declared.tracks), "ladder 0.01"))
    with site_of(site.app).database.reading() as session:
        statement = select(Score.value, Score.split).where(Score.value.is_not(None))
        values = [(f"{value:.4f}", split) for value, split in session.execute(statement)]
    shown = {text for text, split in values if split in SHOWN_SPLITS}
    yield tuple(sorted({text for text, split in values if split == EXACT} - shown))
    tell(site, {})


def tell(site: Marked, rules: dict[str, str]) -> None:
    with site_of(site.app).database.writing() as session:
        parts = (site.installation.spec("russe"), site_of(site.app).scorer(site.installation.spec("russe")))
        assert public_value_settings.change(session, *parts, rules, SHELL, utc_now())


def found_in(values: tuple[str, ...], answer: TestResponse) -> list[str]:
    return [value for value in values if any(value in text for text in texts_of(answer))]


def test_where_a_track_tells_less_nobody_but_organisers_reads_an_exact_value(
    site: Marked, exact: tuple[str, ...]
) -> None:
    assert len(exact) > 6
    told, answered = [], 0
    people = {"nobody": Browser(site.app), "captain": site.carla, "of another team": site.bob}
    for kind in people if SOAK else ("captain",):
        for _, address in site.addresses():
            if ("russe" in address or SOAK) and "/organise/" not in address:
                answer = people[kind].client.get(address, headers=people[kind].headers, buffered=True)
                answered += answer.status_code == 200
                told += [(kind, address, value) for value in found_in(exact, answer)]
    for kind, most in (("nobody", 50), ("captain", 30)):
        for address, answer in crawl(people[kind], "/tasks/russe", most):
            answered += answer.status_code == 200
            told += [(kind, address, value) for value in found_in(exact, answer)]
    script = site.script_of(site.carla)
    for _, address in site.addresses():
        if address.startswith("/api/"):
            answer = script.ask("GET", address)
            answered += answer.status_code == 200
            told += [("script", address, value) for value in found_in(exact, answer)]
    assert told == []
    assert answered > 100
    page = site.olga.open(f"/tasks/russe/organise/runs/{site.run}")
    assert "exact values" in page
    assert [value for value in exact if value in page] != []


def test_what_a_board_tells_it_says_in_words(site: Marked, exact: tuple[str, ...]) -> None:
    for address in ("/tasks/russe/board?track=hj", f"/tasks/russe/runs/{site.run}"):
        assert "move only when" in Browser(site.app).open(address), exact
    assert "does not show exact values any more" in Browser(site.app).open("/tasks/russe")
