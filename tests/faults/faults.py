"""The faults: each happens at a moment when runs are being sent, and is over when the function returns."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from leaderboard.store.models import Job
from tests.faults.gate import Gate, Mode
from tests.faults.running import Kind, Running
from tests.faults.servers import Postgres, Redis
from tests.processes import until


@dataclass
class World:
    """A site, what it stands on, and chance."""

    site: Running
    chance: random.Random
    postgres: Postgres | None = None
    redis: Redis | None = None
    gate: Gate | None = None
    disk: Path | None = None

    def a_moment(self, most: float, least: float = 0.0) -> None:
        """Lets the site work, or do without, for a while."""
        threading.Event().wait(self.chance.uniform(least, most))


Fault = Callable[[World], None]


def _killed(kind: Kind) -> Fault:
    """At once, or in the middle of what comes after a file is here."""

    def kill(world: World) -> None:
        world.a_moment(world.chance.choice((0.0, 0.5)))
        there = world.site.processes(kind)
        if there:
            world.site.kill(world.chance.choice(there))

    return kill


def _restarts(least: float, most: float) -> Fault:
    """All of PostgreSQL is killed, and is back after so many seconds."""

    def restart(world: World) -> None:
        assert world.postgres is not None
        world.a_moment(0.3)
        world.postgres.kill()
        world.a_moment(most, least)
        world.postgres.start()

    return restart


def a_connection_is_killed(world: World) -> None:
    """PostgreSQL ends all connections and recovers by itself."""
    assert world.postgres is not None
    world.a_moment(0.3)
    world.postgres.kill_a_connection(world.chance)
    assert until(world.postgres.answers)


def redis_restarts(world: World) -> None:
    """Redis is killed, and is back after a while without any message."""
    assert world.redis is not None
    world.redis.kill()
    world.a_moment(2.0)
    world.redis.start()


def messages_are_lost(world: World) -> None:
    """What the queue holds is thrown away, three times."""
    site = world.site.open()
    try:
        for _ in range(3):
            site.jobs.huey.storage.flush_queue()
            world.a_moment(0.2)
    finally:
        site.close()


def messages_come_twice(world: World) -> None:
    """Any jobs are delivered again, those that are done and those that are being done."""
    site = world.site.open()
    try:
        for _ in range(3):
            with site.database.reading() as session:
                jobs = session.scalars(select(Job.id).order_by(Job.id.desc()).limit(20)).all()
            for number in world.chance.choices(jobs, k=10) if jobs else ():
                site.jobs.deliver(number)
            world.a_moment(0.2)
    finally:
        site.close()


def the_disk_is_full(world: World) -> None:
    """The disk of the instance folder has no room for a while."""
    assert world.disk is not None
    ballast = world.disk / "ballast"
    with ballast.open("wb") as file:
        size = 0
        # What others write meanwhile may be as quick as we are.
        while free := shutil.disk_usage(world.disk).free:
            with suppress(OSError):
                os.posix_fallocate(file.fileno(), size, free)
            size += free
    world.a_moment(3.0, least=0.5)
    ballast.unlink()


def _stored(mode: Mode, least: float = 0.5, most: float = 8.0) -> Fault:
    """The shortest are made up for by repeating requests, of which no sender hears."""

    def weather(world: World) -> None:
        assert world.gate is not None
        world.gate.mode = mode
        world.a_moment(most, least)
        world.gate.mode = "open"

    return weather


EVERYWHERE: dict[str, Fault] = {
    "a page worker is killed": _killed("page worker"),
    "all pages are killed": _killed("pages"),
    "serve is killed": _killed("serve"),
    "a consumer is killed": _killed("consumer"),
    "a process that scores is killed": _killed("scorer"),
    "messages are lost": messages_are_lost,
    "messages come twice": messages_come_twice,
}
POSTGRESQL: dict[str, Fault] = {
    "PostgreSQL is killed": _restarts(0.0, 2.0),
    "PostgreSQL is killed and long away": _restarts(35.0, 50.0),
    "a connection of PostgreSQL is killed": a_connection_is_killed,
}
REDIS: dict[str, Fault] = {"Redis is killed": redis_restarts}
DISK: dict[str, Fault] = {"the disk is full": the_disk_is_full}
OBJECTS: dict[str, Fault] = {
    "S3 cannot be reached": _stored("closed"),
    "S3 refuses": _stored("busy"),
    "S3 breaks off": _stored("cut"),
    "S3 is slow": _stored("slow"),
    "S3 refuses for long": _stored("busy", 75.0, 90.0),
}


def faults_of(world: World) -> dict[str, Fault]:
    """Those that can happen there."""
    found = dict(EVERYWHERE)
    for there, more in (
        (world.postgres, POSTGRESQL),
        (world.redis, REDIS),
        (world.disk, DISK),
        (world.gate, OBJECTS),
    ):
        if there is not None:
            found |= more
    return found
