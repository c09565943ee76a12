"""Archives of the toy task for tests: made, changed as somebody might, and imported."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from leaderboard.catalog import CatalogError
from leaderboard.contract import TaskSpec, say
from leaderboard.services import archive_importing, archives, boards, exports
from leaderboard.services.archive_rows import Imported
from leaderboard.services.audit import SHELL
from leaderboard.services.methods import Method
from leaderboard.services.rescoring import Transactions
from leaderboard.store import queries
from leaderboard.store.models import Announcement, Question, Team, User
from leaderboard.store.packages import MANIFEST
from leaderboard.store.session import Database
from tests.services.busy import rescore_everything
from tests.services.toy import NOON, Toy


def no_progress(_done: int, _total: int) -> None:
    """Nobody watches."""


def transactions(toy: Toy) -> Transactions:
    return Transactions(toy.database.reading, toy.database.writing)


def fill(toy: Toy) -> Toy:
    """Gives an installation all that an archive has: two versions of gold, three teams (one of them behind an
    alias, one named like a formula), an announcement, an answer for all and
    one for a team."""
    toy.install_inputs()
    toy.install_gold()
    toy.enter("best", 0.1, 0.5, 0.9, method=Method("a system", "books", "manual", ""))
    toy.enter("=cmd()", 0.2, 0.5, 0.7, minute=1)
    toy.enter("Zebras", 0.9, 0.1, 0.2, minute=2, name="third")
    with toy.database.writing() as session:
        hidden = update(Team).where(Team.name == "Zebras")
        session.execute(hidden.values(alias="Owl", affiliation="A place"))
        _talk(session, queries.task_named(session, toy.spec.name).id)  # type: ignore[union-attr] # installed above
    toy.install_gold(near=(0.3, 0.5, 0.9))
    rescore_everything(toy)
    return toy


def _talk(session: Session, task_id: int) -> None:
    olga = User(email="olga@example.org", fs_uniquifier="x", created_at=NOON, name="Olga Secret")
    session.add(olga)
    session.flush()
    news = {"title": {"en": "News"}, "text": {"en": "All is well."}}
    session.add(Announcement(task_id=task_id, mailed_to={}, made_at=NOON, made_by=olga.id, **news))
    for text, public in (("May we?", True), ("In private?", False)):
        answer = {"answer": "Yes.", "answered_at": NOON, "public": public}
        session.add(Question(task_id=task_id, user_id=olga.id, asked_at=NOON, text=text, **answer))


def make(toy: Toy, now: datetime = NOON, **wanted: Any) -> Path:
    """An archive that is made at `now`, and where it lies."""
    with toy.database.writing() as session:
        number = archives.begin(session, toy.spec, archives.Wanted(**wanted), SHELL, now).number
    made = archives.make(transactions(toy), toy.files, toy.spec, number, lambda: now, no_progress)
    return archives.path_of(toy.files, made)


def bring(toy: Toy, path: Path) -> Imported:
    def find(name: str) -> TaskSpec:
        if name != toy.spec.name:
            raise CatalogError("catalog", say("There is no task {task}.", task=name))
        return toy.spec

    return archive_importing.bring(transactions(toy), toy.files, find, path, SHELL, lambda: NOON, no_progress)


def elsewhere(toy: Toy, template: Path, name: str = "elsewhere") -> Toy:
    """An installation with nothing in it."""
    folder = toy.folder / name
    folder.mkdir()
    shutil.copyfile(template, folder / "leaderboard.db")
    return Toy(Database(f"sqlite:///{folder / 'leaderboard.db'}"), folder, toy.spec)


def rankings(toy: Toy, **where: Any) -> dict[tuple[str | None, str], str]:
    """What `board` prints of every track."""
    printed: dict[tuple[str | None, str], str] = {}
    with toy.database.reading() as session:
        for track in boards.listed_tracks(toy.spec):
            found = boards.with_own_names(session, boards.board(session, toy.spec, track, "open", **where))
            for wanted in ("text", "csv", "json", "latex", "markdown"):
                printed[track, wanted] = exports.render(toy.spec, found, wanted)
    return printed


def entries(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as source:
        return {name: source.read(name) for name in source.namelist()}


def forged(path: Path, change: Callable[[dict[str, bytes]], object], *, honest: bool = False) -> Path:
    """The archive with other entries; `honest`: with a manifest that fits them."""
    content = entries(path)
    change(content)
    if honest:
        manifest = json.loads(content[MANIFEST])
        manifest["entries"] = [
            {"path": name, "size": len(text), "sha256": hashlib.sha256(text).hexdigest()}
            for name, text in content.items()
            if name != MANIFEST
        ]
        content[MANIFEST] = json.dumps(manifest).encode()
    target = path.with_name("forged.zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for name, text in content.items():
            written.writestr(name, text)
    return target
