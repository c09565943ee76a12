"""What everybody may read of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from leaderboard.contract import PhaseSpec
from leaderboard.services import news, rescoring, standings
from leaderboard.services.news import Change, Item
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.store.models import News, Run, Task, Team
from leaderboard.store.session import Database
from tests.services.ready import ready
from tests.services.toy import NOON, TITLE, Toy, evaluation, make_spec


def read(toy: Toy, hours: float = 0) -> tuple[Item, ...]:
    with toy.database.reading() as session:
        return news.listing(session, toy.spec, NOON + timedelta(hours=hours))


def near(item: Item) -> list[tuple[str, int | None, int | None]]:
    return [(each.team, each.before, each.after) for each in item.changes if each.track == "near"]


def rescore(toy: Toy) -> None:
    rescoring.rescore_all(
        Transactions(toy.database.reading, toy.database.writing),
        toy.files,
        toy.spec,
        toy.scorer,
        lambda: NOON,
        unwatched,
    )


def change(toy: Toy, run_id: int, **values: object) -> None:
    with toy.database.writing() as session:
        session.execute(update(Run).where(Run.id == run_id).values(**values))
        standings.refresh(session, toy.spec, toy.scorer.VERSION, NOON)


def kinds(items: Sequence[Item]) -> list[str]:
    return [item.kind for item in items]


def test_a_new_counted_run_is_news_with_all_the_places_it_moved(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.8, name="first")
    run = toy.enter("blue", 0.1, 0.5, 0.9, minute=1, name="better")
    newest = read(toy)[0]
    assert Change(None, "blue", None, 1, None, None, False) in newest.changes
    assert near(newest) == [("blue", None, 1), ("red", 1, 2)]
    assert [(c.run_id, c.run) for c in newest.changes if c.new_run] == [(run, "better")] * 2


def test_a_run_that_changes_nothing_is_no_news(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    before = len(read(toy))
    toy.enter("red", 0.9, 0.8, 0.1, minute=1)
    toy.enter("blue", 0.1, 0.5, 0.8, minute=2, kind="contrastive")
    assert len(read(toy)) == before


def test_new_gold_is_one_piece_of_news_and_its_rescoring_another(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    toy.enter("blue", 0.4, 0.6, 0.9, minute=1)
    before = len(read(toy))
    toy.install_gold(near=(0.4, 0.6, 0.9))
    assert kinds(read(toy))[: len(read(toy)) - before] == ["gold"]
    assert read(toy)[0].versions == {"near": 2}
    rescore(toy)
    items = read(toy)
    assert kinds(items)[: len(items) - before] == ["places", "gold"]
    assert near(items[0]) == [("blue", 2, 1), ("red", 1, 2)]


def test_a_run_sent_amid_a_rescoring_is_told_of_with_it(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    toy.install_gold(near=(0.4, 0.6, 0.9))
    before = len(read(toy))
    toy.enter("blue", 0.4, 0.6, 0.9, minute=1)
    # On the track that has no new gold, all runs are scored: that is told at once.
    assert [near(item) for item in read(toy)[: len(read(toy)) - before]] == [[]]
    rescore(toy)
    assert near(read(toy)[0]) == [("blue", None, 1), ("red", 1, 2)]


def test_a_gold_that_changes_no_place_brings_no_news_of_places(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    toy.install_gold(near=(0.1, 0.5, 0.8))
    rescore(toy)
    assert kinds(read(toy)) == ["gold", "places", "gold"]


def test_names_are_those_that_the_public_reads_when_it_reads(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    with toy.database.writing() as session:
        session.execute(update(Team).values(alias="Alias"))
        session.execute(update(Task).values(names_revealed_at=NOON + timedelta(hours=1)))
    assert near(read(toy)[0]) == [("Alias", None, 1)]
    assert near(read(toy, hours=1)[0]) == [("red", None, 1)]


@pytest.mark.parametrize("gone", [{"withdrawn_at": NOON}, {"hidden_at": NOON}])
def test_a_run_that_is_not_public_any_more_is_not_named(toy: Toy, gone: dict[str, object]) -> None:
    run = toy.enter("red", 0.1, 0.5, 0.9, name="secret")
    change(toy, run, **gone)
    left, entered = read(toy)[:2]
    assert near(left) == [("red", 1, None)]
    assert [(c.run_id, c.run, c.new_run) for c in entered.changes if c.track] == [(None, None, True)] * 2


def test_of_a_phase_that_hides_its_board_nothing_is_told_before_it_closes(
    database: Database, tmp_path: Path
) -> None:
    (phase,) = evaluation()
    hiding = make_spec(phases=(replace(phase, reveals=("own",)),))
    toy = ready(database, tmp_path, hiding)
    toy.enter("red", 0.1, 0.5, 0.9)
    assert kinds(read(toy)) == ["gold"]
    assert kinds(read(toy, hours=25)) == ["places", "gold"]


def test_late_runs_are_no_news(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    toy.enter("red", 0.1, 0.5, 0.8)
    before = read(toy)
    toy.enter("blue", 0.1, 0.5, 0.9, minute=90)
    assert read(toy) == before


def test_the_oldest_news_go_and_the_newest_stay(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(news, "KEPT", 3)
    for number in range(5):
        toy.enter(f"team {number}", 0.1, 0.5, 0.5 + number / 100, minute=number)
    with toy.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(News)) == 3
    assert near(read(toy)[0])[0] == ("team 4", None, 1)


def test_of_very_many_moves_the_first_are_listed_and_the_rest_counted(
    toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "LISTED", 2)
    for number in range(4):
        toy.enter(f"team {number}", 0.1, 0.5, 0.5 + number / 100, minute=number)
    newest = read(toy)[0]
    assert len(newest.changes) == 2
    assert {each.team for each in newest.changes if each.new_run} == {"team 3"}
    assert newest.more > 2


def test_a_phase_without_a_name_in_the_folder_any_more_keeps_its_news(toy: Toy) -> None:
    toy.enter("red", 0.1, 0.5, 0.9)
    other = Toy(toy.database, toy.folder, replace(toy.spec, phases=(PhaseSpec("new", TITLE),))).install()
    assert kinds(read(other)) == ["places", "gold"]
