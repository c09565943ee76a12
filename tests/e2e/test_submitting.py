"""Teams submit runs in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.copies import copied
from tests.e2e.conftest import serve_app
from tests.e2e.looks import faults_at_every_size
from tests.web.browser import PASSWORD, site_of
from tests.web.installation import Installation
from tests.web.members import Clock, Member, app_of
from tests.web.phased import PHASE, evaluated

pytestmark = pytest.mark.browser

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
FAULTY = "word1,word2,sim\nдом,изба,0.5\nдом,крыша,much\n"
REVEALING = PHASE.replace('"board"]', '"board", "per-topic"]')


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(MORNING).install(monkeypatch)


@pytest.fixture
def installation(tmp_path: Path, tasks_folder: Path, clock: Clock) -> Iterator[Installation]:
    """RUSSE and CAsT with two runs a day; Ann's Foxes in both; Bob's Bears with a run in RUSSE."""

    def fill(original: Path) -> None:
        made = evaluated(original, tasks_folder, "russe", "cast", phase=REVEALING)
        app = app_of(made)
        bob = Member(app, "bob", "Bears")
        bob.submit(sample(made, "russe", "char_trigrams.csv"))
        ann = Member(app, "ann", "Foxes")
        ann.found("Foxes", "cast")
        site_of(app).close()
        made.site.close()

    copied("Foxes and Bears", tmp_path, fill)
    made = Installation.at(tmp_path, tmp_path / "tasks")
    yield made
    made.site.close()


@pytest.fixture
def site(browser: Browser, installation: Installation) -> Iterator[str]:
    yield from serve_app(app_of(installation))


def sample(installation: Installation, task: str, name: str) -> Path:
    return installation.spec(task).folder / "sample" / "runs" / name


@contextmanager
def signed_in(browser: Browser, site: str, **more: object) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", timezone_id="Europe/Moscow", **more)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{site}/sign-in")
    page.get_by_label("E-mail address").fill("ann@example.org")
    page.locator("main [name=password]").fill(PASSWORD)
    page.locator("main button[type=submit]").click()
    expect(page).to_have_url(f"{site}/")
    try:
        yield page
    finally:
        context.close()


def submit(page: Page, file: Path, name: str = "") -> None:
    page.locator("#file").set_input_files(file)
    page.get_by_label("Name of the run").fill(name)
    page.get_by_role("button", name="Submit").click()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_from_a_faulty_file_to_the_first_place_the_quota_and_the_deadline(
    browser: Browser, site: str, installation: Installation, tmp_path: Path, clock: Clock, script: bool
) -> None:
    faulty = tmp_path / "faulty.csv"
    faulty.write_text(FAULTY, "utf-8")
    with signed_in(browser, site, java_script_enabled=script) as page:
        page.goto(f"{site}/tasks/russe/submit")
        submit(page, faulty, "Vectors")
        verdict = page.get_by_role("alert")
        expect(verdict).to_contain_text("The file has 1 fault")
        expect(verdict.get_by_role("row").nth(1)).to_contain_text(
            re.compile(r"3\s*11\s*.much. is not a number")
        )
        expect(page.get_by_label("Name of the run")).to_have_value("Vectors")

        submit(page, sample(installation, "russe", "random.csv"), "By chance")
        expect(page.get_by_role("heading", name="By chance")).to_be_visible()
        expect(page.locator("#track-hj ~ p")).to_contain_text("2 of 2 teams")
        expect(page.get_by_text("The file is accepted.")).to_be_visible()

        page.goto(f"{site}/tasks/russe/submit")
        expect(page.get_by_text("1 of 2 left")).to_be_visible()
        submit(page, sample(installation, "russe", "embeddings.csv"))
        expect(page.get_by_role("heading", name="embeddings", exact=True)).to_be_visible()
        expect(page.locator("#track-hj ~ p")).to_contain_text("1 of 2 teams")
        page.goto(f"{site}/tasks/russe/board?track=hj")
        expect(page.locator("tbody tr").first).to_contain_text("Foxes")

        page.goto(f"{site}/tasks/russe/submit")
        submit(page, sample(installation, "russe", "thesaurus.csv"), "One too many")
        expect(page.get_by_role("alert")).to_contain_text("The next slot opens at 2026-03-03 00:00 UTC")
        expect(page.locator("aside")).to_contain_text("3 Mar 2026, 00:00 UTC")
        expect(page.locator("aside")).to_contain_text("2 Mar 2026, 12:00 AoE")
        expect(page.get_by_label("Name of the run")).to_have_value("One too many")

        page.goto(f"{site}/tasks/cast/submit")
        submit(page, sample(installation, "cast", "bm25_raw.run"))
        expect(page.locator("#track-graded ~ p")).to_contain_text("1 of 1 team")
        expect(page.get_by_role("img", name=re.compile("nDCG@3 of each topic"))).to_be_visible()

        clock.moment = datetime(2026, 3, 5, 11, 59, tzinfo=UTC)
        page.goto(f"{site}/tasks/russe/submit")
        expect(page.locator("aside")).to_contain_text("closes in")
        clock.move(minutes=1)
        page.reload()
        expect(page.get_by_text("The phase has closed. You can still submit")).to_be_visible()
        submit(page, sample(installation, "russe", "thesaurus.csv"), "Too late")
        expect(page.get_by_text("It came after the phase had closed")).to_be_visible()
        page.goto(f"{site}/tasks/russe/board?track=rt")
        expect(page.locator("tbody tr.first")).to_contain_text("embeddings")
        page.goto(f"{site}/tasks/russe/board?track=rt&stage=post-evaluation")
        expect(page.locator("tbody tr").first).to_contain_text("Too late")


@pytest.mark.parametrize(("size", "told"), [(13, "13 bytes"), (1_500, "1.5 kB"), (1_500_000, "1.5 MB")])
def test_a_file_is_dropped_and_its_size_is_told(browser: Browser, site: str, size: int, told: str) -> None:
    with signed_in(browser, site) as page:
        page.goto(f"{site}/tasks/russe/submit")
        dropped = page.evaluate_handle(
            """(size) => {
                const dropped = new DataTransfer();
                dropped.items.add(new File(['x'.repeat(size)], 'my run.csv'));
                return dropped;
            }""",
            size,
        )
        page.dispatch_event("[data-drop]", "dragenter", {"dataTransfer": dropped})
        expect(page.locator("[data-drop]")).to_have_class(re.compile("is-over"))
        page.dispatch_event("[data-drop]", "drop", {"dataTransfer": dropped})
        expect(page.locator("[data-chosen]")).to_have_text(f"my run.csv, {told}")
        assert page.locator("#file").evaluate("input => input.files.length") == 1


def test_what_is_too_large_is_told_before_it_is_sent(browser: Browser, site: str, tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * 3000)
    sent: list[str] = []
    with signed_in(browser, site) as page:
        page.goto(f"{site}/tasks/russe/submit")
        page.on("request", lambda request: sent.append(request.method))
        page.locator("form[data-upload]").evaluate("form => { form.dataset.most = 2000; }")
        submit(page, large)
        expect(page.locator("[data-chosen]")).to_contain_text("This file is larger")
    assert "POST" not in sent


def test_progress_is_shown_while_a_file_travels(
    browser: Browser, site: str, installation: Installation
) -> None:
    with signed_in(browser, site) as page:
        page.goto(f"{site}/tasks/russe/submit")
        page.route("**/submit", lambda route: None if route.request.method == "POST" else route.continue_())
        submit(page, sample(installation, "russe", "embeddings.csv"))
        expect(page.get_by_role("progressbar")).to_be_visible()
        expect(page.get_by_role("button", name="Submit")).to_be_disabled()


def test_scores_come_without_a_reload(
    browser: Browser, site: str, installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.services.submissions.SCORED_AT_ONCE", 1000)
    with signed_in(browser, site) as page:
        page.goto(f"{site}/tasks/russe/submit")
        submit(page, sample(installation, "russe", "embeddings.csv"))
        expect(page.get_by_role("status").filter(has_text="waits for its scores")).to_be_visible()
        queue = installation.site.jobs.huey
        task = queue.dequeue()
        assert task is not None
        queue.execute(task)
        expect(page.locator("#track-hj ~ p")).to_contain_text("1 of 2 teams", timeout=15000)


def test_times_are_local_too_and_count_down(browser: Browser, site: str) -> None:
    with signed_in(browser, site) as page:
        page.goto(f"{site}/tasks/russe/submit")
        aside = page.locator("aside")
        for words in ("5 Mar 2026, 12:00 UTC", "5 Mar 2026, 00:00 AoE", "5 Mar 2026, 15:00 (your time)"):
            expect(aside).to_contain_text(words)
        expect(page.locator("[data-countdown]").first).to_have_text(
            re.compile(r"^3 days 2 hrs?$|^3 days 3 hrs?$")
        )


def test_every_action_works_by_keyboard(browser: Browser, site: str, installation: Installation) -> None:
    with signed_in(browser, site) as page:
        page.goto(f"{site}/tasks/russe/submit")
        page.locator("#file").set_input_files(sample(installation, "russe", "embeddings.csv"))
        page.get_by_label("Name of the run").focus()
        page.keyboard.type("By keyboard")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="By keyboard")).to_be_visible()
        expect(page.get_by_text("for comparison").first).to_be_visible()
        page.get_by_role("button", name="Withdraw").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("The run is withdrawn.")).to_be_visible()


def test_pages_are_accessible_and_load_nothing_from_elsewhere(
    browser: Browser, site: str, installation: Installation, tmp_path: Path
) -> None:
    faulty = tmp_path / "faulty.csv"
    faulty.write_text(FAULTY, "utf-8")
    complaints: list[str] = []
    with signed_in(browser, site) as page:
        runs = []
        for name in ("bm25_raw.run", "bm25_resolved.run"):
            page.goto(f"{site}/tasks/cast/submit")
            submit(page, sample(installation, "cast", name))
            page.wait_for_url(re.compile(r"/team/runs/\d+$"))
            runs.append(page.url)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: None if request.url.startswith(site) else complaints.append(request.url),
        )
        other = runs[1].rpartition("/")[2]
        for address in (
            f"{site}/tasks/cast/submit",
            f"{site}/tasks/russe/submit",
            f"{site}/tasks/cast/team/runs",
            f"{site}/tasks/russe/team/runs",
            *runs,
            f"{runs[0]}/edit",
            f"{runs[0]}/compare/{other}",
        ):
            page.goto(address)
            assert faults_at_every_size(page) == []
        assert complaints == []
        page.goto(f"{site}/tasks/russe/submit")
        submit(page, faulty, "x")
        expect(page.get_by_role("alert")).to_be_visible()
        assert faults_at_every_size(page) == []


def test_without_scripts_too_large_a_file_gets_a_page_with_words(
    browser: Browser, site: str, installation: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.web.uploads.most", lambda: 100_000)
    large = tmp_path / "large.csv"
    large.write_bytes(b"word1,word2,sim\n" * 300_000)
    with signed_in(browser, site, java_script_enabled=False) as page:
        page.goto(f"{site}/tasks/russe/submit")
        submit(page, large)
        expect(page.get_by_role("heading", name="The file is too large")).to_be_visible()
