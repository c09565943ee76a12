"""Processes killed while they make an archive, a backup or MJ leave the old state or the new one."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.services import archives, backups, mj_pages
from leaderboard.store.models import Archive, Job, Resource
from leaderboard.store.session import Database
from tests.services.archived import fill, make, no_progress
from tests.services.packing import ask, save, work
from tests.services.pair_task import GOOD, PairTask
from tests.services.test_kills import REPOSITORY
from tests.services.toy import Toy

KILLS = int(
    os.environ.get("LEADERBOARD_KILLS", "20" if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else "1")
)


def killed_at_work(what: str, url: str, folder: Path, seconds: float) -> None:
    """Lets a process work for so long, and kills it."""
    command = [sys.executable, "-m", "tests.services.packing", what, url, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        assert process.poll() is None, "it must be busy until it is killed"
        process.send_signal(signal.SIGKILL)


def moments(seed: int) -> list[float]:
    chance = random.Random(seed)
    return [chance.uniform(0.0, 0.5) for _ in range(KILLS)]


def whole(path: Path, file_hash: str) -> bool:
    return hashlib.sha256(path.read_bytes()).hexdigest() == file_hash


@pytest.fixture
def site(sqlite_file: str, tmp_path: Path) -> Toy:
    """The toy task with all that an archive may have."""
    return fill(Toy(Database(sqlite_file), tmp_path).install())


@pytest.fixture
def sqlite_file(sqlite_template: Path, tmp_path: Path) -> str:
    """The address of a database that another process opens too."""
    target = tmp_path / "leaderboard.db"
    target.write_bytes(sqlite_template.read_bytes())
    return f"sqlite:///{target}"


@pytest.mark.slow
def test_an_archive_is_whole_or_not_there_and_its_job_is_taken_up_again(site: Toy, sqlite_file: str) -> None:
    expected = make(site).name
    for number, moment in enumerate(moments(1), 1):
        killed_at_work("archive", sqlite_file, site.folder, moment)
        check_archives(site, expected)
        ask(site, "archive")
        work(site, timedelta(minutes=2 * number))
        check_archives(site, expected)
        with site.database.reading() as session:
            assert set(session.scalars(select(Job.state))) == {"done"}
            assert None not in set(session.scalars(select(Archive.file_hash)))


def check_archives(site: Toy, expected: str) -> None:
    """Every archive that is offered is the archive of this state, to the byte."""
    with site.database.reading() as session:
        found = [made for made in archives.listing(session, site.spec) if made.file_hash is not None]
    assert {made.file_hash for made in found} == {expected}
    assert all(whole(archives.path_of(site.files, made), expected) for made in found)


@pytest.mark.slow
def test_a_backup_is_the_old_one_or_the_new_one(site: Toy, sqlite_file: str) -> None:
    save(site)
    for number, moment in enumerate(moments(2), 1):
        before = (site.folder / "site.zip").read_bytes()
        site.enter("more", 0.1 + number / 1000, 0.5, 0.9, minute=10 + number)
        killed_at_work("backup", sqlite_file, site.folder, moment)
        after = (site.folder / "site.zip").read_bytes()
        backups.check(site.folder / "site.zip", no_progress)
        save(site)
        assert after in (before, (site.folder / "site.zip").read_bytes())


@pytest.mark.slow
def test_mj_is_whole_or_not_there_and_its_job_is_taken_up_again(sqlite_file: str, tmp_path: Path) -> None:
    task = PairTask(Database(sqlite_file), tmp_path).install().install_inputs().install_gold()
    task.enter("good", GOOD)
    for number, moment in enumerate(moments(3), 1):
        task.enter(
            f"team {number}", GOOD | {pair: value / (number + 1) for pair, value in GOOD.items()}, number
        )
        killed_at_work("mj", sqlite_file, tmp_path, moment)
        check_mj(task)
        ask(task, "mj")
        work(task, timedelta(minutes=2 * number))
        check_mj(task)
        with task.database.reading() as session:
            assert set(session.scalars(select(Job.state))) == {"done"}
            # The same runs were built from over and over: that is one build.
            assert len(session.scalars(select(Resource.id)).all()) == number


def check_mj(task: PairTask) -> None:
    with task.database.reading() as session:
        builds = mj_pages.listing(session, task.spec)
    for built in builds:
        for kept in (built.long, built.unique):
            assert whole(task.files.kept.path(kept.file_hash), kept.file_hash)
