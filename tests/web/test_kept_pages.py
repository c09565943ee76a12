"""A ranking's page that was kept is the page as it would be made now, whoever changed what."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from flask import Flask, request_started
from sqlalchemy import event, select, update
from sqlalchemy.orm import Session

from leaderboard.app import create_app
from leaderboard.services import (
    board_times,
    freezing,
    mj_pages,
    moderation,
    phase_settings,
    references,
    settings,
    team_moderation,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.moderation import Order
from leaderboard.services.settings import Openness
from leaderboard.services.task_specs import phase_of
from leaderboard.site import utc_now
from leaderboard.store import queries
from leaderboard.store.models import Phase, Run, Task, Team
from leaderboard.store.stamps import SHOWN, shows
from leaderboard.telemetry import context, exposition
from leaderboard.web import kept_pages
from leaderboard.web.kept_pages import Pages
from tests.web.browser import Browser
from tests.web.installation import NOON, Installation
from tests.web.members import Clock
from tests.web.phased import evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
BOARD = "/tasks/russe/board?track=hj"
ALL = (BOARD, "/tasks/russe/board", "/tasks/russe/board.csv?track=hj")

Change = Callable[[Installation], object]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Installation]:
    """RUSSE with a closed evaluation and runs of four teams, one under another name; MJ is not published."""
    made = evaluated(tmp_path_factory.mktemp("kept"), tasks_folder, "russe")
    for hour, (run, team) in enumerate(
        {"thesaurus": "Angara", "associations": "Onega", "char_trigrams": "Hidden", "random": "Ob"}.items()
    ):
        moment = MORNING + timedelta(hours=hour)
        made.submit("russe", f"{run}.csv", team, name=run, submitted_at=moment)
    with made.site.database.writing() as session:
        session.execute(update(Team).where(Team.name == "Hidden").values(alias="Mister X"))
    made.build_mj(publish=False)
    yield made
    made.site.close()


@pytest.fixture(scope="module")
def app(installation: Installation) -> Flask:
    """A web process that answers all along, while others write."""
    return installation.app()


def asked(app: Flask) -> Callable[[str], bytes]:
    return lambda address: app.test_client().get(address).data


def made_anew(app: Flask, address: str) -> bytes:
    """The page as it is made when nothing was kept."""
    before, app.extensions["leaderboard.kept_pages"] = app.extensions["leaderboard.kept_pages"], Pages()
    try:
        return asked(app)(address)
    finally:
        app.extensions["leaderboard.kept_pages"] = before


def within(change: Callable[[Session, Installation], object]) -> Change:
    def carry_out(installation: Installation) -> None:
        with installation.site.database.writing() as session:
            change(session, installation)

    return carry_out


def version_of(made: Installation) -> str:
    return made.site.scorer(made.spec("russe")).VERSION


def run_of(session: Session, name: str) -> Run:
    return session.scalars(select(Run).where(Run.name == name)).one()


def moderated(action: moderation.Action, name: str) -> Change:
    def carry_out(session: Session, made: Installation) -> None:
        done = moderation.carry_out(
            session,
            made.spec("russe"),
            version_of(made),
            [run_of(session, name).id],
            Order(action, SHELL, "for a test"),
            utc_now(),
        )
        assert done.changed

    return within(carry_out)


def other_gold(made: Installation) -> None:
    folder = made.settings.instance.parent / "other gold"
    shutil.rmtree(folder, ignore_errors=True)
    path = made.copied_gold("russe", folder) / "hj-test.csv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-3]), "utf-8")
    made.install_gold("russe", folder)


def published(session: Session, made: Installation) -> None:
    path = made.settings.instance / "published.csv"
    path.write_text("run,participant,rho\nCBOW,UCL,0.61\n", "utf-8")
    columns = {"run": "run", "participant": "participant", "rho": "spearman"}
    references.import_csv(session, made.spec("russe"), path, "A paper", columns, "hj")


def opened_again(session: Session, made: Installation) -> None:
    row = session.scalars(select(Phase)).first()
    assert row is not None
    wanted = replace(phase_of(row), closes_at=utc_now() + timedelta(days=1))
    phase_settings.change(session, made.spec("russe"), version_of(made), wanted, SHELL, utc_now())


def names_shown(session: Session, made: Installation) -> None:
    wanted = Openness("public", utc_now() - timedelta(hours=1))
    settings.open_to(session, made.spec("russe"), wanted, SHELL, utc_now())


CHANGES: dict[str, Change] = {
    "a new run": lambda made: made.submit(
        "russe", "embeddings.csv", "Angara", name="better", submitted_at=MORNING
    ),
    "a late run": lambda made: made.submit("russe", "edit_similarity.csv", "Late", submitted_at=NOON),
    "a disqualification": moderated("disqualify", "thesaurus"),
    "a hidden run": moderated("hide", "random"),
    "a run shown again": moderated("unhide", "random"),
    "a run of another name": within(
        lambda session, _: session.execute(update(Run).where(Run.name == "random").values(name="chance"))
    ),
    "a team of another name": within(
        lambda session, _: session.execute(update(Team).where(Team.name == "Ob").values(name="Yenisei"))
    ),
    "a team of another alias": within(
        lambda session, _: session.execute(update(Team).where(Team.name == "Hidden").values(alias="M. Y"))
    ),
    "names revealed": within(names_shown),
    "published results": within(published),
    "another title": within(
        lambda session, made: settings.change(
            session, made.spec("russe"), version_of(made), {"title": {"en": "Other"}}, SHELL, utc_now()
        )
    ),
    "intervals": lambda made: made.analyse("russe"),
    "new gold": other_gold,
    "MJ published": within(lambda session, made: mj_pages.publish(session, made.spec("russe"), 1, NOON)),
    "a freeze": within(
        lambda session, made: freezing.freeze(
            session, made.spec("russe"), version_of(made), "evaluation", SHELL, utc_now()
        )
    ),
    "an end of the freeze": within(
        lambda session, made: freezing.unfreeze(
            session, made.spec("russe"), version_of(made), "evaluation", SHELL, utc_now()
        )
    ),
    "a phase opened again": within(opened_again),
    "a team taken away": within(
        lambda session, made: team_moderation.delete(
            session,
            made.spec("russe"),
            version_of(made),
            session.scalars(select(Team.id).where(Team.name == "Onega")).one(),
            "for a test",
            SHELL,
            utc_now(),
        )
    ),
    "a task that is no longer public": lambda made: made.hide_task("russe"),
}


def test_after_every_kind_of_change_the_next_page_is_that_of_now(
    installation: Installation, app: Flask
) -> None:
    wrong = []
    for name, change in CHANGES.items():
        before = asked(app)(BOARD)
        assert asked(app)(BOARD) == before
        change(installation)
        after = asked(app)(BOARD)
        if after == before or any(asked(app)(each) != made_anew(app, each) for each in ALL):
            wrong.append(name)
    with installation.site.database.writing() as session:
        session.execute(update(Task).values(visibility="public"))
    assert wrong == []


def test_a_page_that_is_kept_costs_the_database_one_word(installation: Installation, app: Flask) -> None:
    statements: list[str] = []
    engine = app.extensions["leaderboard.site"].database.engine

    def note(*arguments: object) -> None:
        statements.append(str(arguments[2]))

    reader = app.test_client()
    for address in ALL:
        first = reader.get(address)
        event.listen(engine, "before_cursor_execute", note)
        try:
            again = reader.get(address)
        finally:
            event.remove(engine, "before_cursor_execute", note)
        assert again.data == first.data
        for answer in (first, again):
            assert answer.headers.pop("X-Request-ID"), "each request has a number of its own"
            # The server says when it sends what was kept.
            answer.headers.pop("Date", None)
        assert dict(again.headers) == dict(first.headers)
        known = reader.get(address, headers={"If-None-Match": first.headers["ETag"]})
        assert (known.status_code, known.data) == (304, b"")
        assert known.headers["ETag"] == first.headers["ETag"]
        assert known.headers["Cache-Control"] == first.headers["Cache-Control"]
    assert statements == []


def test_a_page_that_is_kept_is_sent_before_flask_is_asked_and_counted_like_any(
    app: Flask, counted: None
) -> None:
    asked_of_flask: list[object] = []

    def note(*_sender: object, **more: object) -> None:
        asked_of_flask.append(more)

    reader = app.test_client()
    reader.get(BOARD)
    before = exposition.text().decode()
    with request_started.connected_to(note, app), context.bound({}):
        answers = [reader.get(BOARD) for _ in range(2)]
        assert context.current() == {"request": answers[1].headers["X-Request-ID"], "task": "russe"}
    assert asked_of_flask == []
    assert answers[0].headers["X-Request-ID"] != answers[1].headers["X-Request-ID"]
    assert _boards_counted(exposition.text().decode()) == _boards_counted(before) + 2


def _boards_counted(shown: str) -> float:
    start = 'leaderboard_requests_total{method="GET",route="/tasks/<task>/board",status="200"} '
    return sum(float(line.removeprefix(start)) for line in shown.splitlines() if line.startswith(start))


def test_a_page_that_is_kept_for_one_host_is_sent_to_no_other(installation: Installation) -> None:
    own, other = "http://tasks.example.org", "http://evil.example.net"
    app = create_app(replace(installation.settings, public_url=own))
    try:
        reader = app.test_client()
        assert [reader.get(BOARD, base_url=own).status_code for _ in range(2)] == [200, 200]
        assert reader.get(BOARD, base_url=other).status_code == 400
    finally:
        app.extensions["leaderboard.site"].close()


def test_readers_of_other_preferences_get_their_own(app: Flask) -> None:
    english = {"Accept-Language": "en"}
    for _ in range(2):
        assert 'lang="en"' in app.test_client().get(BOARD, headers=english).text
        assert 'lang="ru"' in app.test_client().get(BOARD, headers={"Accept-Language": "ru"}).text
        dark = app.test_client()
        dark.set_cookie("theme", "dark")
        assert 'data-bs-theme="dark"' in dark.get(BOARD, headers=english).text
        assert 'data-bs-theme="dark"' not in app.test_client().get(BOARD, headers=english).text
        packed = app.test_client().get(BOARD, headers={"Accept-Encoding": "gzip"})
        assert packed.headers["Content-Encoding"] == "gzip"


def test_who_is_signed_in_gets_no_page_of_others_and_others_none_of_theirs(app: Flask) -> None:
    anna = Browser(app)
    anna.register("anna")
    nobody = asked(app)(BOARD).decode()
    for _ in range(2):
        hers = anna.client.get(BOARD, headers=anna.headers)
        assert "anna@example.org" in hers.text
        assert "csrf_token" in hers.text
        assert "private" in hers.headers["Cache-Control"]
        others = app.test_client().get(BOARD).text
        assert "anna" not in others
        assert "csrf_token" not in others
    assert asked(app)(BOARD).decode() == nobody


def test_a_page_changes_with_the_time_though_nothing_is_written(
    installation: Installation, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installation.site.database.writing() as session:
        closing = utc_now() + timedelta(days=1)
        session.execute(update(Phase).values(closes_at=closing, reveals=["own"]))
        session.execute(update(Task).values(names_revealed_at=closing + timedelta(days=1)))
    clock = Clock(utc_now()).install(monkeypatch)
    seen = [asked(app)(BOARD)]
    for _ in range(2):
        clock.move(hours=1)
        assert asked(app)(BOARD) == seen[-1]
        clock.move(hours=23)
        seen.append(asked(app)(BOARD))
    assert len(set(seen)) == 3
    with installation.site.database.writing() as session:
        spec = installation.spec("russe")
        assert board_times.next_change(session, spec, clock.moment) is None
        session.execute(update(Phase).values(closes_at=NOON, reveals=["own", "board"]))


def test_every_table_that_a_board_reads_is_one_whose_changes_are_stamped(
    installation: Installation, app: Flask
) -> None:
    read: set[str] = set()
    engine = app.extensions["leaderboard.site"].database.engine

    def note(*arguments: object) -> None:
        words = str(arguments[2]).replace(",", " ").split()
        read.update(table.strip('"()') for word, table in pairwise(words) if word in ("FROM", "JOIN"))

    event.listen(engine, "before_cursor_execute", note)
    try:
        for address in (*ALL, f"{BOARD}&sort=team", "/tasks/russe/board.json?track=rt"):
            made_anew(app, address)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert read >= {"run", "team", "standing", "board", "phase", "task"}
    assert read - SHOWN == set()


def test_what_the_queue_writes_all_the_time_renews_nothing() -> None:
    assert not shows("UPDATE run SET state=?, lease_until=? WHERE run.id = ?")
    assert not shows("UPDATE run SET attempts=(run.attempts + ?) WHERE run.id = ?")
    assert not shows('INSERT INTO run (task_id, "name") VALUES (?, ?)')
    assert not shows("UPDATE job SET state=? WHERE job.id = ?")
    assert not shows("SELECT run.id FROM run WHERE run.hidden_at IS NULL FOR UPDATE")
    assert shows("UPDATE run SET state=?, hidden_at=? WHERE run.id = ?")
    assert shows('UPDATE "run" SET "name"=? WHERE "run".id = ?')
    assert shows("DELETE FROM run WHERE run.id = ?")
    assert shows("INSERT INTO standing (board_id) SELECT ? FROM standing")


def test_what_is_kept_never_outgrows_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pages, "MOST", 110)
    monkeypatch.setattr(kept_pages, "ABOUT", 0)
    pages = Pages()
    for number in range(10):
        page = kept_pages.Kept(b"x" * 30, [], [], str(number), None, "", {})
        pages.keep("a", (str(number),), page)
        pages.find("a", ("0",), NOON)
    kept = [number for number in range(10) if pages.find("a", (str(number),), NOON)]
    assert kept == [0, 8, 9]
    assert pages.find("b", ("0",), NOON) is None
    pages.keep("a", ("long " * 20,), page)
    assert not any(pages.find("a", (key,), NOON) for key in ("0", "8", "9", "long " * 20))


def test_a_change_that_is_taken_back_renews_nothing(installation: Installation) -> None:
    database = installation.site.database
    before = database.stamp()
    with database.write_engine.connect() as connection:
        connection.execute(update(Team).values(affiliation="x"))
        connection.rollback()
    with database.writing() as session:
        assert queries.task_named(session, "russe") is not None
    assert database.stamp() == before
    with database.writing() as session:
        session.execute(update(Team).values(affiliation="x"))
    assert database.stamp() != before
