"""No page asks the database once for each of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from leaderboard.web.kept_pages import Pages
from tests.web.browser import Browser
from tests.web.marked import Marked

MANY = 12


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Marked]:
    made = Marked.make(tmp_path_factory.mktemp("counted"), tasks_folder)
    yield made
    made.installation.site.close()


def counted(site: Marked) -> dict[tuple[str, str], int]:
    """How many statements each address takes, by who asks."""
    found: dict[tuple[str, str], int] = {}
    statements: list[str] = []
    engine = site.app.extensions["leaderboard.site"].database.engine

    def note(*arguments: object) -> None:
        statements.append(str(arguments[2]))

    event.listen(engine, "before_cursor_execute", note)
    try:
        people = {
            "nobody": Browser(site.app),
            "captain": site.carla,
            "organiser": site.olga,
            "admin": site.ada,
        }
        for who, browser in people.items():
            for _, address in site.addresses():
                site.app.extensions["leaderboard.kept_pages"] = Pages()
                statements.clear()
                answer = browser.client.get(address, headers=browser.headers, buffered=True)
                if answer.status_code == 200:
                    found[who, address] = len(statements)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    return found


def test_no_address_takes_more_statements_where_there_is_more(site: Marked) -> None:
    counted(site)
    few = counted(site)
    site.installation.submit_for_many("russe", MANY, ["Angara", "Onega"], "more")
    many = counted(site)
    grown = {address for (who, address), before in few.items() if many.get((who, address), 0) > before}
    assert len(few) > 150
    assert grown == set()
