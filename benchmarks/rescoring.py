"""Drafts of new gold: 105 runs of RUSSE and 42 of CAsT scored on one, compared and applied.

Each is done by a process of its own, whose peak memory is what it needed. Ten times as many runs must
take ten times as long in the same memory.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import cast, russe
from benchmarks.timing import peak
from leaderboard.catalog import load_scorer, load_task
from leaderboard.contract import TaskSpec
from leaderboard.services import draft_applying, draft_scoring, drafts, gold, rescoring, tasks
from leaderboard.services.audit import SHELL
from leaderboard.services.rescoring import Transactions, unwatched
from leaderboard.store import queries, schema
from leaderboard.store.files import Files
from leaderboard.store.models import Run, Team
from leaderboard.store.session import Database

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASKS = Path(__file__).parent.parent / "tasks"
MANY = (100, 300, 1000)


@dataclass(frozen=True)
class Taken:
    """Seconds to score all runs, to compare, and to apply; of the scoring also those of the processor alone,
    which a busy machine lengthens less; the peak of memory in MB, and what was there before the first run."""

    score: float
    processor: float
    compare: float
    apply: float
    peak: float
    before: float


def run(folder: Path) -> None:
    """Writes gold and runs to `folder`, makes drafts, times them and prints."""
    pairs_folder, cast_folder = folder / "russe", folder / "cast"
    for made in (pairs_folder, cast_folder):
        made.mkdir()
    pairs = russe.write_golds(pairs_folder)
    paths = [russe.write_run(pairs_folder / f"{n}.csv", n, pairs) for n in range(russe.RUNS)]
    whole = _draft(pairs_folder / "whole", "russe", pairs_folder, paths, len(paths), scored=True)
    _show(f"RUSSE, {len(paths)} runs of {russe.PAIRS} pairs", whole, len(paths))

    collection = [cast.docno_of(random.Random(number)) for number in range(100_000)]
    golds = cast.write_golds(cast_folder, collection)
    runs = [cast.write_run(cast_folder / f"{n}.run", n, collection, golds) for n in range(cast.RUNS)]
    whole = _draft(cast_folder / "whole", "cast", cast_folder, runs, len(runs), scored=True)
    _show(f"CAsT, {len(runs)} runs of {cast.TOPICS} topics × {cast.DEPTH} passages", whole, len(runs))

    print("\nRUSSE, more runs: linear, in the same memory")
    found = {n: _draft(pairs_folder / str(n), "russe", pairs_folder, paths, n, scored=False) for n in MANY}
    for count, taken in found.items():
        ratio = (taken.processor / count) / (found[MANY[0]].processor / MANY[0])
        print(
            f"  {count:>5} runs  {taken.score:>7.1f} s  {count / taken.score:>6.1f} runs/s"
            f"  processor {taken.processor:>6.1f} s, {ratio:>4.2f} × that of a run among {MANY[0]}"
            f"  peak {taken.peak:>5.0f} MB"
        )


def _show(title: str, taken: Taken, count: int) -> None:
    print(f"\n{title}: a draft of all tracks")
    print(
        f"  scoring    {taken.score:>7.1f} s  {count / taken.score:>6.1f} runs/s"
        f"  (processor {taken.processor:.1f} s, {count / taken.processor:.1f} runs/s)"
    )
    print(f"  comparing  {taken.compare:>7.2f} s")
    print(f"  applying   {taken.apply:>7.2f} s")
    print(f"  memory     {taken.peak:>7.0f} MB at most, {taken.before:.0f} MB before the first run")


def _draft(folder: Path, task: str, golds: Path, paths: Sequence[Path], count: int, *, scored: bool) -> Taken:
    """A draft of all tracks of a task with so many runs, `scored` on the gold before it or not."""
    spec = replace(load_task(TASKS / task), phases=())
    folder.mkdir()
    _install(folder, spec, golds, paths, count, scored=scored)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (folder, task))


def _install(
    folder: Path, spec: TaskSpec, golds: Path, paths: Sequence[Path], count: int, *, scored: bool
) -> None:
    database, files, scorer = Database(f"sqlite:///{folder / 'db'}"), Files.under(folder), load_scorer(spec)
    schema.upgrade(database)
    hashes = [files.kept.put_file(path).file_hash for path in paths]
    with database.writing() as session:
        tasks.install(session, spec, NOW)
        gold.install(session, files, spec, scorer, golds, "", NOW)
        task = tasks.known(session, spec.name)
        phase = queries.phases_of(session, task.id)[0]
        for number in range(count):
            team = Team(task_id=task.id, name=f"team {number}", created_at=NOW)
            session.add(team)
            session.flush()
            moment = NOW + timedelta(minutes=number)
            row = new_run(task.id, phase.id, team.id, hashes[number % len(hashes)], moment)
            row.state = "received" if scored else "scored"
            session.add(row)
    if scored:
        transactions = Transactions(database.reading, database.writing)
        rescoring.finish_pending(transactions, files, spec, scorer, lambda: NOW, unwatched)
    _perturbed(folder / "new", spec, golds)
    paths_of = {track.name: folder / "new" / track.gold for track in spec.tracks}
    with database.writing() as session:
        drafts.make(session, files, spec, scorer, paths_of, "gold", "", SHELL, NOW)
    database.close()


def new_run(task_id: int, phase_id: int, team_id: int, file_hash: str, moment: datetime) -> Run:
    """A run that waits for its scores, not written yet."""
    return Run(
        task_id=task_id,
        phase_id=phase_id,
        team_id=team_id,
        name="run",
        file_hash=file_hash,
        file_name="run",
        size=1,
        submitted_at=moment,
        received_at=moment,
        state="received",
        kind="ordinary",
        late=False,
        warnings=(),
        notes=(),
        left_out=(),
        faults=[],
    )


def _perturbed(folder: Path, spec: TaskSpec, golds: Path) -> None:
    """Gold without its last line: another file, and nearly the same work."""
    folder.mkdir()
    for name in {track.gold for track in spec.tracks}:
        lines = (golds / name).read_text("utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:-1]), "utf-8")


def _measured(folder: Path, task: str) -> Taken:
    """Scores, compares and applies the draft; in a process of its own."""
    spec = replace(load_task(TASKS / task), phases=())
    scorer, database, files = load_scorer(spec), Database(f"sqlite:///{folder / 'db'}"), Files.under(folder)
    transactions, before = Transactions(database.reading, database.writing), peak()
    started, busy = time.perf_counter(), time.process_time()
    draft_scoring.score_all(transactions, files, spec, scorer, 1, lambda: NOW, unwatched)
    scored, processor = time.perf_counter(), time.process_time() - busy
    most = peak()
    with database.writing() as session:
        drafts.compare(session, spec, 1, NOW)
    compared = time.perf_counter()
    with database.writing() as session:
        draft_applying.apply(session, spec, scorer, 1, SHELL, NOW)
    applied = time.perf_counter()
    database.close()
    return Taken(scored - started, processor, compared - scored, applied - compared, most, before)
