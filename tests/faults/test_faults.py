"""Whatever is killed, refuses or is full, at any moment: no acknowledged run is lost, none counts twice."""

from __future__ import annotations

import logging
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.databases import fresh_sqlite
from tests.faults import servers
from tests.faults.checks import check, come_to_rest
from tests.faults.faults import World, faults_of
from tests.faults.gate import Gate
from tests.faults.running import SOAK, Running
from tests.faults.senders import Readers, Wave
from tests.store.objects import s3_server

ROUNDS = int(os.environ.get("LEADERBOARD_KILLS", "22" if SOAK else "0"))
"""How many faults each site sees; none: a few that were chosen."""

ONLY = tuple(filter(None, os.environ.get("LEADERBOARD_FAULTS", "").split(",")))
"""The names of the faults that are wanted; none: all."""

SEED = int(os.environ.get("LEADERBOARD_SEED", "20261130"))
DISK_MB = 1200

_log = logging.getLogger(__name__)


@contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A disk with little room, mounted there; None where that is not ours to do."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def on_sqlite(folder: Path) -> Iterator[World]:
    """The default: SQLite and a folder, on a disk that may become full."""
    with small_disk(folder / "disk") as disk:
        yield World(Running(disk or folder / "plain"), random.Random(SEED), disk=disk)


@contextmanager
def on_postgresql(folder: Path) -> Iterator[World]:
    """PostgreSQL alone, also for the queue."""
    with servers.postgres() as postgres:
        site = Running(folder / "site", database_url=postgres.url, queue_url=postgres.url)
        yield World(site, random.Random(SEED + 1), postgres=postgres)


@contextmanager
def on_three_servers(folder: Path) -> Iterator[World]:
    """PostgreSQL, Redis and a store of objects."""
    with (
        servers.postgres() as postgres,
        servers.redis(folder / "redis") as redis,
        s3_server() as s3,
        pytest.MonkeyPatch.context() as patched,
    ):
        gate = Gate(s3.url)
        s3.url = gate.url
        for name, value in s3.environment.items():
            patched.setenv(name, value)
        s3.make_bucket()
        site = Running(
            folder / "site",
            database_url=postgres.url,
            queue_url=redis.url,
            storage_url=f"s3://{s3.bucket}/site",
        )
        yield World(site, random.Random(SEED + 2), postgres=postgres, redis=redis, gate=gate)
        gate.close()


SITES = {"sqlite": on_sqlite, "postgresql": on_postgresql, "three servers": on_three_servers}

CHOSEN = {"sqlite": ("a page worker is killed",), "postgresql": ("PostgreSQL is killed",)}
"""What is tried where there is no time for more."""


def planned(world: World, kind: str) -> list[str]:
    """The names of the faults, in order: all in turn, shuffled."""
    possible = [name for name in faults_of(world) if not ONLY or name in ONLY]
    if not ROUNDS:
        return [name for name in CHOSEN[kind] if name in possible]
    names: list[str] = []
    while len(names) < ROUNDS:
        names += world.chance.sample(sorted(possible), len(possible))
    return names[:ROUNDS]


@pytest.mark.slow
@pytest.mark.parametrize("kind", SITES if ROUNDS else CHOSEN)
def test_no_acknowledged_upload_is_lost_and_none_counts_twice(kind: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        world = stack.enter_context(SITES[kind](tmp_path))
        site = world.site
        if world.postgres is None:
            fresh_sqlite(site.settings.instance)
        site.ready()
        stack.callback(site.stop)
        site.start(consumers=1 if ROUNDS or world.postgres else 0)
        waves: list[Wave] = []
        # Not on the disk that becomes full.
        sent = tmp_path / "sent"
        sent.mkdir()
        answers: Counter[str] = Counter()
        for number, name in enumerate(planned(world, kind)):
            readers = Readers(site)
            waves.append(Wave(site, world.chance, number, sent))
            waves[-1].begin(teams=3 if ROUNDS else 1)
            waves[-1].moment.wait()
            faults_of(world)[name](world)
            waves[-1].end()
            statuses = readers.stop()
            come_to_rest(site)
            check(site, waves)
            assert set(statuses) <= {200, 503, 0}, (name, statuses)
            assert not waves[-1].answers["server-error"], (name, waves[-1].answers)
            answers += waves[-1].answers
            _log.info(
                "%s: %s; %s; pages %s; %s",
                kind,
                name,
                dict(waves[-1].answers),
                dict(statuses),
                world.gate and world.gate.felt,
            )
        acknowledged = sum(len(team.acknowledged) for wave in waves for team in wave.teams)
        _log.info("%s: %s rounds, %s uploads acknowledged, %s", kind, len(waves), acknowledged, dict(answers))
