"""Judges in a real browser, on the real passages of TREC CAsT 2020."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from leaderboard.services import boards, judging_results
from leaderboard.services.entering import Entry
from leaderboard.services.runs import Details
from leaderboard.services.tasks import install
from leaderboard.store.models import JudgingUnit, Judgment
from tests.e2e.campaigns import OrganiserAt
from tests.e2e.conftest import serve_app
from tests.e2e.looks import faults_of
from tests.web.installation import NOON, Installation

pytestmark = pytest.mark.browser

TOPICS = ("100_1", "83_2")
SECRET = re.compile(r"MARCO_|CAR_[0-9a-f]{4}|graded", re.IGNORECASE)
"""What no judge may read: ids, and words of the gold."""
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1280, "height": 900}}
SIDES = {"left": "A is better", "right": "B is better"}


def of_topics(source: Path, target: Path) -> Path:
    """The lines of a file that belong to the two topics, and its header."""
    with source.open(encoding="utf-8") as lines:
        kept = [line for line in lines if line.split()[0] in (*TOPICS, "turn_id")]
    target.write_text("".join(kept), encoding="utf-8")
    return target


@pytest.fixture
def made(tmp_path: Path, tasks_folder: Path, shared_data: Path) -> Iterator[Installation]:
    """CAsT 2020 with the real gold of two topics, whose texts lie in ``texts.tsv``."""
    installation = Installation.make(tmp_path, tasks_folder)
    with installation.site.database.writing() as session:
        install(session, installation.spec("cast2020"), NOON)
    (tmp_path / "gold").mkdir()
    source = shared_data / "cast2020"
    of_topics(source / "gold" / "graded.qrels", tmp_path / "gold" / "graded.qrels")
    installation.install_gold("cast2020", tmp_path / "gold")
    of_topics(source / "passages" / "cast_snippets_2020.tsv", tmp_path / "texts.tsv")
    runs = [of_topics(source / "runs" / f"decaf2020_0{n}.run", tmp_path / f"{n}.run") for n in (1, 2)]
    installation.enter(
        "cast2020", [Entry(run, Details(f"team {run.stem}", submitted_at=NOON)) for run in runs]
    )
    yield installation
    installation.site.close()


@pytest.fixture
def app(made: Installation) -> Flask:
    return made.app()


@pytest.fixture
def site(browser: Browser, app: Flask) -> Iterator[str]:
    yield from serve_app(app)


def ranking(made: Installation) -> dict[str, float | None]:
    """The values that rank now, by team."""
    with made.site.database.reading() as session:
        spec = made.site.spec(session, "cast2020")
        return {line.team: line.value for line in boards.board(session, spec, "graded", "open").rows}


class JudgeAt:
    """A person who judges preferences at a browser, and is always asked which of two texts is the shorter."""

    def __init__(self, page: Page, answer: Callable[[JudgeAt, str], None]) -> None:
        self.page = page
        self.give = answer
        self.seen: list[frozenset[str]] = []

    def begin(self, address: str) -> None:
        self.page.goto(address)
        if self.page.get_by_label("I have read this").count():
            self.page.get_by_label("I have read this").check()
        self.page.get_by_role("button", name="Begin").click()

    @property
    def pair(self) -> tuple[str, str]:
        """The two texts, once answers to them are taken."""
        expect(self.page.locator("[data-ready], .desk-end")).to_be_visible()
        texts = self.page.locator(".unit .passage-text").all_text_contents()
        return (texts[0], texts[1]) if texts else ("", "")

    @property
    def given(self) -> int:
        return int(self.page.locator("[data-given]").get_attribute("data-given") or 0)

    @property
    def is_done(self) -> bool:
        expect(self.page.locator("[data-ready], .desk-end")).to_be_visible()
        return self.page.locator(".desk-end").count() > 0

    def judge(self) -> None:
        """Answers one pair and waits until that is kept."""
        before, (left, right) = self.given, self.pair
        self.seen.append(frozenset((left, right)))
        assert not SECRET.search(self.page.content())
        self.give(self, "left" if (len(left), left) < (len(right), right) else "right")
        expect(self.page.locator(f"[data-given='{before + 1}']")).to_be_visible()


def by_key(judge: JudgeAt, side: str) -> None:
    judge.page.keyboard.press("ArrowLeft" if side == "left" else "ArrowRight")


def by_touch(judge: JudgeAt, side: str) -> None:
    judge.page.get_by_role("button", name=SIDES[side]).tap()


def complaints_of(page: Page) -> list[str]:
    """What the console says, as it comes."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    return said


def test_an_organiser_and_two_judges_at_once_on_real_texts_move_the_board(
    browser: Browser, site: str, app: Flask, made: Installation, tmp_path: Path
) -> None:
    olga = OrganiserAt(app, browser.new_context(**WIDE, locale="en-GB").new_page(), site, "cast2020")  # type: ignore[arg-type]
    number = olga.make_tournament("Shorter is better", "graded", 2, "It is **free**.", tmp_path / "texts.tsv")
    address = f"{site}/judging/cast2020/{number}"
    kay_home = browser.new_context(**WIDE, locale="en-GB")  # type: ignore[arg-type]  # by its names
    kay, tom = (
        JudgeAt(kay_home.new_page(), by_key),
        JudgeAt(browser.new_context(**PHONE, locale="en-GB").new_page(), by_touch),  # type: ignore[arg-type]
    )
    complaints = [complaints_of(judge.page) for judge in (kay, tom)]
    for judge in (kay, tom):
        judge.begin(address)
        assert faults_of(judge.page) == []
    assert set(kay.pair) != set(tom.pair)

    # The next pair is there before the answer is kept, and undo brings the same pair back.
    first = kay.pair
    kay.judge()
    assert set(kay.pair) != set(first)
    kay.page.keyboard.press("u")
    expect(kay.page.locator("[data-given='0']")).to_be_visible()
    assert kay.pair == first
    kay.seen.clear()
    kay.judge()

    # The browser is closed in the middle of a pair: another one with its cookies finds the same pair.
    open_pair = kay.pair
    state = kay_home.storage_state()
    kay_home.close()
    kay_home = browser.new_context(**WIDE, locale="en-GB", storage_state=state)  # type: ignore[arg-type]
    kay.page = kay_home.new_page()
    kay.page.goto(address)
    assert (kay.pair, kay.given) == (open_pair, 1)

    # Without a connection answers wait, and go out when it is back.
    kay_home.set_offline(offline=True)
    before, (left, _) = kay.given, kay.pair
    kay.seen.append(frozenset(kay.pair))
    by_key(kay, "left" if len(left) == min(map(len, kay.pair)) else "right")
    expect(kay.page.get_by_role("status")).to_contain_text("Not saved yet")
    kay_home.set_offline(offline=False)
    expect(kay.page.locator(f"[data-given='{before + 1}']")).to_be_visible()
    expect(kay.page.get_by_role("status")).to_be_hidden()

    while not (kay.is_done and tom.is_done):
        for judge in (kay, tom):
            if judge.is_done:
                judge.page.get_by_role("button", name="Look again").click()
            if not judge.is_done:
                judge.judge()
    for judge in (kay, tom):
        expect(judge.page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert faults_of(tom.page) == []
    assert complaints == [[], []]
    assert set(kay.seen) & set(tom.seen) == set()
    with made.site.database.reading() as session:
        counts = session.execute(select(JudgingUnit.given, JudgingUnit.wanted)).all()
        found = judging_results.results(session, made.site.files, made.site.spec(session, "cast2020"), number)
        seconds = session.scalars(select(Judgment.seconds).where(Judgment.state == "given")).all()
    assert all(given <= wanted == 1 for given, wanted in counts)
    assert sum(given for given, _ in counts) == len(kay.seen) + len(tom.seen)
    assert found.unfinished == ()
    assert all(each is not None and each > 0 for each in seconds)
    assert best_of(found.files["best.qrels"]) == shortest(tmp_path / "texts.tsv")
    kay_home.close()
    tom.page.context.close()

    stood = ranking(made)
    olga.apply_result(number)
    assert ranking(made) != stood
    assert ranking(made).keys() == stood.keys() == {"team 1", "team 2"}
    olga.page.context.close()


def best_of(qrels: bytes) -> dict[str, str]:
    """The best item of each topic."""
    return {topic: docno for topic, _, docno, _ in map(str.split, qrels.decode().splitlines())}


def shortest(texts: Path) -> dict[str, str]:
    """The item of each topic with the shortest text."""
    rows = [line.split("\t") for line in texts.read_text("utf-8").splitlines()[1:]]
    best: dict[str, tuple[int, str, str]] = {}
    for topic, docno, _, _, text in rows:
        mine = (len(text.strip()), text.strip(), docno)
        best[topic] = min(best.get(topic, mine), mine)
    return {topic: docno for topic, (_, _, docno) in best.items()}
