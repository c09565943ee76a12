"""The stored phase: what of it can be set, what it is declared as, and its end."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Literal, get_args

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from leaderboard.contract import PhaseSpec, Text
from leaderboard.services import splits
from leaderboard.store.models import Allowance, Board, News, Notice, Phase, PhaseParts, Standing

Column = Literal[
    "title", "opens_at", "closes_at", "runs_per_day", "runs_in_all", "rejected_per_day", "reveals", "split"
]
COLUMNS: tuple[str, ...] = get_args(Column)
"""What can be set of a phase."""

NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
"""How tasks and phases may be called: the name becomes part of addresses and of file names."""

LONGEST_NAME = 40
"""A phase may be called by so many characters."""

MOST = 1_000_000


def values_of(phase: PhaseSpec) -> dict[str, Any]:
    """The columns of a phase, as its row holds them."""
    return {
        "title": dict(phase.title.by_language),
        "opens_at": phase.opens_at,
        "closes_at": phase.closes_at,
        "runs_per_day": phase.runs_per_day,
        "runs_in_all": phase.runs_in_all,
        "rejected_per_day": phase.rejected_per_day,
        "reveals": list(phase.reveals),
        "split": splits.as_json(phase.split),
    }


def declared_of(row: Phase) -> PhaseSpec | None:
    """The phase as the folder of its task declares it; None for one that organisers made."""
    if row.declared_as is None:
        return None
    values = dict(row.declared_as)
    return PhaseSpec(
        row.name,
        Text(values["title"]),
        _moment(values["opens_at"]),
        _moment(values["closes_at"]),
        values["runs_per_day"],
        values["runs_in_all"],
        values["rejected_per_day"],
        tuple(values["reveals"]),
        splits.from_json(values.get("split")),
    )


def changed_now(row: Phase) -> list[str]:
    """What `Phase.changed` must hold, by what the row holds now."""
    declared = declared_of(row)
    if declared is None:
        return list(row.changed)
    values = values_of(declared)
    differing = {name for name in COLUMNS if getattr(row, name) != values[name]}
    return sorted(differing | (set(row.changed) - set(COLUMNS)))


def remove(session: Session, row: Phase) -> None:
    """Takes a phase out of the tables, with what hangs on it; no run does."""
    boards = select(Board.id).where(Board.phase_id == row.id)
    session.execute(delete(Standing).where(Standing.board_id.in_(boards)))
    for table in (Board, News, Notice, Allowance, PhaseParts):
        session.execute(delete(table).where(table.phase_id == row.id))
    session.delete(row)


def _moment(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)
