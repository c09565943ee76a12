"""What organisers and everybody see of MJ."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from leaderboard.contract import SplitSpec
from leaderboard.services import freezing, mj, mj_pages, public_values
from leaderboard.services.audit import SHELL
from leaderboard.services.mj_pages import Mj, NotPublishable, UnknownMj, UnknownWord
from leaderboard.store.session import Database
from tests.kept import kept
from tests.services.pair_task import GOOD, PairTask
from tests.services.toy import NOON


@pytest.fixture
def task(database: Database, tmp_path: Path) -> PairTask:
    """The task with two builds from one run."""
    made = PairTask(database, tmp_path)
    parts = made.transactions, made.files, made.spec, made.scorer

    def fill() -> None:
        made.install().install_inputs().install_gold()
        made.enter("only", GOOD)
        for weights in ("rank", "exp"):
            mj.build(*parts, mj.Wanted(weights), lambda: NOON, lambda done, total: None)

    kept("two builds", database, tmp_path, fill)
    return made


def build(task: PairTask) -> int:
    parts = task.transactions, task.files, task.spec, task.scorer
    return mj.build(*parts, mj.Wanted(), lambda: NOON, lambda done, total: None).number


def publish(task: PairTask, number: int) -> Mj:
    with task.database.writing() as session:
        return mj_pages.publish(session, task.spec, number, NOON)


def numbers_of_everybody(task: PairTask) -> list[int]:
    with task.database.reading() as session:
        return [found.number for found in mj_pages.published(session, task.spec)]


def test_organisers_see_every_build_and_everybody_none_at_first(task: PairTask) -> None:
    with task.database.reading() as session:
        assert [found.number for found in mj_pages.listing(session, task.spec)] == [2, 1]
        assert mj_pages.latest(session, task.spec) is None
        assert mj_pages.of_number(session, task.spec, 1).weights == "rank"
    assert numbers_of_everybody(task) == []


def test_an_unpublished_build_is_as_unknown_to_everybody_as_none(task: PairTask) -> None:
    with task.database.reading() as session:
        for number in (1, 7):
            with pytest.raises(UnknownMj, match=f"The task russe has no MJ {number}."):
                mj_pages.published_number(session, task.spec, number)


def test_a_published_build_is_seen_until_it_is_withdrawn(task: PairTask) -> None:
    publish(task, 1)
    assert numbers_of_everybody(task) == [1]
    with task.database.writing() as session:
        assert mj_pages.published_number(session, task.spec, 1).published_at == NOON
        mj_pages.unpublish(session, task.spec, 1, NOON)
    assert numbers_of_everybody(task) == []


def test_the_newest_published_build_is_the_latest(task: PairTask) -> None:
    publish(task, 2)
    publish(task, 1)
    with task.database.reading() as session:
        latest = mj_pages.latest(session, task.spec)
    assert latest is not None
    assert latest.number == 2


def test_an_unknown_build_cannot_be_published(task: PairTask) -> None:
    with pytest.raises(UnknownMj, match="no MJ 3"):
        publish(task, 3)


def test_a_build_names_its_runs_its_files_and_its_line(task: PairTask) -> None:
    found = publish(task, 2)
    assert [(track.track, track.runs[0].team, track.runs[0].weight) for track in found.tracks] == [
        ("hj", "only", 1.0),
        ("rt", "only", 1.0),
        ("ae", "only", 1.0),
    ]
    assert found.line == found.table.combined["exp"]
    assert found.table.best["hj"].value == found.line["hj"]
    for file in (found.long, found.unique):
        assert mj_pages.path_of(task.files, file).stat().st_size == file.size
    assert (found.long.file_name, found.unique.file_name) == (
        "russe-mj-2-exp.csv",
        "russe-mj-2-exp-unique.csv",
    )


def test_related_words_stand_from_most_to_least(task: PairTask) -> None:
    related = mj_pages.related(task.files, publish(task, 1), " дом ", most=2)
    assert related.most == (("изба", 0.9), ("крыша", 0.6))
    assert related.least == (("лес", 0.2), ("вода", 0.1))
    assert related.total == 4


def test_the_words_that_can_be_asked_for_are_listed(task: PairTask) -> None:
    assert mj_pages.words(task.files, publish(task, 1)) == ("дом", "кот", "лес")


def test_an_unknown_word_is_refused_with_the_nearest(task: PairTask) -> None:
    found = publish(task, 1)
    with pytest.raises(UnknownWord, match=r"MJ has no word кит; did you mean кот\?"):
        mj_pages.related(task.files, found, "кит")
    with pytest.raises(UnknownWord, match=r"MJ has no word xyz\."):
        mj_pages.related(task.files, found, "xyz")


def test_a_build_of_after_the_freeze_waits_until_the_ranking_is_shown_again(task: PairTask) -> None:
    parts = task.transactions, task.files, task.spec, task.scorer
    later = NOON + timedelta(hours=2)
    with task.database.writing() as session:
        phase = mj_pages.of_number(session, task.spec, 1).phase
        freezing.freeze(session, task.spec, task.scorer.VERSION, phase, SHELL, NOON + timedelta(hours=1))
    task.enter("late", {pair: -value for pair, value in GOOD.items()}, minute=90)
    mj.build(*parts, mj.Wanted("rank"), lambda: later, lambda done, total: None)
    with pytest.raises(NotPublishable, match="MJ 3 has places of after the ranking was frozen"):
        publish(task, 3)
    publish(task, 1)
    assert numbers_of_everybody(task) == [1]
    with task.database.writing() as session:
        freezing.unfreeze(session, task.spec, task.scorer.VERSION, phase, SHELL, later)
    publish(task, 3)
    assert numbers_of_everybody(task) == [3, 1]


def test_it_is_not_said_what_mj_scores_where_less_than_exact_values_is_told(task: PairTask) -> None:
    hj, *others = task.spec.tracks
    with task.database.writing() as session:
        public_values.adopt(
            session, replace(task.spec, tracks=(replace(hj, public_values="ladder 0.5"), *others))
        )
    alone = publish(task, build(task))
    assert (alone.table.best["hj"].value, alone.line["hj"]) == (1.0, None)
    assert alone.line["rt"] is not None
    task.enter("another", {pair: value * value for pair, value in GOOD.items()}, 7)
    both = publish(task, build(task))
    assert {weights: line["hj"] for weights, line in both.table.combined.items()} == dict.fromkeys(
        ("rank", "exp", "sqrt")
    )
    assert [share.without for share in both.shares["hj"].runs] == [None, None]
    assert None not in [share.without for share in both.shares["rt"].runs]


def test_a_combination_is_scored_by_what_a_parted_phase_shows(database: Database, tmp_path: Path) -> None:
    plain = PairTask(database, tmp_path)
    phases = tuple(replace(phase, split=SplitSpec(0.5, seed=3)) for phase in plain.spec.phases)
    parted = replace(plain, spec=replace(plain.spec, phases=phases)).install().install_inputs()
    pairs = tuple(GOOD)
    parted.install_gold(hj=[(*pair, place / 10) for place, pair in enumerate(pairs)])
    parted.enter("only", dict(zip(pairs, (3, 1, 4, 1.5, 9, 2, 6, 5, 3.5, 8), strict=True)))
    mj.build(
        parted.transactions,
        parted.files,
        parted.spec,
        parted.scorer,
        mj.Wanted(),
        lambda: NOON,
        lambda done, total: None,
    )
    found = publish(parted, 1)
    assert found.line["hj"] == pytest.approx(found.table.best["hj"].value)
    assert mj_pages.words(parted.files, found) == ("дом", "кот", "лес"), "pairs of either part are in it"
