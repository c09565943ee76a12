"""How sure the values on a board are, as it was stored by `leaderboard.services.analysing`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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


def of_board(session: Session, board: models.Board) -> Known:
    """What is stored of a board. Groups are of all lines together: they are left out where one is newer."""
    row = session.get(models.BoardAnalysis, board.id)
    if row is None:
        return NOTHING
    current = row.fingerprint == board.fingerprint
    of = {
        int(run_id): (
            parts["value"],
            Sureness(parts["low"], parts["high"], parts["group"] if current else ""),
        )
        for run_id, parts in row.lines.items()
    }
    return Known(of, row.lettered if current and row.groups else None)
