"""RT with fifty pairs turned round: the difference of the draft is that of two installations."""

from __future__ import annotations

import csv
import random
import shutil
from pathlib import Path

import pytest

from leaderboard.contract import TaskSpec
from leaderboard.services import draft_applying, draft_jobs, draft_pages, drafts, queue
from leaderboard.services.audit import SHELL
from leaderboard.services.rescoring import Transactions
from leaderboard.store.session import Database
from tests.services.test_real_boards import START, Installation, install

pytestmark = pytest.mark.slow

FLIPPED = 50


def flipped(gold: Path, folder: Path) -> Path:
    """A copy of the gold in which the judgment of fifty pairs of RT is the other one."""
    shutil.copytree(gold, folder)
    path = folder / "rt-test.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        head, *rows = csv.reader(stream)
    for number in random.Random(11).sample(range(len(rows)), FLIPPED):
        *pair, value = rows[number]
        rows[number] = [*pair, str(1 - int(float(value)))]
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([head, *rows])
    return folder


def draft(made: Installation, path: Path) -> draft_pages.DraftPage:
    """What a draft with this RT says."""
    with made.database.writing() as session:
        found = drafts.make(
            session, made.files, made.spec, made.scorer, {"rt": path}, "gold", "fifty flipped", SHELL, START
        )

    def task_of(_name: str) -> tuple[TaskSpec, object]:
        return made.spec, made.scorer

    transactions = Transactions(made.database.reading, made.database.writing)
    job = draft_jobs.job(transactions, made.files, task_of, lambda: START)  # type: ignore[arg-type] # the same scorer
    queue.run(made.database.writing, {drafts.JOB: job}, found.job_id, lambda: START)
    with made.database.reading() as session:
        return draft_pages.show(session, made.spec, found.number)


def placed(made: Installation, track: str | None) -> dict[str, tuple[int, float | None]]:
    return {row.team: (row.place, row.value) for row in made.board(track).rows if row.place is not None}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_fifty_flipped_pairs_move_what_a_fresh_installation_says(
    database: Database, tmp_path: Path, tasks_folder: Path, shared_data: Path
) -> None:
    russe = shared_data / "russe"
    turned = flipped(russe / "gold", tmp_path / "turned")
    drafted = install(database, tmp_path, tasks_folder / "russe", "russe", russe, russe / "gold")
    fresh = install(database, tmp_path, tasks_folder / "russe", "fresh", russe, turned)
    # Every second run is enough, and each is scored three times.
    paths = sorted((russe / "runs").glob("*.csv"))[::2]
    drafted.submit_all(paths)
    fresh.submit_all(paths)
    before = {track: placed(drafted, track) for track in ("hj", "rt", "ae", None)}

    page = draft(drafted, turned / "rt-test.csv")
    assert page.boards is not None
    assert any(board.moves for board in page.boards)
    for board in page.boards:
        expected = placed(fresh, board.track)
        said = {
            move.team: ((move.place_before, move.value_before), (move.place_after, move.value_after))
            for move in board.moves
        }
        none = (None, None)
        assert said == {
            team: (before[board.track].get(team, none), expected.get(team, none))
            for team in before[board.track].keys() | expected.keys()
            if before[board.track].get(team, none)[0] != expected.get(team, none)[0]
        }
    rt = next(board for board in page.boards if board.track == "rt")
    others = [(before["rt"][team][1], value) for team, (_, value) in placed(fresh, "rt").items()]
    assert rt.changed == sum(one != other for one, other in others)

    with database.writing() as session:
        draft_applying.apply(session, drafted.spec, drafted.scorer, 1, SHELL, START)
    assert drafted.plain() == fresh.plain()
