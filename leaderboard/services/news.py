"""What has changed in a task, for everybody to read.

Written in the transaction that made the change, with numbers of teams and runs instead of names: what they
are called, and whether they may be seen at all, is decided when somebody reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, Text
from leaderboard.services import phases
from leaderboard.services.phases import PhaseView
from leaderboard.services.shifts import Move, Shift
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_names
from leaderboard.store import queries
from leaderboard.store.models import Announcement, News, Question, Run, Task, Team

KEPT = 200
"""So many are kept of each task, the newest."""

_TIMES = frozenset({"opens_at", "closes_at", "names", "frozen", "revealed"})
"""What of the settings is a moment."""

_SAID = ("announcement", "answer")

LISTED = 30
"""So many teams are listed for a change; of the others it says how many there are."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a team on a board. `run` is the one that counts now, where that is a new one which
    everybody may see; `new_run` is also true where it may not be seen any more."""

    track: str | None
    team: str
    before: int | None
    after: int | None
    run_id: int | None
    run: str | None
    new_run: bool


@dataclass(frozen=True, slots=True)
class SettingChange:
    """What organisers set otherwise: `what` is a column of a phase, or "visibility", "counting", "names",
    "public_values", "frozen", "revealed", "made", "taken away". `phase` is None where it concerns the whole
    task. Times are aware."""

    what: str
    phase: Text | None
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Said:
    """What organisers said: an announcement's title and text (Markdown), or a question and its answer."""

    title: Text
    text: Text


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of news. `phase` and `changes` belong to *places* (of which `more` are not listed), `versions`
    to *gold* (track to number), `resource` and `number` to *resource*, `settings` to *settings*, `said` to
    *announcement* and *answer*."""

    number: int
    kind: str
    happened_at: datetime
    phase: PhaseView | None = None
    changes: tuple[Change, ...] = ()
    more: int = 0
    versions: Mapping[str, int] | None = None
    resource: str | None = None
    resource_number: int | None = None
    settings: tuple[SettingChange, ...] = ()
    said: Said | None = None


def places_changed(
    session: Session, task: Task, phase_id: int, shifts: Sequence[Shift], now: datetime
) -> None:
    """Tells of all boards of a phase that changed at once."""
    moves = [(shift.track, move) for shift in shifts for move in shift.moves]
    # New runs are what readers come for, then who stands high.
    first = sorted(moves, key=lambda pair: (pair[1].run is None, pair[1].after or len(moves)))[:LISTED]
    listed = [_as_json(*pair) for pair in moves if pair in first]
    _add(session, task, "places", now, {"moves": listed, "more": len(moves) - len(listed)}, phase_id)


def gold_installed(session: Session, task: Task, versions: Mapping[str, int], now: datetime) -> None:
    """Tells of new versions of the benchmark, by track."""
    _add(session, task, "gold", now, {"versions": dict(versions)})


def resource_published(session: Session, task: Task, resource: str, number: int, now: datetime) -> None:
    """Tells that a resource is there for everybody."""
    _add(session, task, "resource", now, {"resource": resource, "number": number})


def settings_changed(session: Session, task: Task, changes: Sequence[SettingChange], now: datetime) -> None:
    """Tells of what organisers set otherwise, all that they set at once."""
    if changes:
        _add(session, task, "settings", now, {"settings": [_setting_as_json(each) for each in changes]})


def of_settings(session: Session, spec: TaskSpec, most: int = 5) -> tuple[Item, ...]:
    """What organisers set otherwise, the newest first. Raises UnknownTask."""
    statement = select(News).where(News.task_id == known(session, spec.name).id, News.kind == "settings")
    rows = session.scalars(statement.order_by(News.id.desc()).limit(most))
    return tuple(_item(row, {}, {}, {}, set()) for row in rows)


def announced(session: Session, task: Task, announcement: int, now: datetime) -> None:
    """Tells of an announcement of the organisers."""
    _add(session, task, "announcement", now, {"announcement": announcement})


def answered(session: Session, task: Task, question: int, now: datetime) -> None:
    """Tells of a question that the organisers answered for all."""
    _add(session, task, "answer", now, {"question": question})


def listing(session: Session, spec: TaskSpec, now: datetime, most: int = 50) -> tuple[Item, ...]:
    """The news that everybody may read, the newest first: of rankings those of phases that show them.

    Raises UnknownTask.
    """
    task = known(session, spec.name)
    seen = phases.by_id(session, spec, now)
    rows = session.scalars(select(News).where(News.task_id == task.id).order_by(News.id.desc())).all()
    said = _said(session, rows)
    shown = [
        row
        for row in rows
        if (row.phase_id is None or seen[row.phase_id].shows_board)
        and (row.kind not in _SAID or row.id in said)
    ][:most]
    moves = [move for row in shown for move in row.details.get("moves", ())]
    gone = set(session.scalars(select(Team.id).where(Team.task_id == task.id, Team.deleted_at.is_not(None))))
    names = {team: name for team, name in public_names(session, task, now).items() if team not in gone}
    runs = _visible_runs(session, (move["run"] for move in moves if move["run"] is not None))
    declared = {None, *(track.name for track in spec.tracks)}
    items = (_item(row, seen, names, runs, declared) for row in shown)
    return tuple(replace(item, said=said.get(item.number)) for item in items)


def began(session: Session, spec: TaskSpec) -> datetime:
    """When there can have been news first. Raises UnknownTask."""
    return known(session, spec.name).installed_at


def _said(session: Session, rows: Sequence[News]) -> dict[int, Said]:
    """What organisers say in those news where they do, and still do, by the number of the news."""
    announcements = _named(rows, "announcement")
    told = select(Announcement).where(
        Announcement.id.in_(announcements.values()), Announcement.public, Announcement.withdrawn_at.is_(None)
    )
    questions = _named(rows, "question")
    asked = select(Question).where(Question.id.in_(questions.values()), Question.public)
    by_announcement = {row.id: Said(Text(row.title), Text(row.text)) for row in session.scalars(told)}
    by_question = {
        row.id: Said(Text({"en": row.text}), Text({"en": row.answer or ""})) for row in session.scalars(asked)
    }
    return {
        **{number: by_announcement[one] for number, one in announcements.items() if one in by_announcement},
        **{number: by_question[one] for number, one in questions.items() if one in by_question},
    }


def _named(rows: Sequence[News], what: str) -> dict[int, int]:
    return {row.id: row.details[what] for row in rows if what in row.details}


def _item(
    row: News,
    seen: Mapping[int, PhaseView],
    names: Mapping[int, str],
    runs: Mapping[int, str],
    declared: set[str | None],
) -> Item:
    details = row.details
    changes = tuple(
        _change(move, names, runs)
        for move in details.get("moves", ())
        # A team that was deleted is called nothing any more.
        if move["track"] in declared and move["team"] in names
    )
    return Item(
        number=row.id,
        kind=row.kind,
        happened_at=row.happened_at,
        phase=None if row.phase_id is None else seen[row.phase_id],
        changes=changes,
        more=details.get("more", 0),
        versions=details.get("versions"),
        resource=details.get("resource"),
        resource_number=details.get("number"),
        settings=tuple(_setting(each) for each in details.get("settings", ())),
    )


def _setting(each: Mapping[str, Any]) -> SettingChange:
    phase = each["phase"]
    values = (each["before"], each["after"])
    if each["what"] in _TIMES:
        values = tuple(value and datetime.fromisoformat(value) for value in values)  # type: ignore[assignment]
    return SettingChange(each["what"], None if phase is None else Text(phase), *values)


def _setting_as_json(change: SettingChange) -> dict[str, Any]:
    before, after = (
        value.isoformat() if isinstance(value, datetime) else value for value in (change.before, change.after)
    )
    phase = None if change.phase is None else dict(change.phase.by_language)
    return {"what": change.what, "phase": phase, "before": before, "after": after}


def _change(move: Mapping[str, Any], names: Mapping[int, str], runs: Mapping[int, str]) -> Change:
    run = move["run"]
    return Change(
        track=move["track"],
        team=names[move["team"]],
        before=move["before"],
        after=move["after"],
        run_id=run if run in runs else None,
        run=runs.get(run),
        new_run=run is not None,
    )


def _visible_runs(session: Session, run_ids: Iterable[int]) -> dict[int, str]:
    statement = select(Run.id, Run.name).where(
        Run.id.in_(set(run_ids)), Run.state == "scored", *queries.SHOWN
    )
    return {row.id: row.name for row in session.execute(statement)}


def _as_json(track: str | None, move: Move) -> dict[str, Any]:
    return {"track": track, "team": move.team, "before": move.before, "after": move.after, "run": move.run}


def _add(
    session: Session,
    task: Task,
    kind: str,
    now: datetime,
    details: dict[str, Any],
    phase_id: int | None = None,
) -> None:
    session.add(News(task_id=task.id, phase_id=phase_id, kind=kind, happened_at=now, details=details))
    session.flush()
    oldest = select(News.id).where(News.task_id == task.id).order_by(News.id.desc()).offset(KEPT).limit(1)
    last = session.scalar(oldest)
    if last is not None:
        session.execute(delete(News).where(News.task_id == task.id, News.id <= last))
