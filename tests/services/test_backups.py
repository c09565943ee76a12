"""The whole site in one file, and back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from leaderboard.services import backups
from leaderboard.services.archive_numbers import BrokenRecord
from leaderboard.services.backups import BackupRefused
from leaderboard.store import schema
from leaderboard.store.files import Files
from leaderboard.store.models import Run, User
from leaderboard.store.session import Database
from tests.services.archived import elsewhere, entries, fill, forged, make, no_progress, rankings
from tests.services.toy import Toy


@pytest.fixture(scope="module")
def source(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    """A site with all there may be; not to be changed."""
    toy = elsewhere(Toy(Database("sqlite://"), tmp_path_factory.mktemp("site")), sqlite_template)
    fill(toy.install())
    make(toy, with_gold=True)
    (toy.folder / "instance" / "secret_key").write_text("a secret")
    yield toy
    toy.database.close()


@pytest.fixture(scope="module")
def saved(source: Toy) -> Path:
    return save(source)


def save(toy: Toy, name: str = "site.zip") -> Path:
    target = toy.folder / name
    backups.save(toy.database, toy.files, toy.folder / "instance", target, no_progress)
    return target


def restore(toy: Toy, path: Path, *, empty_first: bool = False) -> backups.Saved:
    instance = toy.folder / "instance"
    return backups.restore(toy.database, toy.files, instance, path, no_progress, empty_first=empty_first)


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Toy]:
    """An installation before `init`."""
    toy = Toy(Database(f"sqlite:///{tmp_path / 'bare.db'}"), tmp_path)
    yield toy
    toy.database.close()


def is_bare(toy: Toy) -> bool:
    files = [path for path in (toy.folder / "instance").rglob("*") if path.is_file()]
    return schema.current_revision(toy.database) is None and not files


def test_a_restored_site_is_the_site(source: Toy, saved: Path, database: Database, tmp_path: Path) -> None:
    """Of either database, from a backup of SQLite; and what is saved there is the same file again."""
    there = Toy(database, tmp_path)
    found = restore(there, saved)
    assert (found.rows, found.files) == (len(b"".join(tables(saved)).splitlines()), 8)
    assert rankings(there) == rankings(source)
    assert (tmp_path / "instance" / "secret_key").read_text() == "a secret"
    assert save(there, "again.zip").read_bytes() == saved.read_bytes()
    assert there.enter("new", 0.3, 0.5, 0.9, minute=9) == 4


def tables(path: Path) -> list[bytes]:
    return [content for name, content in entries(path).items() if name.startswith("tables/")]


def test_a_backup_is_for_its_owner_alone(saved: Path) -> None:
    assert saved.stat().st_mode & 0o777 == 0o600
    assert not list(saved.parent.glob(".site*"))


def test_it_is_of_one_state_while_others_write(database: Database, tmp_path: Path, bare: Toy) -> None:
    toy = Toy(database, tmp_path / "busy").install()
    toy.install_gold()
    toy.enter("a", 0.1, 0.5, 0.9)
    done: list[int] = []

    def busy(_done: int, _total: int) -> None:
        if not done:
            done.append(toy.enter("b", 0.2, 0.5, 0.9, minute=1))

    backups.save(toy.database, toy.files, toy.folder, tmp_path / "busy.zip", busy)
    restore(bare, tmp_path / "busy.zip")
    assert done
    assert bare.lines("near") == [("a", 1)]


def test_a_file_that_is_missing_or_damaged_stops_it(sqlite_template: Path, bare: Toy) -> None:
    toy = elsewhere(bare, sqlite_template).install()
    toy.install_gold()
    toy.enter("a", 0.1, 0.5, 0.9)
    with toy.database.reading() as session:
        lost = toy.files.kept.path(session.scalars(select(Run.file_hash)).one())
    lost.write_bytes(b"other")
    with pytest.raises(BackupRefused, match="is damaged"):
        save(toy)
    lost.unlink()
    with pytest.raises(BackupRefused, match="is missing"):
        save(toy)
    assert not list(toy.folder.glob("*.zip*"))
    toy.database.close()


def test_an_installation_in_use_is_left_alone_unless_all_is_to_be_replaced(
    saved: Path, sqlite_template: Path, bare: Toy
) -> None:
    there = elsewhere(bare, sqlite_template).install()
    there.install_gold()
    there.enter("mine", 0.5, 0.5, 0.9)
    with pytest.raises(BackupRefused, match="in use"):
        restore(there, saved)
    assert there.lines("near") == [("mine", 1)]
    restore(there, saved, empty_first=True)
    assert ("best", 1) in there.lines("near")
    with there.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(User)) == 1
    there.database.close()


@pytest.mark.parametrize("what", ["tables/run.jsonl", "files/", "secret_key"])
def test_another_byte_is_refused_before_anything_changes(saved: Path, bare: Toy, what: str) -> None:
    def change(content: dict[str, bytes]) -> None:
        name = next(name for name in content if name.startswith(what))
        content[name] = content[name].replace(content[name][:1], b"#", 1)

    bad = forged(saved, change)
    with pytest.raises(BackupRefused, match="SHA-256 is another"):
        restore(bare, bad)
    with pytest.raises(BackupRefused, match="SHA-256 is another"):
        backups.check(bad, no_progress)
    assert is_bare(bare)


def test_rows_that_do_not_fit_leave_what_was_there(saved: Path, database: Database, tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        content["tables/run.jsonl"] = content["tables/run.jsonl"].replace(b'"team_id": 1', b'"team_id": 77')

    there = Toy(database, tmp_path).install()
    there.install_gold()
    there.enter("mine", 0.5, 0.5, 0.9)
    with pytest.raises((BrokenRecord, RuntimeError)):
        restore(there, forged(saved, change, honest=True), empty_first=True)
    assert there.lines("near") == [("mine", 1)]
    assert not (tmp_path / "instance" / "secret_key").exists()


def test_a_backup_of_another_version_is_refused(saved: Path, bare: Toy) -> None:
    def change(content: dict[str, bytes]) -> None:
        revision = f'"revision": "{schema.newest_revision()}"'.encode()
        content["manifest.json"] = content["manifest.json"].replace(revision, b'"revision": "0001"')

    with pytest.raises(BackupRefused, match="database version 0001"):
        restore(bare, forged(saved, change))
    assert is_bare(bare)


def test_an_archive_is_no_backup(source: Toy, bare: Toy) -> None:
    with pytest.raises(BackupRefused, match="no backup of a site"):
        restore(bare, make(source))
    assert Files.under(bare.folder / "instance").kept.root == bare.files.kept.root
