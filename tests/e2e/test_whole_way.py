"""From hearing of a task to one's place in it, in a real browser; two people, two teams, two tasks.

The parts are tested more closely elsewhere, with scripts and without: accounts in `test_accounts`, uploads in
`test_submitting`, rankings in `test_boards`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import serve_app
from tests.e2e.test_accounts import letters_to, register, sign_in
from tests.web.installation import Installation
from tests.web.members import Clock, app_of
from tests.web.phased import PHASE, evaluated

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
REVEALING = PHASE.replace('"board"]', '"board", "per-topic"]')


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(MORNING).install(monkeypatch)


@pytest.fixture
def made(tmp_path: Path, tasks_folder: Path, clock: Clock) -> Iterator[Installation]:
    """RUSSE and CAsT in the middle of an evaluation with two runs a day, and nobody there yet."""
    installation = evaluated(tmp_path, tasks_folder, "russe", "cast", phase=REVEALING)
    yield installation
    installation.site.close()


@pytest.fixture
def site(browser: Browser, made: Installation) -> Iterator[str]:
    yield from serve_app(app_of(made))


@pytest.fixture
def people(browser: Browser) -> Iterator[list[BrowserContext]]:
    """Three browsers: of Ann, of Bob who joins her and has no scripts, of Eve who is in another team."""
    contexts = [
        browser.new_context(java_script_enabled=scripts, locale="en-GB", accept_downloads=True)
        for scripts in (True, False, True)
    ]
    yield contexts
    for context in contexts:
        context.close()


def enter(page: Page, site: str, made: Installation, name: str) -> None:
    register(page, site, made, name)
    sign_in(page, name)
    expect(page).to_have_url(re.compile(r"/(#.*)?$|/invitations/"))


def make_team(page: Page, site: str, task: str, team: str) -> None:
    page.goto(f"{site}/tasks/{task}/team")
    page.get_by_label("Name of the team").fill(team)
    page.get_by_role("button", name="Make the team").click()
    expect(page.get_by_role("heading", name=team)).to_be_visible()


def submit(page: Page, site: str, task: str, file: Path, name: str = "") -> None:
    page.goto(f"{site}/tasks/{task}/submit")
    page.locator("#file").set_input_files(file)
    page.get_by_label("Name of the run").fill(name)
    page.get_by_role("button", name="Submit").click()


def sample(made: Installation, task: str, name: str) -> Path:
    return made.spec(task).folder / "sample" / "runs" / name


def test_the_whole_way(
    people: list[BrowserContext], site: str, made: Installation, tmp_path: Path, clock: Clock
) -> None:
    ann, bob, eve = (context.new_page() for context in people)

    # Register, confirm from the outbox, make a team, invite a second person who joins.
    enter(ann, site, made, "Ann")
    make_team(ann, site, "russe", "Foxes")
    ann.get_by_role("button", name="Make an invitation link").click()
    invitation = ann.locator("#fresh-link").inner_text()
    register(bob, site, made, "Bob")
    sign_in(bob, "Bob")
    bob.goto(invitation)
    bob.get_by_role("button", name="Join the team").click()
    expect(bob.get_by_role("heading", name="Foxes")).to_be_visible()
    ann.goto(f"{site}/tasks/russe/team")
    ann.get_by_role("button", name="Tell me by mail").click()
    expect(ann.get_by_text("We will tell you.")).to_be_visible()

    # Download the inputs of the task, and fill them in.
    ann.goto(f"{site}/tasks/russe")
    with ann.expect_download() as waiting:
        ann.get_by_role("link", name="The word pairs to fill in").click()
    pairs = Path(waiting.value.path()).read_text("utf-8")
    assert pairs.splitlines()[0] == "word1,word2,sim"

    # A faulty file: every fault with its line, what was typed stays, no slot is used.
    faulty = tmp_path / "faulty.csv"
    lines = pairs.splitlines()
    faulty.write_text("\n".join([lines[0], lines[1] + "0.5", lines[2] + "much", lines[3] + "nan"]), "utf-8")
    submit(ann, site, "russe", faulty, "First try")
    verdict = ann.get_by_role("alert")
    expect(verdict).to_contain_text("The file has 2 faults")
    expect(verdict.get_by_role("row").nth(1)).to_contain_text("3")
    expect(verdict.get_by_role("row").nth(2)).to_contain_text("4")
    expect(ann.get_by_label("Name of the run")).to_have_value("First try")

    # A run of each task; scores and place.
    submit(ann, site, "russe", sample(made, "russe", "char_trigrams.csv"), "Trigrams")
    expect(ann.get_by_role("heading", name="Trigrams")).to_be_visible()
    expect(ann.locator("#track-hj ~ p")).to_contain_text("1 of 1 team")
    make_team(ann, site, "cast", "Foxes")
    submit(ann, site, "cast", sample(made, "cast", "bm25_raw.run"), "Baseline of ours")
    expect(ann.locator("#track-graded ~ p")).to_contain_text("1 of 1 team")

    # Another team overtakes, and who wants to know is told once.
    enter(eve, site, made, "Eve")
    make_team(eve, site, "russe", "Bears")
    submit(eve, site, "russe", sample(made, "russe", "embeddings.csv"), "Vectors")
    expect(eve.locator("#track-hj ~ p")).to_contain_text("1 of 2 teams")
    made.site.deliver_letters()
    (told,) = [letter for letter in letters_to(made, "ann@example.org") if "overtaken" in letter["Subject"]]
    words = told.get_content()
    assert "from place 1 to place 2. Ahead of you now: Bears." in words
    assert not [letter for letter in letters_to(made, "bob@example.org") if "overtaken" in letter["Subject"]]
    bob.goto(f"{site}/tasks/russe/board?track=hj")
    expect(bob.locator(".ranking tbody tr.first")).to_contain_text("Bears")

    # The other member overtakes back; the quota of the day is then used up, until when it says.
    submit(bob, site, "russe", sample(made, "russe", "associations.csv"), "Associations")
    expect(bob.get_by_role("heading", name="Associations", exact=True)).to_be_visible()
    bob.goto(f"{site}/tasks/russe/board?track=ae")
    expect(bob.locator(".ranking tbody tr.first")).to_contain_text("Foxes")
    submit(bob, site, "russe", sample(made, "russe", "thesaurus.csv"), "One too many")
    expect(bob.get_by_role("alert")).to_contain_text("The next slot opens at 2026-03-03 00:00 UTC")
    clock.moment = datetime(2026, 3, 3, tzinfo=UTC)
    submit(bob, site, "russe", sample(made, "russe", "thesaurus.csv"), "The day after")
    expect(bob.get_by_role("heading", name="The day after")).to_be_visible()

    # The deadline passes: what comes later is ranked elsewhere, and the ranking stays.
    clock.moment = datetime(2026, 3, 5, 12, tzinfo=UTC)
    bob.goto(f"{site}/tasks/russe/board?track=hj")
    before = bob.locator(".ranking tbody tr").all_inner_texts()
    submit(eve, site, "russe", sample(made, "russe", "associations.csv"), "Too late")
    expect(eve.get_by_text("It came after the phase had closed")).to_be_visible()
    bob.goto(f"{site}/tasks/russe/board?track=hj")
    assert bob.locator(".ranking tbody tr").all_inner_texts() == before
    bob.get_by_role("link", name="with late runs").click()
    expect(bob.get_by_text("ranked here too")).to_be_visible()
    expect(bob.locator(".ranking tbody")).to_contain_text("Vectors")
    answer = bob.request.get(f"{site}/tasks/russe/changes.atom")
    assert "Too late" not in answer.text()
    assert "New counted run" in answer.text()
