"""Versions of the hidden benchmarks."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.contract import FormatError, Gold, TaskSpec
from leaderboard.services import gold
from leaderboard.store.models import GoldVersion
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy, make_spec


@pytest.fixture
def bare(database: Database, tmp_path: Path) -> Toy:
    return Toy(database, tmp_path).install()


def install(toy: Toy, **files: tuple[object, ...]) -> gold.Installed:
    folder = toy.folder / toy.scratch / "some"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for track, values in files.items():
        toy.write(f"some/{track}.txt", *values)
    with toy.database.writing() as session:
        return gold.install(session, toy.files, toy.spec, toy.scorer, folder, "", NOON)


def states(toy: Toy) -> list[tuple[str, int, str]]:
    with toy.database.reading() as session:
        return [(v.track, v.number, v.state) for v in gold.listing(session, toy.spec)]


def test_each_track_whose_file_is_there_gets_a_version(bare: Toy) -> None:
    done = install(bare, near=(0.1, 0.2))
    assert done == gold.Installed({"near": 1}, (), ("same",))
    assert states(bare) == [("near", 1, "active")]


def test_the_same_file_again_is_no_new_version(bare: Toy) -> None:
    install(bare, near=(0.1, 0.2))
    assert install(bare, near=(0.1, 0.2)) == gold.Installed({}, ("near",), ("same",))


def test_a_changed_file_retires_the_version_before(bare: Toy) -> None:
    install(bare, near=(0.1, 0.2), same=(1, 2))
    done = install(bare, near=(0.3, 0.2), same=(1, 2))
    assert (done.installed, done.unchanged) == ({"near": 2}, ("same",))
    assert states(bare) == [("near", 2, "active"), ("near", 1, "retired"), ("same", 1, "active")]


def test_going_back_to_an_earlier_file_is_a_version_of_its_own(bare: Toy) -> None:
    for values in ((0.1,), (0.2,), (0.1,)):
        install(bare, near=values)
    assert states(bare)[0] == ("near", 3, "active")


def test_a_version_keeps_the_order_of_its_topics(bare: Toy) -> None:
    install(bare, near=(0.1, 0.2), same=(1, 2))
    with bare.database.reading() as session:
        topics = {version.track: version.topics for version in gold.active(session, bare.spec)}
    assert topics == {"near": ("a", "b"), "same": ()}


def test_one_wrong_file_installs_none(bare: Toy) -> None:
    with pytest.raises(FormatError, match=r"same\.txt"):
        install(bare, near=(0.1, 0.2), same=("x",))
    assert states(bare) == []
    assert not bare.files.gold.root.exists()


def test_a_folder_without_the_files_says_which_are_expected(bare: Toy) -> None:
    with pytest.raises(gold.NoGoldThere, match=r"near\.txt, same\.txt"):
        install(bare)


def test_gold_is_kept_apart_from_what_is_served(bare: Toy) -> None:
    install(bare, near=(0.1, 0.2))
    with bare.database.reading() as session:
        file_hash = session.scalars(select(GoldVersion.file_hash)).one()
    assert bare.files.gold.path(file_hash).is_file()
    assert not bare.files.kept.root.exists()


def test_gold_is_read_once_and_again_when_it_changes(bare: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[object] = []
    real = bare.scorer.read_gold

    def counting(spec: TaskSpec, paths: dict[str, Path]) -> Gold:
        reads.append(paths)
        read: Gold = real(spec, paths)
        return read

    monkeypatch.setattr(bare.scorer, "read_gold", counting)
    # What other tests have read in this process is not to be found.
    monkeypatch.setattr(bare.scorer, "VERSION", str(bare.folder))

    def read() -> Gold:
        with bare.database.reading() as session:
            return gold.read(bare.files, bare.spec, bare.scorer, gold.active(session, bare.spec))

    install(bare, near=(0.1, 0.2))
    reads.clear()
    assert read() is read()
    assert len(reads) == 1
    install(bare, near=(0.3, 0.2))
    reads.clear()
    read()
    assert len(reads) == 1


def test_tracks_that_share_a_file_share_its_bytes(bare: Toy) -> None:
    spec = make_spec()
    bare.spec = replace(spec, tracks=(spec.tracks[0], replace(spec.tracks[1], gold="near.txt")))
    done = install(bare, near=(0.1, 0.2))
    assert done.installed == {"near": 1, "same": 1}
