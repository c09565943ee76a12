"""A ranking stands still for everybody but the organisers."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import (
    boards,
    comparisons,
    fields,
    freezing,
    news,
    notices,
    public_runs,
    run_pages,
    shown_studies,
    standings,
    task_pages,
    team_runs,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.freezing import NotPossible
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.stored_studies import Wanted
from leaderboard.services.studies import Column
from leaderboard.store.models import FROZEN, Board, Notice
from tests.services import drafting
from tests.services.members import captain, send, team_id
from tests.services.organising import log, told
from tests.services.toy import NOON, Toy

AT = NOON + timedelta(minutes=30)
GOOD, BETTER = (0.1, 0.5, 0.8), (0.1, 0.5, 0.9)


def freeze(toy: Toy) -> None:
    with toy.database.writing() as session:
        freezing.freeze(session, toy.spec, "1", "open", SHELL, AT)


def unfreeze(toy: Toy) -> None:
    with toy.database.writing() as session:
        freezing.unfreeze(session, toy.spec, "1", "open", SHELL, NOON + timedelta(hours=9))


def places_told(toy: Toy) -> int:
    with toy.database.reading() as session:
        return sum(item.kind == "places" for item in news.listing(session, toy.spec, NOON))


def live(toy: Toy, track: str | None) -> list[tuple[str, int | None]]:
    with toy.database.reading() as session:
        found = boards.board(session, toy.spec, track, "open", live=True)
    return [(row.team, row.place) for row in found.rows]


@pytest.fixture
def frozen(toy: Toy) -> tuple[Toy, int, int]:
    """Team a leads; the ranking is frozen; then b overtakes it. The toy, a person of each team."""
    a, b = captain(toy, "a"), captain(toy, "b")
    with toy.database.writing() as session:
        notices.choose(session, toy.spec, a, told=True)
    send(toy, a, *GOOD)
    freeze(toy)
    send(toy, b, *BETTER, hours=1)
    return toy, a, b


def test_others_read_the_ranking_as_it_was_and_organisers_as_it_is(frozen: tuple[Toy, int, int]) -> None:
    toy = frozen[0]
    assert toy.lines("near") == [("a", 1)]
    assert toy.lines(None) == [("a", 1)]
    assert live(toy, "near") == [("b", 1), ("a", 2)]
    with toy.database.reading() as session:
        (page,) = task_pages.overview(session, [toy.spec], NOON)
        assert {leader.team for leader in page.leaders} == {"a"}
        assert page.phases[0].frozen_at == AT


def test_neither_news_nor_notices_tell_the_places_meanwhile(frozen: tuple[Toy, int, int]) -> None:
    toy = frozen[0]
    before = places_told(toy)
    assert before == 1
    with toy.database.reading() as session:
        assert session.scalars(select(Notice)).all() == []
    unfreeze(toy)
    assert places_told(toy) == before + 1
    with toy.database.reading() as session:
        (notice,) = session.scalars(select(Notice)).all()
        assert {change["track"] for change in notice.changes} >= {"near"}
    assert toy.lines("near") == [("b", 1), ("a", 2)]
    assert [each.what for each in told(toy)] == ["frozen", "frozen"]
    assert [action for action, _, _ in log(toy)] == ["phase.frozen", "phase.unfrozen"]


def test_a_run_that_came_meanwhile_is_told_to_its_team_without_a_place(frozen: tuple[Toy, int, int]) -> None:
    toy, _, b = frozen
    with toy.database.reading() as session:
        (summary,) = run_pages.listing(session, toy.spec, "b")
        shown = team_runs.show(session, toy.spec, team_id(toy, b), summary.run_id, NOON)
        with pytest.raises(UnknownRun):
            public_runs.show(session, toy.spec, summary.run_id, NOON)
    near = next(result for result in shown.page.results if result.track == "near")
    assert near.values["closeness"] == 1.0
    assert (near.place, near.listed) == (None, False)
    assert "frozen" in str(near.reason)
    assert not shown.stands["near"].has_place
    assert shown.stands["near"].teams == 1


def test_the_place_of_an_overtaken_run_stays_as_it_was(frozen: tuple[Toy, int, int]) -> None:
    toy = frozen[0]
    with toy.database.reading() as session:
        (summary,) = run_pages.listing(session, toy.spec, "a")
        page = public_runs.show(session, toy.spec, summary.run_id, NOON)
        assert {result.place for result in page.results} == {1}
        assert [line.place for line in fields.field(session, toy.spec, "open")["near"]] == [1]


def test_new_gold_leaves_the_frozen_ranking_as_it_is(frozen: tuple[Toy, int, int]) -> None:
    toy = frozen[0]
    toy.install_gold(near=(0.9, 0.5, 0.1))
    with toy.database.writing() as session:
        standings.refresh(session, toy.spec, "1", NOON)
    assert toy.lines("near") == [("a", 1)]
    with toy.database.reading() as session:
        assert boards.board(session, toy.spec, "near", "open").gold_version == 1
        assert boards.board(session, toy.spec, "near", "open", live=True).gold_version == 2


def test_every_stored_ranking_is_read_as_it_is_stored_for_the_archive(frozen: tuple[Toy, int, int]) -> None:
    toy = frozen[0]
    with toy.database.reading() as session:
        stored = session.execute(select(Board.stage, Board.track)).all()
        read = [
            (stage, len(boards.board(session, toy.spec, track, "open", stage=stage, live=True).rows))  # type: ignore[arg-type] # stored ones
            for stage, track in stored
        ]
        assert [choice.team for choice in comparisons.choices(session, toy.spec, NOON)] == ["a"]
    assert {lines for stage, lines in read if stage in FROZEN} == {2}
    assert {lines for stage, lines in read if stage not in FROZEN} == {1}


def test_nothing_is_left_of_the_copies_and_twice_is_refused(frozen: tuple[Toy, int, int]) -> None:
    toy = frozen[0]
    with pytest.raises(NotPossible, match="frozen already"):
        freeze(toy)
    unfreeze(toy)
    with pytest.raises(NotPossible, match="not frozen"):
        unfreeze(toy)
    with toy.database.reading() as session:
        copies = select(Board).where(Board.stage.in_(FROZEN.values()))
        assert session.scalars(copies).all() == []


def test_gold_that_is_applied_meanwhile_shows_nobody_its_values(toy: Toy) -> None:
    a, b = captain(toy, "a"), captain(toy, "b")
    run, other = send(toy, a, *GOOD).run_id, send(toy, b, *BETTER).run_id
    freeze(toy)
    near = toy.spec.track("near")
    wanted = Wanted("open", (Column(near, near.primary),), all_runs=True, seed=1)
    with toy.database.reading() as session:
        before = public_runs.show(session, toy.spec, run, AT)
        view = before.phase
        studied = shown_studies.show(session, toy.spec, view, wanted, AT)
    drafting.apply(toy, drafting.ready(toy).number)
    with toy.database.reading() as session:
        meanwhile = public_runs.show(session, toy.spec, run, AT)
        assert meanwhile.results == before.results
        assert [result.place for result in meanwhile.results if result.track == "near"] == [2]
        for track, found in before.per_topic.items():
            for measure, values in found.values.items():
                assert meanwhile.per_topic[track].values[measure].tolist() == values.tolist()
        assert shown_studies.show(session, toy.spec, view, wanted, AT) is studied
    unfreeze(toy)
    with toy.database.reading() as session:
        after = public_runs.show(session, toy.spec, run, AT)
        versions = [(each.gold_version, each.active) for each in after.results if each.track == "near"]
        assert versions == [(2, True), (1, False)]
        assert public_runs.show(session, toy.spec, other, AT).results != before.results
