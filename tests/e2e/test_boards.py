"""A ranking in a real browser: toggles, phases, columns; with and without scripts, and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect
from sqlalchemy import update

from leaderboard.store.models import Team
from tests.e2e.conftest import serve
from tests.e2e.looks import faults_at_every_size
from tests.e2e.test_pages import opened, watch
from tests.web.phased import evaluated

pytestmark = pytest.mark.browser

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
BOARD = "/tasks/russe/board?track=hj"
STATES = {
    "evaluation": BOARD,
    "with late lines": f"{BOARD}&show=baseline,contrastive,late,reference",
    "bare": f"{BOARD}&show=none",
    "post-evaluation": f"{BOARD}&stage=post-evaluation",
    "sorted": f"{BOARD}&sort=rt&order=asc",
}


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[str]:
    """RUSSE with a closed evaluation, a line of every kind, and a team under its alias."""
    made = evaluated(tmp_path_factory.mktemp("ranked"), tasks_folder, "russe")
    runs = {"thesaurus": "Angara", "associations": "Onega", "char_trigrams": "Hidden", "constant": "Ladoga"}
    for hour, (run, team) in enumerate(runs.items()):
        made.submit("russe", f"{run}.csv", team, name=run, submitted_at=MORNING + timedelta(hours=hour))
    for run, kind in {"random": "baseline", "edit_similarity": "contrastive"}.items():
        made.submit("russe", f"{run}.csv", "Onega", name=run, kind=kind, submitted_at=MORNING)
    made.submit("russe", "embeddings.csv", "Baikal", name="too late", submitted_at=MORNING.replace(day=8))
    with made.site.database.writing() as session:
        session.execute(update(Team).where(Team.name == "Hidden").values(alias="Mister X"))
    yield from serve(made)
    made.site.close()


def names(page: Page) -> list[str]:
    return page.locator(".ranking tbody .run").all_inner_texts()


def toggle(page: Page, words: str) -> Locator:
    return page.get_by_role("link", name=re.compile(f"^{words}"))


def test_every_state_can_be_used_by_everybody(browser: Browser, site: str) -> None:
    with opened(browser, "phone", "light") as page:
        complaints, foreign = watch(page, site)
        for state in STATES.values():
            page.goto(site + state)
            page.locator(".cite summary").click()
            assert faults_at_every_size(page) == []
        assert (complaints, foreign) == ([], [])


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_lines_are_left_out_and_late_runs_looked_at(browser: Browser, site: str, script: bool) -> None:
    with opened(browser, "wide", "light", java_script_enabled=script) as page:
        page.goto(site + BOARD)
        assert "random" in names(page)
        toggle(page, "Baselines").click()
        expect(page.locator(".ranking .run", has_text="random")).to_have_count(0)
        assert "show=contrastive,reference" in page.url.replace("%2C", ",")
        toggle(page, "Late runs").click()
        expect(page.locator(".ranking .run", has_text="too late")).to_have_count(1)
        page.get_by_role("columnheader", name="AE AveP").get_by_role("link").click()
        expect(page.get_by_role("columnheader", name="AE AveP")).to_have_attribute("aria-sort", "descending")
        assert "random" not in names(page)
        page.get_by_role("link", name="with late runs").click()
        late = page.locator(".ranking tbody tr", has_text="too late")
        expect(late.locator(".place")).to_have_text("1")
        page.go_back()
        expect(page.get_by_role("columnheader", name="AE AveP")).to_have_attribute("aria-sort", "descending")
        expect(page.get_by_text("ranked here too")).to_have_count(0)


def test_the_keyboard_stays_on_what_it_pressed(browser: Browser, site: str) -> None:
    with opened(browser, "wide", "light") as page:
        page.goto(site + BOARD)
        for _ in range(60):
            page.keyboard.press("Tab")
            if (page.evaluate("document.activeElement.textContent") or "").startswith("Baselines"):
                break
        page.keyboard.press("Enter")
        expect(page.locator(".ranking .run", has_text="random")).to_have_count(0)
        assert "left out; show them" in page.evaluate("document.activeElement.textContent")
        page.keyboard.press("Enter")
        expect(page.locator(".ranking .run", has_text="random")).to_have_count(1)
        for _ in range(30):
            page.keyboard.press("Tab")
            if (page.evaluate("document.activeElement.textContent") or "").startswith("RT"):
                break
        page.keyboard.press("Enter")
        expect(page.get_by_role("columnheader", name="RT AveP")).to_have_attribute("aria-sort", "descending")


def test_every_link_of_a_board_is_reached_by_the_keyboard(browser: Browser, site: str) -> None:
    with opened(browser, "wide", "light") as page:
        page.goto(site + BOARD)
        wanted = page.locator("main a, main summary, main button:visible").count()
        reached = set()
        for _ in range(wanted + 40):
            page.keyboard.press("Tab")
            reached.add(
                page.evaluate(
                    "[...document.querySelectorAll('main a, main summary, main button')]"
                    ".indexOf(document.activeElement)"
                )
            )
        assert (
            len(reached - {-1}) == page.locator("main a:visible, main summary, main button:visible").count()
        )


def test_the_board_that_was_sorted_in_place_is_the_one_at_that_address(browser: Browser, site: str) -> None:
    with opened(browser, "wide", "light") as page:
        page.goto(site + BOARD)
        page.evaluate("window.stayed = true")
        page.get_by_role("columnheader", name="AE AveP").get_by_role("link").click()
        expect(page.get_by_role("columnheader", name="AE AveP")).to_have_attribute("aria-sort", "descending")
        assert page.evaluate("window.stayed")
        shown = names(page)
        russian = page.get_by_role("link", name="Русский").get_attribute("href")
        assert russian
        assert "sort=ae" in russian
        page.reload()
        assert names(page) == shown
        assert page.evaluate("window.stayed") is None


def test_the_bibtex_is_copied(browser: Browser, site: str) -> None:
    with opened(browser, "wide", "light", permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(site + BOARD)
        page.locator(".cite summary").click()
        page.get_by_role("button", name="Copy the BibTeX").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("@inproceedings{panchenko2015russe,")


def test_a_board_of_fifty_teams_is_whole_and_light_without_scripts(
    browser: Browser, fifty_teams: str
) -> None:
    with opened(browser, "phone", "light", java_script_enabled=False) as page:
        loaded: list[Request] = []

        def keep(request: Request) -> None:
            loaded.append(request)

        page.on("requestfinished", keep)
        page.goto(f"{fifty_teams}/tasks/russe/board?track=hj")
        assert page.locator("tbody tr").count() == 50
        sizes = [request.sizes() for request in loaded]
        weight = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)
        assert 0 < weight <= 150_000
