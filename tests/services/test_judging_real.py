"""A campaign over real passages of TREC CAsT 2020, from the pool to the board that it moves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.catalog import Catalog, load_scorer
from leaderboard.services import (
    boards,
    draft_applying,
    draft_jobs,
    drafts,
    gold,
    judging,
    judging_material,
    judging_results,
    queue,
    runs,
    scoring,
    tasks,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_answers import Handed
from leaderboard.services.judging_plans import Plan, Settings
from leaderboard.services.rescoring import Transactions
from leaderboard.store.session import Database
from tests.services.campaigns import REPOSITORY, Campaigns, progress
from tests.services.toy import NOON

TOPICS = ("81_1", "83_2", "100_1")


@pytest.fixture
def real(shared_data: Path, sqlite_template: Path, tmp_path: Path) -> Iterator[Campaigns]:
    """The task cast2020 with the gold of three topics and two real runs."""
    shutil.copyfile(sqlite_template, tmp_path / "leaderboard.db")
    made = Campaigns(Database(f"sqlite:///{tmp_path / 'leaderboard.db'}"), tmp_path)
    made.spec = Catalog((REPOSITORY / "tasks",)).find("cast2020")
    made.scorer = load_scorer(made.spec)
    source = shared_data / "cast2020"
    (tmp_path / "gold").mkdir()
    of_topics(source / "gold" / "graded.qrels", tmp_path / "gold" / "graded.qrels")
    of_topics(source / "passages" / "cast_snippets_2020.tsv", tmp_path / "texts.tsv")
    with made.database.writing() as session:
        tasks.install(session, made.spec, NOON)
        gold.install(session, made.files, made.spec, made.scorer, tmp_path / "gold", "real", NOON)
    for number in (1, 2):
        run = tmp_path / f"{number}.run"
        of_topics(source / "runs" / f"decaf2020_0{number}.run", run)
        wanted = runs.Details(f"team {number}")
        with made.database.writing() as session:
            sent = runs.submit(session, made.files, made.spec, made.scorer, run, wanted, NOON)
        with made.database.writing() as session:
            scoring.score(session, made.files, made.spec, made.scorer, sent.run_id, NOON)
    yield made
    made.database.close()


def of_topics(source: Path, target: Path) -> None:
    """The lines of a file that belong to the three topics, and its header."""
    with source.open(encoding="utf-8") as lines:
        kept = [line for line in lines if line.split()[0] in (*TOPICS, "turn_id")]
    target.write_text("".join(kept), encoding="utf-8")


def values(real: Campaigns) -> dict[str, float | None]:
    with real.database.reading() as session:
        return {row.team: row.value for row in boards.board(session, real.spec, "graded", "open").rows}


def shorter(handed: Handed) -> str:
    left, right = handed.texts
    return "left" if (len(left), left) < (len(right), right) else "right"


def test_two_judges_run_a_campaign_on_real_texts_and_its_gold_moves_the_board(real: Campaigns) -> None:
    plan = Plan("Shorter is better", "preference", "graded", Settings("tournament", k=3), open_to="anyone")
    with real.database.writing() as session:
        number = judging.create(session, real.spec, plan, SHELL, NOON)
        count = judging_material.pool_from_texts(
            session, real.files, real.spec, number, real.folder / "texts.tsv", "graded"
        )
        judging.open_(session, real.spec, number, SHELL, NOON)
    assert count == 15
    judges = [real.judge(number), real.judge(number)]
    while any(units := [real.next(number, judge) for judge in judges]):
        for judge, handed in zip(judges, units, strict=True):
            for each in handed:
                real.answer(number, judge, each, shorter(each))
    now = progress(real, number)
    assert (now.topics_done, now.open, now.with_judges) == (3, 0, 0)
    assert now.at_most is not None
    assert now.given <= now.at_most
    before = values(real)
    with real.database.writing() as session:
        made = judging_results.draft(session, real.files, real.spec, real.scorer, number, "", SHELL, NOON)
    transactions = Transactions(real.database.reading, real.database.writing)
    job = draft_jobs.job(transactions, real.files, lambda _: (real.spec, real.scorer), lambda: NOON)
    assert queue.run(real.database.writing, {drafts.JOB: job}, made.job_id, lambda: NOON) == "done"
    assert values(real) == before
    with real.database.writing() as session:
        draft_applying.apply(session, real.spec, real.scorer, made.number, SHELL, NOON, "")
    assert values(real) != before
    with real.database.reading() as session:
        (active,) = gold.active(session, real.spec)
    assert active.note == "Shorter is better (campaign 1)"
    # All graded items are still there, below the levels.
    content = real.files.gold.path(active.file_hash).read_text().splitlines()
    assert len(content) == len((real.folder / "gold" / "graded.qrels").read_text().splitlines())
    assert sum(float(line.split()[3]) >= 10 for line in content) == 9
