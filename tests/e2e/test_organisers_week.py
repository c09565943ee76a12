"""A week of an organiser of RUSSE, in a real browser, with the real benchmarks and runs of thirteen teams."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select, update

from leaderboard.contract import TaskSpec
from leaderboard.services import archive_importing, boards, entering, exports, inputs, tasks
from leaderboard.services.audit import SHELL
from leaderboard.services.entering import Entry
from leaderboard.services.rescoring import unwatched
from leaderboard.services.runs import Details
from leaderboard.store.models import AuditEntry, Team
from tests.e2e.conftest import serve_app
from tests.e2e.looks import faults_of
from tests.e2e.test_accounts import register, sign_in
from tests.web.installation import Installation
from tests.web.members import Clock, app_of
from tests.web.organisers import give

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
TRACKS = ("hj", "rt", "ae")
FLIPPED = 50


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(MONDAY).install(monkeypatch)


@pytest.fixture
def made(tmp_path: Path, tasks_folder: Path, clock: Clock) -> Iterator[Installation]:
    """An installation where somebody has installed RUSSE's folder, and nothing else."""
    installation = Installation.make(tmp_path / "here", tasks_folder)
    with installation.site.database.writing() as session:
        tasks.install(session, installation.spec("russe"), clock.moment)
    yield installation
    installation.site.close()


class Week:
    """The organiser's browser, and what else happens on the site meanwhile."""

    def __init__(self, made: Installation, page: Page, address: str, data: Path) -> None:
        self.made = made
        self.page = page
        self.address = address
        self.data = data

    @property
    def spec(self) -> TaskSpec:
        with self.made.site.database.reading() as session:
            return self.made.site.spec(session, "russe")

    def open(self, place: str = "") -> None:
        self.page.goto(f"{self.address}/tasks/russe/{place}".rstrip("/"))

    def press(self, name: str, exact: bool = True) -> None:
        self.page.get_by_role("button", name=name, exact=exact).click()

    def work(self) -> None:
        """What waits in the queue is done, as by a consumer."""
        self.made.site.jobs.drain()

    def draft(self, *files: Path) -> None:
        """Makes a draft from files and waits until all runs have been scored on it."""
        self.open("organise/gold")
        self.page.locator("#files").set_input_files(files)
        self.press("Make a draft")
        expect(self.page.get_by_role("heading", name="Draft", exact=False).first).to_be_visible()
        self.work()
        # The page looks by itself whether it is done.
        expect(self.page.locator(".draft-facts")).to_contain_text("ready to apply")

    def apply(self) -> None:
        self.page.get_by_label("I have read what changes").check()
        self.press("Apply the draft")
        self.work()
        expect(self.page.locator(".draft-facts .badge")).to_have_text("applied")

    def arrive(self, run: Path, moment: datetime) -> int:
        """A run of the team that is called as its file is."""
        site, spec = self.made.site, self.spec
        entry = Entry(run, Details(run.stem, submitted_at=moment))
        entered = entering.enter(
            site.transactions, site.files, spec, site.scorer(spec), entry, lambda: moment
        )
        return entered.submission.run_id


def rankings(installation: Installation, now: datetime) -> dict[tuple[str | None, str, str], str]:
    """All rankings in full, as everybody reads them at a moment."""
    with installation.site.database.reading() as session:
        spec = installation.site.spec(session, "russe")
        return {
            (track, phase.name, kind): exports.render(
                spec, boards.board(session, spec, track, phase.name, now=now), kind
            )
            for phase in spec.phases
            for track in boards.listed_tracks(spec)
            for kind in ("json", "csv")
        }


def flipped(gold: Path, run: Path, target: Path) -> Path:
    """The benchmark with fifty labels turned round, in a file of the same name: those of the related pairs
    that a run is surest of."""
    head, *lines = gold.read_text("utf-8").splitlines()
    likes = dict(line.rsplit(",", 1) for line in run.read_text("utf-8").splitlines()[1:])
    pairs = [line.rsplit(",", 1) for line in lines]
    related = [pair for pair in pairs if pair[1] == "1"]
    for pair in sorted(related, key=lambda pair: -float(likes[pair[0]] or 0))[:FLIPPED]:
        pair[1] = "0"
    target.mkdir()
    (target / gold.name).write_text("\n".join([head, *(",".join(pair) for pair in pairs)]) + "\n", "utf-8")
    return target / gold.name


@pytest.fixture
def week(browser: Browser, made: Installation, shared_data: Path) -> Iterator[Week]:
    app = app_of(made)
    context = browser.new_context(locale="en-GB", accept_downloads=True)
    page = context.new_page()
    for address in serve_app(app):
        register(page, address, made, "Olga")
        sign_in(page, "Olga")
        expect(page).to_have_url(re.compile(r"/(#.*)?$"))
        give(app, "olga", "organiser", "russe")
        # A right that was given signs one out, so that the next sign-in has it.
        page.goto(f"{address}/tasks/russe/organise/phases")
        if "/sign-in" in page.url:
            sign_in(page, "Olga")
        yield Week(made, page, address, shared_data / "russe")
    context.close()


def test_an_organisers_week(
    week: Week, made: Installation, clock: Clock, tmp_path: Path, tasks_folder: Path
) -> None:
    page, gold = week.page, week.data / "gold"
    with made.site.database.writing() as session:
        inputs.install(session, made.site.files, week.spec, week.data, clock.moment)

    # Monday: a phase of this week, and the benchmarks, which nobody has a run for yet.
    week.open("organise/phases/new/phase")
    page.get_by_label("Name", exact=True).fill("week")
    page.get_by_label("Title in English").fill("The week")
    page.get_by_label("Opens (UTC)").fill("2026-03-02T08:00:00")
    page.get_by_label("Closes (UTC)").fill("2026-03-06T12:00:00")
    page.get_by_label("Runs a day").fill("5")
    page.get_by_label("To each team the scores of its own runs").check()
    page.get_by_label("To everybody the ranking and the scores on it").check()
    week.press("Make the phase")
    expect(page.get_by_text("The week").first).to_be_visible()
    week.draft(*(gold / f"{name}.csv" for name in ("hj-test", "rt-test", "ae2-test")))
    week.apply()

    # Tuesday: thirteen teams' runs arrive, and the dashboard knows.
    clock.move(days=1)
    runs = {run.stem: week.arrive(run, clock.moment) for run in sorted((week.data / "runs").glob("*.csv"))}
    assert len(runs) == 13
    with made.site.database.writing() as session:
        session.execute(update(Team).where(Team.name == "navec_cos").values(alias="Team X"))
    week.open("organise")
    expect(page.locator(".glance")).to_contain_text("13")
    assert faults_of(page) == []

    # Wednesday: one run is disqualified, which everybody reads, and restored.
    clock.move(days=1)
    before = rankings(made, clock.moment)
    week.open(f"organise/runs/{runs['use_multilingual']}")
    page.get_by_label("Reason").fill("It was tuned on the benchmark.")
    week.press("Disqualify")
    week.open("board?track=hj")
    expect(page.locator(".ranking")).to_contain_text("It was tuned on the benchmark.")
    week.open(f"organise/runs/{runs['use_multilingual']}")
    page.get_by_label("Reason").fill("It was not.")
    week.press("Take the disqualification back")
    assert standings_of(rankings(made, clock.moment)) == standings_of(before)

    # RT is replaced by a version with fifty pairs turned round: what would change is read first.
    surest = week.data / "runs" / "navec_subword.csv"
    week.draft(flipped(gold / "rt-test.csv", surest, tmp_path / "flipped"))
    assert standings_of(rankings(made, clock.moment)) == standings_of(before)
    expect(page.locator(".difference-sum")).to_contain_text("RT")
    expected = places_after(made, tmp_path / "elsewhere", tasks_folder, week, clock)
    moved = {team for team, places in expected.items() if len(set(places)) > 1}
    told = set(page.locator(".board-difference").first.locator("tbody th bdi").all_inner_texts())
    assert told == moved
    assert moved
    week.apply()
    week.open("board?track=rt&version=1")
    expect(page.locator(".ranking tbody")).to_contain_text("ensemble_unsup")

    # Thursday: MJ is built from the best runs and published.
    clock.move(days=1)
    week.open("organise/resources")
    week.press("Build with these weights")
    week.work()
    week.open("organise/resources")
    page.get_by_role("link", name="MJ 1").click()
    week.press("Publish it")
    week.open("mj")
    expect(page.get_by_role("heading").first).to_be_visible()

    # It is announced, and the ranking is frozen before the last day: a run that comes then moves nothing.
    week.open("organise/announcements")
    page.get_by_label("Title in English").fill("Nearly done")
    page.get_by_label("Text in English").fill("The ranking is *frozen* until Friday noon.")
    week.press("Announce")
    week.open()
    expect(page.get_by_text("Nearly done").first).to_be_visible()
    week.open("organise/phases")
    week.press("Freeze the ranking of week")
    shown = page.request.get(f"{week.address}/tasks/russe/board.json?track=hj").json()["rows"]
    best = week.arrive(
        copied(week.data / "runs" / "ensemble_unsup.csv", tmp_path / "newcomer.csv"), clock.moment
    )
    assert page.request.get(f"{week.address}/tasks/russe/board.json?track=hj").json()["rows"] == shown
    assert "newcomer" not in json.dumps(shown)
    week.open("organise/phases")
    week.press("Show the ranking of week as it is")
    after = page.request.get(f"{week.address}/tasks/russe/board.json?track=hj").json()["rows"]
    assert best in [row["run"] for row in after if row["place"] == 1]

    # Friday: the phase is over, names are revealed, and everything goes into an archive.
    clock.move(days=1, hours=6)
    week.open("board?track=hj&phase=week")
    expect(page.locator(".ranking tbody")).to_contain_text("Team X")
    week.open("organise/settings")
    page.get_by_label("shown from now on").check()
    page.locator("form[action$=openness]").get_by_role("button", name="Set").click()
    week.open("board?track=hj&phase=week")
    expect(page.locator(".ranking tbody")).not_to_contain_text("Team X")
    expect(page.locator(".ranking tbody")).to_contain_text("navec_cos")
    week.open("organise/archive")
    week.press("Make the archive")
    week.work()
    week.open("organise/archive")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Archive 1").click()
    waiting.value.save_as(tmp_path / "russe.zip")

    # Elsewhere the archive gives the same standings, byte for byte.
    other = Installation.make(tmp_path / "other", tasks_folder)
    archive_importing.bring(
        other.site.transactions,
        other.site.files,
        other.site.catalog.find,
        tmp_path / "russe.zip",
        SHELL,
        lambda: clock.moment,
        unwatched,
    )
    assert rankings(other, clock.moment) == rankings(made, clock.moment)
    other.site.close()
    assert actions(made) >= {
        *("phase.made", "draft.made", "draft.applied", "run.disqualified", "resource.published"),
        *("announcement.made", "phase.frozen", "phase.unfrozen", "archive.requested"),
    }


def copied(run: Path, target: Path) -> Path:
    """The same run as another file, which another team sends."""
    target.write_bytes(run.read_bytes())
    return target


def standings_of(found: dict[tuple[str | None, str, str], str]) -> dict[object, object]:
    """Places and values of all rankings, without when they were computed."""
    return {key: json.loads(text)["rows"] for key, text in found.items() if key[2] == "json"}


def places_after(
    made: Installation, folder: Path, tasks_folder: Path, week: Week, clock: Clock
) -> dict[str, tuple[int | None, int | None]]:
    """By team the place on RT now, and where all runs had been scored on the changed benchmark alone."""
    with made.site.database.reading() as session:
        now = boards.with_own_names(session, boards.board(session, week.spec, "rt", "week"))
    fresh = Installation.make(folder, tasks_folder)
    with fresh.site.database.writing() as session:
        tasks.install(session, fresh.spec("russe"), clock.moment)
        inputs.install(session, fresh.site.files, fresh.spec("russe"), week.data, clock.moment)
    fresh.install_gold("russe", folder.parent / "flipped")
    fresh.enter(
        "russe",
        [
            Entry(run, Details(run.stem, submitted_at=datetime(2026, 3, 3, 9, tzinfo=UTC)))
            for run in sorted((week.data / "runs").glob("*.csv"))
        ],
    )
    with fresh.site.database.reading() as session:
        spec = fresh.spec("russe")
        then = boards.board(session, spec, "rt", "open")
    fresh.site.close()
    after = {row.team: row.place for row in then.rows}
    return {row.team: (row.place, after[row.team]) for row in now.rows}


def actions(made: Installation) -> set[str]:
    with made.site.database.reading() as session:
        return set(session.scalars(select(AuditEntry.action)))
