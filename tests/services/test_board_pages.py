"""A board as its page shows it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from leaderboard.contract import PhaseSpec
from leaderboard.services import board_pages, boards, references
from leaderboard.services.board_pages import BoardPage, Wanted
from leaderboard.services.boards import NoBoard
from leaderboard.store.models import Task, Team
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.toy import NOON, TITLE, Toy, evaluation, make_spec

RUNS = {"red": (0.1, 0.5, 0.9), "blue": (0.1, 0.5, 0.7), "green": (0.4, 0.6, 0.9), "grey": (0.0, 0.0, 0.0)}


@pytest.fixture
def filled(toy: Toy) -> Toy:
    def fill() -> None:
        for minute, (team, values) in enumerate(RUNS.items()):
            toy.enter(team, *values, minute=10 - minute)

    kept("boards", toy.database, toy.folder, fill)
    return toy


def show(toy: Toy, track: str | None = "near", **wanted: object) -> BoardPage:
    with toy.database.reading() as session:
        return board_pages.show(session, toy.spec, replace(Wanted(track), **wanted), NOON)  # type: ignore[arg-type]


def teams(shown: BoardPage) -> list[str]:
    assert shown.board is not None
    return [row.team for row in shown.board.rows]


def test_without_a_wish_lines_stand_in_the_order_of_the_ranking(filled: Toy) -> None:
    assert teams(show(filled)) == ["red", "blue", "green", "grey"]


def test_lines_without_a_value_stay_last_whichever_way_they_are_sorted(filled: Toy) -> None:
    assert teams(show(filled, sort="same"))[-1] == "grey"
    assert teams(show(filled, sort="same", descending=False))[-1] == "grey"


def test_lines_are_sorted_by_the_value_of_any_column(filled: Toy) -> None:
    assert teams(show(filled, sort="near", descending=False)) == ["grey", "green", "blue", "red"]
    assert teams(show(filled, sort="P@1", columns="measures"))[-1] == "green"


def test_lines_are_sorted_by_team_and_by_time(filled: Toy) -> None:
    assert teams(show(filled, sort="team", descending=False)) == ["blue", "green", "grey", "red"]
    assert teams(show(filled, sort="submitted")) == ["red", "blue", "green", "grey"]
    assert teams(show(filled, sort="submitted", descending=False)) == ["grey", "green", "blue", "red"]


def test_the_first_column_is_the_one_that_ranks(filled: Toy) -> None:
    assert [(c.key, c.primary) for c in show(filled, "same").columns] == [("same", True), ("near", False)]
    measures = show(filled, columns="measures").columns
    assert [(c.measure, c.primary) for c in measures] == [("closeness", True), ("P@1", False)]


def test_overall_no_column_ranks(filled: Toy) -> None:
    assert [(c.key, c.primary) for c in show(filled, None).columns] == [("near", False), ("same", False)]


@pytest.mark.parametrize("sort", [None, "near"])
def test_a_long_board_comes_in_pages(filled: Toy, sort: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_pages, "PER_PAGE", 3)
    assert teams(show(filled, sort=sort)) == ["red", "blue", "green"]
    assert teams(show(filled, sort=sort, page=2)) == ["grey"]
    assert show(filled, sort=sort).pages == 2


def test_beyond_the_last_page_is_the_last_page(filled: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_pages, "PER_PAGE", 3)
    shown = show(filled, page=50)
    assert (teams(shown), shown.wanted.page) == (["grey"], 2)


@pytest.mark.parametrize("wanted", [{"track": "none"}, {"phase": "none"}, {"sort": "none"}, {"sort": "P@1"}])
def test_what_the_task_does_not_have_is_no_board(filled: Toy, wanted: dict[str, str]) -> None:
    with pytest.raises(NoBoard):
        show(filled, **wanted)


def test_a_task_without_an_overall_ranking_has_no_such_board(filled: Toy) -> None:
    with pytest.raises(NoBoard):
        show(Toy(filled.database, filled.folder, replace(filled.spec, overall=None)), None)


def test_a_board_that_the_phase_hides_is_not_shown(filled: Toy) -> None:
    hiding = replace(filled.spec, phases=(PhaseSpec("open", TITLE, reveals=("own",)),))
    hidden = Toy(filled.database, filled.folder, hiding).install()
    shown = show(hidden)
    assert shown.board is None
    assert "once the phase has closed" in str(shown.why_none)
    with hidden.database.reading() as session, pytest.raises(NoBoard):
        board_pages.whole(session, hidden.spec, Wanted("near"), NOON)


def test_phases_to_come_are_not_offered(filled: Toy) -> None:
    later = PhaseSpec("later", TITLE, NOON.replace(year=2030))
    spec = replace(filled.spec, phases=(PhaseSpec("open", TITLE), later))
    shown = show(Toy(filled.database, filled.folder, spec).install())
    assert [phase.name for phase in shown.phases] == ["open"]


def test_without_gold_the_page_says_why_there_is_no_board(toy: Toy) -> None:
    bare = Toy(toy.database, toy.folder / "bare", replace(toy.spec, name="bare")).install()
    assert "not installed" in str(show(bare).why_none)


def test_published_results_stand_best_first_under_the_measures_they_have(filled: Toy, tmp_path: Path) -> None:
    file = tmp_path / "official.csv"
    file.write_text("run,participant,P_1,P_5\nweak,A,0.2,0.9\nstrong,B,0.7,0.8\nother,C,,0.5\n")
    with filled.database.writing() as session:
        references.import_csv(session, filled.spec, file, "a paper", track="near")
    shown = show(filled)
    assert [row.run_name for row in shown.published] == ["strong", "weak"]
    assert [column.measure for column in shown.published_columns] == ["P@1"]
    assert show(filled, "same").published == ()
    assert show(filled, None).published == ()


@pytest.fixture
def closed(database: Database, tmp_path: Path) -> Toy:
    """An evaluation that closed an hour after noon, with runs of every kind, one of them late."""
    toy = Toy(database, tmp_path, make_spec(phases=evaluation(closes=1)))

    def fill() -> None:
        toy.install().install_gold()
        toy.enter("red", 0.1, 0.5, 0.8)
        toy.enter("blue", 0.1, 0.5, 0.7, minute=1)
        toy.enter("base", 0.1, 0.5, 0.6, minute=2, kind="baseline")
        toy.enter("side", 0.1, 0.5, 0.5, minute=3, kind="contrastive")
        toy.enter("late", 0.1, 0.5, 0.9, minute=90)

    kept("an evaluation that closed", database, tmp_path, fill)
    return toy


def test_the_late_runs_are_left_out_unless_asked_for(closed: Toy) -> None:
    assert teams(show(closed)) == ["red", "blue", "base", "side"]
    assert teams(show(closed, shown=frozenset(("late",)))) == ["late", "red", "blue"]
    assert teams(show(closed, shown=frozenset())) == ["red", "blue"]


def test_it_says_how_much_there_is_to_show_or_to_leave_out(closed: Toy) -> None:
    assert show(closed, shown=frozenset()).toggles == {"baseline": 1, "contrastive": 1, "late": 1}


def test_late_runs_are_ranked_on_a_board_of_their_own_and_move_no_other(closed: Toy) -> None:
    before = show(closed)
    after = show(closed, stage="post-evaluation")
    assert before.has_late_board
    assert before.board is not None
    assert after.board is not None
    places = [(row.team, row.place) for row in after.board.rows]
    assert places == [("late", 1), ("red", 2), ("blue", 3), ("base", None), ("side", None)]
    assert [(row.team, row.place) for row in before.board.rows][:2] == [("red", 1), ("blue", 2)]
    assert after.toggles == {"baseline": 1, "contrastive": 1}


def test_without_late_runs_there_is_no_board_for_them(filled: Toy) -> None:
    assert not show(filled).has_late_board
    with pytest.raises(NoBoard, match="came late"):
        show(filled, stage="post-evaluation")


def test_the_pages_count_the_lines_that_are_shown(closed: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_pages, "PER_PAGE", 2)
    assert show(closed).pages == 2
    assert show(closed, shown=frozenset()).pages == 1
    assert teams(show(closed, page=2)) == ["base", "side"]


def test_a_file_has_all_the_pages_in_the_order_asked_for(
    closed: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board_pages, "PER_PAGE", 2)
    wanted = Wanted("near", sort="team", descending=False, page=2, shown=frozenset(("baseline",)))
    with closed.database.reading() as session:
        assert teams(board_pages.whole(session, closed.spec, wanted, NOON)) == ["base", "blue", "red"]


def test_published_results_can_be_left_out(filled: Toy) -> None:
    path = filled.write("published.csv", "run,P_1", "theirs,0.5")
    with filled.database.writing() as session:
        references.import_csv(session, filled.spec, path, "A paper")
    assert show(filled).toggles == {"reference": 1}
    assert len(show(filled).published) == 1
    hidden = show(filled, shown=frozenset())
    assert (hidden.published, hidden.toggles) == ((), {"reference": 1})


def test_teams_are_called_by_their_alias_until_names_are_revealed(filled: Toy) -> None:
    revealed = NOON + timedelta(hours=1)
    with filled.database.writing() as session:
        session.execute(update(Team).where(Team.name == "red").values(alias="Zorro"))
        session.execute(update(Task).values(names_revealed_at=revealed))
    assert teams(show(filled, sort="team"))[0] == "Zorro"
    with filled.database.reading() as session:
        assert teams(board_pages.show(session, filled.spec, Wanted("near"), revealed))[0] == "red"
        # Whoever does not say when the public reads it gets no name that may still be hidden.
        assert boards.board(session, filled.spec, "near", "open").rows[0].team == "Zorro"
        found = boards.with_own_names(session, boards.board(session, filled.spec, "near", "open"))
    assert found.rows[0].team == "red"
