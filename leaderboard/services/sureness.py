"""How sure the values on a board are, as it was stored by `leaderboard.services.analysing`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import JSON, column, func, select, true
from sqlalchemy.orm import Session

from leaderboard.store import models


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure the value of a line is: the ends of its 95 % interval, None where there is none, and `group`.

    Two lines cannot be told apart exactly if they share a letter of `group`. Where letters do not suffice it
    is the first and the last place that the line cannot be told apart from, as "3–27". It is empty for a line
    without a place, and where it has yet to be computed.
    """

    low: float | None
    high: float | None
    group: str


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a board. `lettered`: its groups are letters; None: it has no groups."""

    of: Mapping[int, tuple[float, Sureness]]
    lettered: bool | None

    def about(self, run_id: int | None, value: float | None) -> Sureness | None:
        """What is known of a line; None where that is about another value of the run."""
        if run_id is None or run_id not in self.of:
            return None
        known_value, sureness = self.of[run_id]
        return sureness if known_value == value else None


NOTHING = Known({}, None)


def of_board(session: Session, board: models.Board, run_ids: Collection[int | None] | None = None) -> Known:
    """What is stored of a board, or of some of its runs. Groups are of all lines together: they are left out
    where one is newer."""
    analysis = models.BoardAnalysis
    row = session.execute(
        select(analysis.fingerprint, analysis.groups, analysis.lettered).where(analysis.board_id == board.id)
    ).one_or_none()
    if row is None:
        return NOTHING
    current = row.fingerprint == board.fingerprint
    of = {
        run_id: (
            parts["value"],
            Sureness(parts["low"], parts["high"], parts["group"] if current else ""),
        )
        for run_id, parts in _lines(session, board.id, run_ids)
    }
    return Known(of, row.lettered if current and row.groups else None)


def _lines(
    session: Session, board_id: int, run_ids: Collection[int | None] | None
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    stored = models.BoardAnalysis.lines
    if run_ids is None:
        lines = session.scalars(select(stored).where(models.BoardAnalysis.board_id == board_id)).one()
        yield from ((int(run_id), parts) for run_id, parts in lines.items())
        return
    # Both databases take a few out of many sooner than all of them are read here.
    each = func.json_each(stored).table_valued("key", column("value", JSON))
    wanted = [str(run_id) for run_id in run_ids if run_id is not None]
    statement = (
        select(each.c.key, each.c.value)
        .select_from(models.BoardAnalysis)
        .join(each, true())
        .where(models.BoardAnalysis.board_id == board_id, each.c.key.in_(wanted))
    )
    yield from ((int(run_id), parts) for run_id, parts in session.execute(statement))
