"""Bringing an archive into another installation."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from leaderboard.services import analysing, boards, gold, rescoring, scoring, standings
from leaderboard.services.archive_numbers import BrokenRecord
from leaderboard.services.archive_rows import ArchiveRefused
from leaderboard.services.gold import GoldStayedBehind
from leaderboard.store.models import AuditEntry, Base, GoldVersion, Phase, Run, Score, Task
from leaderboard.store.session import Database
from tests.services.archived import (
    bring,
    elsewhere,
    entries,
    fill,
    forged,
    make,
    no_progress,
    rankings,
    transactions,
)
from tests.services.toy import NOON, Toy, evaluation, make_spec

Content = dict[str, bytes]


@pytest.fixture(scope="module")
def source(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    """Where the archives come from; not to be changed."""
    bare = Toy(Database("sqlite://"), tmp_path_factory.mktemp("source"))
    toy = fill(elsewhere(bare, sqlite_template).install())
    yield toy
    toy.database.close()


@pytest.fixture(scope="module")
def archive(source: Toy) -> Path:
    return make(source, own_names=True)


@pytest.fixture
def empty(database: Database, tmp_path: Path) -> Toy:
    """An installation with tables and nothing in them."""
    return Toy(database, tmp_path)


@pytest.fixture
def target(sqlite_template: Path, tmp_path: Path) -> Iterator[Toy]:
    """The same, quick."""
    toy = elsewhere(Toy(Database("sqlite://"), tmp_path), sqlite_template)
    yield toy
    toy.database.close()


def nothing_there(toy: Toy) -> None:
    with toy.database.reading() as session:
        rows = {
            table.name: session.scalar(select(func.count()).select_from(table))
            for table in Base.metadata.sorted_tables
        }
    assert not any(rows.values()), rows
    root = toy.folder / "instance"
    assert not [path for path in root.rglob("*") if path.is_file()]


def test_rankings_read_as_they_did_to_the_byte(source: Toy, archive: Path, empty: Toy) -> None:
    found = bring(empty, archive)
    assert (found.task, found.teams, found.runs, found.with_gold, found.renumbered) == (
        "toy",
        3,
        3,
        False,
        False,
    )
    assert rankings(empty) == rankings(source)
    versions = source.spec.tracks[0].name, 1
    assert read(empty, *versions) == read(source, *versions)


def read(toy: Toy, track: str, version: int) -> list[tuple[Any, ...]]:
    with toy.database.reading() as session:
        rows = boards.board(session, toy.spec, track, "open", gold_version=version).rows
    return [(row.place, row.team, row.value, row.values) for row in rows]


def test_an_archive_of_what_was_imported_is_the_archive_again(archive: Path, target: Toy) -> None:
    bring(target, archive)
    assert make(target, own_names=True).name == archive.name


def test_init_may_have_made_the_task_already(source: Toy, archive: Path, empty: Toy) -> None:
    empty.install()
    bring(empty, archive)
    assert rankings(empty) == rankings(source)
    with empty.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(Phase)) == 1


def test_beside_another_task_whose_runs_have_these_numbers_they_get_new_ones(
    source: Toy, archive: Path, empty: Toy
) -> None:
    other = Toy(empty.database, empty.folder, make_spec(name="other"))
    other.install().install_gold()
    first = other.enter("x", 0.1, 0.5, 0.9)
    shifted = forged(archive, lambda content: _shift(content, first - 1), honest=True)
    assert bring(empty, shifted).renumbered
    assert {each: text for each, text in rankings(empty).items() if each[1] == "markdown" and each[0]} == {
        each: text for each, text in rankings(source).items() if each[1] == "markdown" and each[0]
    }
    before = boards_of(empty)
    with empty.database.writing() as session:
        assert standings.refresh(session, empty.spec, empty.scorer.VERSION, NOON) == 0
    assert boards_of(empty) == before
    assert other.lines("near") == [("x", 1)]
    assert empty.submit("new", 0.3, 0.5, 0.9, minute=9).run_id > first + 3


def _shift(content: Content, by: int) -> None:
    """Other numbers for all runs, so that they are taken where they go."""
    for table, keys in {"run": ["id"], "score": ["run_id"], "standing": ["run_id"]}.items():
        rows = [json.loads(line) for line in content[f"records/{table}.jsonl"].splitlines()]
        for row in rows:
            for key in keys:
                row[key] = row[key] and row[key] + by
            if table == "standing":
                row["runs"] = {track: run + by for track, run in row["runs"].items()}
        content[f"records/{table}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows).encode()
    rows = [json.loads(line) for line in content["records/board.jsonl"].splitlines()]
    for row in rows:
        row["settled"] = None
    content["records/board.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows).encode()


def boards_of(toy: Toy) -> list[tuple[str, int | None]]:
    return [line for track in ("near", "same", None) for line in toy.lines(track)]


def test_without_gold_nothing_is_scored_and_nothing_breaks(archive: Path, empty: Toy) -> None:
    bring(empty, archive)
    before = rankings(empty)
    waiting = empty.submit("new", 0.3, 0.5, 0.9, minute=9).run_id
    parts = (transactions(empty), empty.files, empty.spec, empty.scorer, lambda: NOON, no_progress)
    with pytest.raises(GoldStayedBehind, match="without gold"):
        empty.score(waiting)
    with pytest.raises(GoldStayedBehind):
        rescoring.rescore_all(*parts)
    assert rescoring.finish_pending(*parts) == rescoring.bring_up_to_date(*parts) == rescoring.Rescored(0, ())
    with empty.database.reading() as session:
        assert scoring.pending(session, empty.spec) == (waiting,)
        assert not gold.scores_now(session, empty.spec)
        assert {version.has_file for version in gold.listing(session, empty.spec)} == {False}
    assert rankings(empty) == before


def test_installing_the_gold_that_stayed_behind_lets_it_score_again(archive: Path, empty: Toy) -> None:
    bring(empty, archive)
    assert empty.install_gold(near=(0.3, 0.5, 0.9)).unchanged == ("near", "same")
    empty.enter("new", 0.3, 0.5, 0.9, minute=9)
    assert ("new", 1) in empty.lines("near")
    with empty.database.reading() as session:
        assert [v.has_file for v in gold.listing(session, empty.spec) if v.track == "near"] == [True, False]


def test_other_gold_than_that_which_stayed_behind_is_a_new_version(archive: Path, target: Toy) -> None:
    bring(target, archive)
    assert target.install_gold(near=(0.3, 0.5, 0.8)).installed == {"near": 3}
    with target.database.reading() as session:
        found = gold.listing(session, target.spec)
    assert [(v.number, v.has_file) for v in found if v.track == "near"] == [(3, True), (2, False), (1, False)]
    assert [v.has_file for v in found if v.track == "same"] == [True]


def test_intervals_come_with_it_without_the_gold_that_they_were_drawn_from(source: Toy, target: Toy) -> None:
    parts = (source.files, source.spec, source.scorer, lambda: NOON, no_progress)
    analysing.finish(transactions(source), *parts)
    bring(target, make(source, own_names=True))
    assert rankings(target) == rankings(source)
    assert '"interval": null' not in rankings(target)["near", "json"]
    with target.database.reading() as session:
        assert analysing.due(session, target.spec) == ()


def test_an_archive_without_intervals_is_imported_and_they_are_due(archive: Path, target: Toy) -> None:
    bring(target, forged(archive, lambda c: c.pop("records/board_analysis.jsonl"), honest=True))
    with target.database.reading() as session:
        assert len(analysing.due(session, target.spec)) == 2


def test_with_gold_new_runs_are_scored_at_once(source: Toy, empty: Toy) -> None:
    assert bring(empty, make(source, own_names=True, with_gold=True)).with_gold
    assert rankings(empty) == rankings(source)
    empty.enter("new", 0.3, 0.5, 0.9, minute=9)
    assert ("new", 1) in empty.lines("near")
    with empty.database.reading() as session:
        hashes = session.scalars(select(GoldVersion.file_hash)).all()
    assert all(empty.files.gold.path(each).stat().st_mode & 0o077 == 0 for each in hashes)


def test_public_names_are_all_that_is_known_there(source: Toy, target: Toy) -> None:
    bring(target, make(source))
    assert [team for team, _ in target.lines("near")] == ["best", "=cmd()", "Owl"]


def test_it_is_written_to_the_log(archive: Path, target: Toy) -> None:
    bring(target, archive)
    with target.database.reading() as session:
        entry = session.scalars(select(AuditEntry)).one()
    assert (entry.action, entry.after) == ("archive.imported", {"teams": 3, "runs": 3, "with_gold": False})


def test_a_task_that_has_runs_is_left_alone(archive: Path, target: Toy) -> None:
    target.install().install_gold()
    target.enter("mine", 0.1, 0.5, 0.9)
    with pytest.raises(ArchiveRefused, match="has nothing yet"):
        bring(target, archive)
    assert target.lines("near") == [("mine", 1)]


def test_a_task_whose_folder_is_not_here_is_refused(archive: Path, target: Toy) -> None:
    target.spec = make_spec(name="other")
    with pytest.raises(ArchiveRefused, match="LEADERBOARD_TASKS"):
        bring(target, archive)
    nothing_there(target)


def _change(path: str, old: bytes, new: bytes) -> Callable[[Content], None]:
    def change(content: Content) -> None:
        assert old in content[path]
        content[path] = content[path].replace(old, new)

    return change


def _add(path: str, text: bytes = b"x") -> Callable[[Content], None]:
    return lambda content: content.update({path: text})


def _a_run(content: Content) -> str:
    return next(path for path in content if path.startswith("runs/"))


BAD: dict[str, tuple[Callable[[Content], object], str]] = {
    "another byte in a run": (lambda c: c.update({_a_run(c): b"9.9\n9.9\n9.9\n"}), "SHA-256 is another"),
    "another length": (lambda c: c.update({_a_run(c): b"0.1\n"}), "SHA-256 is another"),
    "a run is missing": (lambda c: c.pop(_a_run(c)), "is missing"),
    "an entry more": (_add("extra.txt"), "extra.txt is not in the manifest"),
    "a way out": (_add("../../etc/passwd"), "leads out of the package"),
    "an absolute way out": (_add("/etc/passwd"), "leads out of the package"),
    "a way out by backslash": (_add("..\\evil"), "leads out of the package"),
    "no manifest": (lambda c: c.pop("manifest.json"), "has no manifest.json"),
    "a broken manifest": (_add("manifest.json", b"{"), "manifest.json cannot be read"),
    "a manifest of nothing": (_add("manifest.json", b"[]"), "manifest.json cannot be read"),
    "another version": (
        _change("manifest.json", b'"version": 1', b'"version": 2'),
        "version 2 of its format",
    ),
    "another kind": (_change("manifest.json", b"archive of a task", b"a cake"), "no archive of a task"),
}

BROKEN: dict[str, Callable[[Content], object]] = {
    "a team that is not there": _change("records/run.jsonl", b'"team_id": 1', b'"team_id": 77'),
    "a run that is not there": _change("records/standing.jsonl", b'"near": 1', b'"near": 77'),
    "a column that is not there": _change("records/run.jsonl", b'"size"', b'"weight"'),
    "a word for a number": _change("records/run.jsonl", b'"size": 12', b'"size": "12"'),
    "an unknown word": _change("records/run.jsonl", b'"state": "scored"', b'"state": "adored"'),
    "a date that is none": _change("records/phase.jsonl", b'"opens_at": null', b'"opens_at": "soon"'),
    "a number twice": _change("records/run.jsonl", b'"id": 2', b'"id": 1'),
    "a number below zero": _change("records/run.jsonl", b'"id": 2', b'"id": -2'),
    "a file that is not there": lambda c: c.pop(_a_run(c)),
    "a line that is no row": _change("records/run.jsonl", b'{"id": 1', b'["id", 1'),
    "two tasks": lambda c: c.update({"records/task.jsonl": c["records/task.jsonl"] * 2}),
    "another task": _change("records/task.jsonl", b'"name": "toy"', b'"name": "coy"'),
    "no table of runs": lambda c: c.pop("records/run.jsonl"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_archive_is_refused_and_leaves_nothing(archive: Path, target: Toy, what: str) -> None:
    change, why = BAD[what]
    with pytest.raises(ArchiveRefused, match=why):
        bring(target, forged(archive, change))
    nothing_there(target)


@pytest.mark.parametrize("what", BROKEN)
def test_records_that_do_not_fit_are_refused_and_leave_nothing(archive: Path, target: Toy, what: str) -> None:
    with pytest.raises((BrokenRecord, ArchiveRefused)):
        bring(target, forged(archive, BROKEN[what], honest=True))
    nothing_there(target)


def test_a_bomb_is_not_unpacked(archive: Path, target: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.store.packages.ALWAYS_ALLOWED", 1 << 20)
    bomb = forged(archive, _add("runs/zeros", bytes(32 << 20)), honest=True)
    with pytest.raises(ArchiveRefused, match="would unpack to"):
        bring(target, bomb)
    nothing_there(target)


@pytest.mark.parametrize("size", [0, 10, 1000, -1])
def test_half_a_file_is_refused(archive: Path, target: Toy, size: int) -> None:
    half = target.folder / "half.zip"
    half.write_bytes(archive.read_bytes()[:size])
    with pytest.raises(ArchiveRefused, match=r"is no ZIP file|cannot be read"):
        bring(target, half)
    nothing_there(target)


def test_what_breaks_while_rows_are_written_leaves_nothing(
    archive: Path, target: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the lease of the job is lost at the last moment."""

    class Lost(Exception):
        pass

    def lost(*_args: object) -> None:
        raise Lost

    monkeypatch.setattr("leaderboard.services.archive_rows.audit.record", lost)
    with pytest.raises(Lost):
        bring(target, archive)
    nothing_there(target)


def test_phases_quotas_and_scores_come_with_it(sqlite_template: Path, tmp_path: Path, target: Toy) -> None:
    there = elsewhere(
        Toy(Database("sqlite://"), tmp_path, make_spec(phases=evaluation())), sqlite_template, "there"
    )
    there.install().install_gold()
    there.enter("a", 0.1, 0.5, 0.9)
    there.enter("b", 0.1, 0.5, 0.8, minute=3000)
    bring(target, make(there, own_names=True))
    for model in (Task, Phase, Run, Score):
        assert _all(target, model) == _all(there, model)
    assert "standings/evaluation/post-evaluation/overall.csv" in entries(make(there))
    there.database.close()


def _all(toy: Toy, model: type[Base]) -> list[tuple[Any, ...]]:
    columns = [column for column in model.__table__.columns if column.name != "id"]
    with toy.database.reading() as session:
        return [tuple(row) for row in session.execute(select(*columns).order_by(*columns[:5]))]
