"""The runs of a task as its organisers see them: all of them, filtered and sorted, and everything of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import audit_log, moderation, run_pages
from leaderboard.services.audit_log import Entry
from leaderboard.services.moderation import UNDONE_WITHIN, Action
from leaderboard.services.run_pages import RunPage, Summary
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import EXACT, SHOWN_SPLITS, GoldVersion, Phase, Run, Score, Team

PER_PAGE = 50

Mark = Literal["", "clean", "disqualified", "hidden", "withdrawn", "late", "deleted"]
MARKS: tuple[Mark, ...] = get_args(Mark)
"""What may have become of runs. Deleted ones are listed only where they are asked for; clean ones stand for
everybody to see."""

STATES = ("scored", "received", "rejected", "failed")
KINDS = ("ordinary", "contrastive", "baseline")

_MARKS: Mapping[str, ColumnElement[bool]] = {
    "clean": and_(*queries.SHOWN, Run.disqualified_at.is_(None)),
    "disqualified": Run.disqualified_at.is_not(None),
    "hidden": Run.hidden_at.is_not(None),
    "withdrawn": Run.withdrawn_at.is_not(None),
    "late": Run.late.is_(True),
}

_ORDERS: Mapping[str, Any] = {
    "submitted": Run.submitted_at,
    "name": func.lower(Run.name),
    "team": func.lower(Team.name),
    "state": Run.state,
    "size": Run.size,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which runs, in which order. Empty words and None mean any. `text` is looked for in the names of run,
    file and team and at the beginning of the file's hash; a number also finds the run of that number. `sort`
    is one of `sorts`; `page` counts from 1."""

    team: int | None = None
    phase: str = ""
    state: str = ""
    kind: str = ""
    mark: Mark = ""
    text: str = ""
    sort: str = "submitted"
    descending: bool = True
    page: int = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A run in the list, under its team's own name. `values` are those of each track's primary measure on
    the gold of now."""

    summary: Summary
    team_id: int
    deleted_at: datetime | None
    fault_count: int
    values: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of the runs that match, of which there are `total`; `teams` are all that may be asked for."""

    wanted: Wanted
    rows: tuple[Row, ...]
    total: int
    pages: int
    teams: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class OrganiserRun:
    """Everything about a run. `undo_until`: until then its deletion can be undone. `exact` has the exact
    values by track and number of the gold version, where everybody else, its team included, is told less."""

    page: RunPage
    team_id: int
    alias: str
    disqualified_for: str
    disqualified_at: datetime | None
    hidden_at: datetime | None
    withdrawn_at: datetime | None
    deleted_at: datetime | None
    undo_until: datetime | None
    attempts: int
    actions: tuple[Action, ...]
    history: tuple[Entry, ...]
    exact: Mapping[tuple[str, int], Mapping[str, float | None]]


def sorts(spec: TaskSpec) -> tuple[str, ...]:
    """What the list can be sorted by; the name of a track means its primary measure."""
    return (*_ORDERS, *(track.name for track in spec.tracks))


def listing(session: Session, spec: TaskSpec, wanted: Wanted, per_page: int = PER_PAGE) -> Listing:
    """The page asked for, or the last one. Raises UnknownTask."""
    task_id = known(session, spec.name).id
    conditions = _conditions(task_id, wanted)
    total = session.scalar(_joined(select(func.count()).select_from(Run)).where(*conditions)) or 0
    pages = max(1, -(-total // per_page))
    wanted = replace(wanted, page=min(wanted.page, pages))
    statement = _ordered(session, spec, task_id, _joined(select(Run, Team.name, Phase.name)), wanted)
    found = session.execute(
        statement.where(*conditions).offset((wanted.page - 1) * per_page).limit(per_page)
    ).all()
    values = _values(session, spec, task_id, [run.id for run, _, _ in found])
    teams = select(Team.id, Team.name).where(Team.task_id == task_id, Team.merged_into.is_(None))
    return Listing(
        wanted=wanted,
        rows=tuple(
            Row(
                run_pages.summary_of(run, team, phase),
                run.team_id,
                run.deleted_at,
                run.fault_count,
                values.get(run.id, {}),
            )
            for run, team, phase in found
        ),
        total=total,
        pages=pages,
        teams=tuple((row.id, row.name) for row in session.execute(teams.order_by(func.lower(Team.name)))),
    )


def matching(session: Session, spec: TaskSpec, wanted: Wanted) -> tuple[int, ...]:
    """The numbers of all runs that match, on whatever page. Raises UnknownTask."""
    conditions = _conditions(known(session, spec.name).id, wanted)
    return tuple(session.scalars(_joined(select(Run.id)).where(*conditions).order_by(Run.id)))


def show(session: Session, spec: TaskSpec, run_id: int, now: datetime) -> OrganiserRun:
    """Everything about a run, deleted or not. Raises UnknownRun."""
    run = _run(session, spec, run_id)
    team, phase = session.get_one(Team, run.team_id), session.get_one(Phase, run.phase_id)
    actions = moderation.allowed(session, run, now)
    return OrganiserRun(
        page=run_pages.page_of(session, spec, run, team.name, phase.name),
        team_id=team.id,
        alias=team.alias or "",
        disqualified_for=run.disqualified_for or "",
        disqualified_at=run.disqualified_at,
        hidden_at=run.hidden_at,
        withdrawn_at=run.withdrawn_at,
        deleted_at=run.deleted_at,
        undo_until=run.deleted_at + UNDONE_WITHIN if run.deleted_at and "undelete" in actions else None,
        attempts=run.attempts,
        actions=actions,
        history=audit_log.of_subject(session, spec.name, "run", run_id),
        exact=_exact(session, run_id),
    )


def _exact(session: Session, run_id: int) -> dict[tuple[str, int], dict[str, float | None]]:
    statement = (
        select(GoldVersion.track, GoldVersion.number, Score.measure, Score.value)
        .join(GoldVersion, GoldVersion.id == Score.gold_version_id)
        .where(Score.run_id == run_id, Score.split == EXACT)
    )
    found: dict[tuple[str, int], dict[str, float | None]] = {}
    for track, number, measure, value in session.execute(statement):
        found.setdefault((track, number), {})[measure] = value
    return found


def path_of(session: Session, files: Files, spec: TaskSpec, run_id: int) -> Path:
    """Where the file of a run lies on this machine. Raises UnknownRun, FileMissing."""
    return files.kept.path(_run(session, spec, run_id).file_hash)


def _run(session: Session, spec: TaskSpec, run_id: int) -> Run:
    run = session.get(Run, run_id)
    if run is None or run.task_id != known(session, spec.name).id:
        raise UnknownRun(spec, run_id)
    return run


def _joined(statement: Select[Any, *tuple[Any, ...]]) -> Select[Any, *tuple[Any, ...]]:
    return statement.join(Team, Team.id == Run.team_id).join(Phase, Phase.id == Run.phase_id)


def _conditions(task_id: int, wanted: Wanted) -> tuple[ColumnElement[bool], ...]:
    return (Run.task_id == task_id, *_asked(wanted))


def _asked(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    yield Run.deleted_at.is_not(None) if wanted.mark == "deleted" else Run.deleted_at.is_(None)
    if wanted.mark in _MARKS:
        yield _MARKS[wanted.mark]
    if wanted.team is not None:
        yield Run.team_id == wanted.team
    if wanted.phase:
        yield Phase.name == wanted.phase
    if wanted.state:
        yield Run.state == wanted.state
    if wanted.kind:
        yield Run.kind == wanted.kind
    text = wanted.text.strip()
    if text:
        words = [column.icontains(text, autoescape=True) for column in (Run.name, Run.file_name, Team.name)]
        numbered = [Run.id == int(text)] if text.isascii() and text.isdigit() and len(text) < 10 else []
        yield or_(*words, Run.file_hash.startswith(text.lower(), autoescape=True), *numbered)


def _ordered(
    session: Session, spec: TaskSpec, task_id: int, statement: Select[Any, *tuple[Any, ...]], wanted: Wanted
) -> Select[Any, *tuple[Any, ...]]:
    """Equal ones by number; those without a value stay last."""
    by_number = Run.id.desc() if wanted.descending else Run.id
    if wanted.sort in _ORDERS:
        column = _ORDERS[wanted.sort]
        return statement.order_by(column.desc() if wanted.descending else column, by_number)
    gold = queries.active_gold(session, task_id).get(wanted.sort)
    value = Score.value.desc() if wanted.descending else Score.value
    of_run = and_(
        Score.run_id == Run.id,
        Score.gold_version_id == (gold.id if gold else 0),
        Score.measure == spec.track(wanted.sort).primary,
        Score.split.in_(SHOWN_SPLITS),
    )
    return statement.outerjoin(Score, of_run).order_by(Score.value.is_(None), value, by_number)


def _values(
    session: Session, spec: TaskSpec, task_id: int, run_ids: Sequence[int]
) -> dict[int, dict[str, float | None]]:
    gold = queries.active_gold(session, task_id)
    values = queries.values_of_runs(session, run_ids, [version.id for version in gold.values()])
    return {
        run_id: {
            track.name: found[track.name].get(track.primary) for track in spec.tracks if track.name in found
        }
        for run_id, found in values.items()
    }
