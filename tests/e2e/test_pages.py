"""Every page in a real browser, at phone and wide size, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from tests.e2e.conftest import TEAMS
from tests.e2e.looks import SIZES, faults_at_every_size, faults_of

pytestmark = pytest.mark.browser

WORD = quote("бабушка")
PAGES = {
    "tasks": "/",
    "about": "/about",
    "task": "/tasks/russe",
    "overall board": "/tasks/russe/board",
    "board": "/tasks/russe/board?track=hj",
    "sorted board": "/tasks/russe/board?track=rt&sort=hj&order=asc",
    "board of measures": "/tasks/cast/board?track=graded&columns=measures",
    "run": "/tasks/russe/runs/6",
    "run by topic": "/tasks/cast/runs/14?track=combined",
    "mj": "/tasks/russe/mj",
    "mj of a letter": "/tasks/russe/mj?letter=" + quote("Б"),
    "mj of a word": f"/tasks/russe/mj?word={WORD}",
    "runs compared": "/tasks/russe/compare?a=5&b=6",
    "study": "/tasks/cast/study",
    "api": "/api",
    "not found": "/nothing",
}


@contextmanager
def opened(
    browser: Browser, size: str, scheme: str, language: str = "en-GB", **more: object
) -> Iterator[Page]:
    width, height = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]  # the parameter of a test is a text
        locale=language,
        **more,  # type: ignore[arg-type]
    )
    try:
        yield context.new_page()
    finally:
        context.close()


def watch(page: Page, address: str) -> tuple[list[str], list[str]]:
    """What the console says and where the page loads from; both should hold nothing worth saying."""
    complaints: list[str] = []
    foreign: list[str] = []
    own = urlsplit(address).netloc
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: foreign.append(request.url) if urlsplit(request.url).netloc != own else None,
    )
    return complaints, foreign


@pytest.mark.parametrize("name", list(PAGES))
def test_a_page_opens_without_complaint_and_nothing_from_elsewhere(
    browser: Browser, pages: str, name: str
) -> None:
    with opened(browser, "phone", "light") as page:
        complaints, foreign = watch(page, pages)
        answer = page.goto(pages + PAGES[name])
        assert answer is not None
        assert answer.status == (404 if name == "not found" else 200)
        page.wait_for_load_state("networkidle")
        assert faults_at_every_size(page) == []
        assert foreign == []
        # The browser itself says of a page that is not found that it was not.
        assert [each for each in complaints if name != "not found" or "404" not in each] == []


def test_colours_that_cannot_be_read_in_the_dark_alone_are_noticed(browser: Browser) -> None:
    with opened(browser, "wide", "light") as page:
        page.set_content(
            "<html lang=en><title>x</title><style>:root { color-scheme: light dark }"
            "main { background: light-dark(#fff, #000); color: light-dark(#000, #222) }</style>"
            "<main><h1>Words</h1></main>"
        )
        (fault,) = faults_of(page)
        assert "dark: color-contrast" in fault


def test_light_and_dark_are_switched_at_once_and_remembered(browser: Browser, pages: str) -> None:
    with opened(browser, "wide", "light") as page:
        page.goto(pages)
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.get_by_role("link", name="Light or dark").click()
        assert page.url == f"{pages}/"
        dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert light != dark
        page.goto(f"{pages}/about")
        assert page.get_attribute("html", "data-bs-theme") == "dark"
        page.get_by_role("link", name="Light or dark").click()
        page.goto(pages)
        assert page.get_attribute("html", "data-bs-theme") is None


def test_without_scripts_pages_say_the_same_and_switches_work(browser: Browser, pages: str) -> None:
    with opened(browser, "wide", "light", java_script_enabled=False) as page:
        page.goto(f"{pages}/tasks/russe/board?track=hj")
        page.get_by_role("link", name="Light or dark").click()
        page.goto(f"{pages}/tasks/russe/board?track=hj")
        assert page.get_attribute("html", "data-bs-theme") == "dark"
        page.get_by_role("columnheader", name="AE AveP").get_by_role("link").click()
        assert "sort=ae" in page.url
        page.get_by_role("link", name="Word vectors").first.click()
        assert page.get_by_role("heading", name="Word vectors").is_visible()


def test_the_content_is_the_first_thing_the_keyboard_reaches(browser: Browser, pages: str) -> None:
    with opened(browser, "wide", "light") as page:
        page.goto(pages)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"


def test_a_word_is_looked_up_by_typing_it(browser: Browser, pages: str) -> None:
    with opened(browser, "phone", "light") as page:
        page.goto(f"{pages}/tasks/russe/mj")
        word = page.get_attribute("#words option", "value")
        assert word
        page.get_by_role("combobox", name="Word").fill(word)
        page.keyboard.press("Enter")
        expect(page.get_by_text("Most related to")).to_be_visible()


def test_a_board_prints_whole_without_what_is_for_the_screen(browser: Browser, pages: str) -> None:
    with opened(browser, "wide", "dark") as page:
        page.goto(f"{pages}/tasks/russe/board?track=hj")
        page.emulate_media(media="print")
        assert page.get_by_role("table").is_visible()
        assert not page.get_by_role("navigation", name="Tracks").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_board_of_fifty_teams_weighs_at_most_150_kb(browser: Browser, fifty_teams: str) -> None:
    with opened(browser, "wide", "light") as page:
        answers: dict[str, Response] = {}
        page.on("response", lambda answer: answers.update({answer.url: answer}))
        page.goto(f"{fifty_teams}/tasks/russe/board?track=hj")
        page.wait_for_load_state("networkidle")
        assert page.locator("tbody tr").count() == TEAMS
        sizes = {url: answer.request.sizes() for url, answer in answers.items()}
        weight = sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes.values())
        fonts = [url for url in sizes if url.endswith(".woff2")]
        assert len(fonts) >= 3
        assert weight <= 150_000
