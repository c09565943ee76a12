"""Which lines of a stored board are read, and in what order, so that a page costs the same on any board.

The positions of a board's lines count from 1. Those that are apart are few, and have indices of their own:
what no page may show any more, late runs, baselines, runs for comparison. From them it is reckoned which
positions stand on a page, and teams and runs are joined to the lines of that page alone
(docs/decisions/0023-*.md).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Integer,
    Select,
    String,
    TextClause,
    case,
    func,
    literal_column,
    select,
    text,
    union_all,
)
from sqlalchemy.orm import Session

from leaderboard.store import models

Kind = Literal["baseline", "contrastive", "late"]
"""What a line without a place may be that readers may want to leave out."""

NameOf = Callable[[str, str | None], str]
"""What the public calls a team, by its name and its alias."""

_FEW = 500
"""Of more lines all are read: databases limit how many values a statement may have."""


@dataclass(frozen=True, slots=True)
class Order:
    """By what lines are sorted: the names of teams, when runs came, or the value of a measure on a track."""

    by: Literal["team", "submitted"] | tuple[str, str]
    descending: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """The positions on a board: 1 to `last`, of which nobody may see those `gone`; of the others some are
    of a kind."""

    last: int
    gone: frozenset[int]
    kinds: dict[Kind, frozenset[int]]

    def left_out(self, but: Collection[Kind]) -> frozenset[int]:
        """Those that are not shown where these kinds are left out."""
        return self.gone.union(*(self.kinds.get(kind, frozenset()) for kind in but))

    def part(self, left_out: frozenset[int], first: int, most: int | None) -> list[int]:
        """So many positions without those, in their order, from the one numbered `first` on."""
        shown, before = first, 0
        for position in sorted(left_out):
            # So many shown lines stand above this one.
            if position - before > first:
                break
            before += 1
        shown += before
        found: list[int] = []
        while shown <= self.last and (most is None or len(found) < most):
            if shown not in left_out:
                found.append(shown)
            shown += 1
        return found


def lines(session: Session, board: models.Board) -> Lines:
    """The positions on a board."""
    last = session.scalar(
        select(func.max(models.Standing.position)).where(models.Standing.board_id == board.id)
    )
    gone: set[int] = set()
    kinds: dict[Kind, set[int]] = {}
    for position, kind, why in session.execute(_apart(board)):
        if why == "gone":
            gone.add(position)
        elif why == "late" and kind == "ordinary":
            kinds.setdefault("late", set()).add(position)
        elif why == "kind" and kind in ("baseline", "contrastive"):
            kinds.setdefault(kind, set()).add(position)
    left = {kind: frozenset(found - gone) for kind, found in kinds.items()}
    return Lines(last or 0, frozenset(gone), {kind: found for kind, found in left.items() if found})


def positions(
    session: Session,
    board: models.Board,
    found: Lines,
    left_out: frozenset[int],
    order: Order | None,
    name_of: NameOf,
    most: int | None = None,
) -> Sequence[int]:
    """The positions of all lines but those, in that order (None: that of the ranking), or the first so many
    at least. Lines without a value, or a moment, stay last, equal ones as they are ranked."""
    if order is None:
        return found.part(left_out, 1, most)
    if order.by == "team":
        listed: Sequence[int] = _by_team(session, board, order, name_of)
    else:
        limit = None if most is None else most + len(left_out)
        listed = session.scalars(_sorted(board, order).limit(limit)).all()
    return [position for position in listed if position not in left_out]


def part(
    session: Session,
    board: models.Board,
    found: Lines,
    left_out: frozenset[int],
    order: Order | None,
    name_of: NameOf,
    first: int,
    most: int | None,
) -> Sequence[int]:
    """Of those positions `most` (None: all) from the one numbered `first` on."""
    if order is None:
        return found.part(left_out, first, most)
    last = None if most is None else first - 1 + most
    return positions(session, board, found, left_out, order, name_of, last)[first - 1 : last]


def rows(
    session: Session, board: models.Board, wanted: Sequence[int]
) -> list[tuple[models.Standing, models.Team, models.Run | None]]:
    """The lines at these positions with their teams and runs, in that order."""
    statement = (
        select(models.Standing, models.Team, models.Run)
        .join(models.Team, models.Team.id == models.Standing.team_id)
        .outerjoin(models.Run, models.Run.id == models.Standing.run_id)
        .where(models.Standing.board_id == board.id)
    )
    if len(wanted) <= _FEW:
        statement = statement.where(models.Standing.position.in_(wanted))
    found = {line.position: (line, team, run) for line, team, run in session.execute(statement)}
    return [found[position] for position in wanted]


def _apart(board: models.Board) -> CompoundSelect[Any]:
    """The lines of which something is to be known, each by the index of what it is. Written as the indices
    are, and with a plus before what is not to be searched by: neither database knows how few these are."""
    line, run, team = models.Standing, models.Run, models.Team
    here: ColumnElement[bool] = literal_column("+standing.board_id", Integer) == board.id
    gone = text("(run.hidden_at IS NOT NULL OR run.deleted_at IS NOT NULL)")
    late = text("run.late")
    gone_team = text("team.deleted_at IS NOT NULL")

    def of(why: str, *conditions: ColumnElement[bool] | TextClause) -> Select[int, str, str]:
        said: ColumnElement[str] = literal_column(f"'{why}'", String).label("why")
        return select(line.position, line.kind, said).where(*conditions)

    apart: CompoundSelect[Any] = union_all(
        of("kind", line.board_id == board.id, text("standing.kind != 'ordinary'")),
        of("late", here, line.run_id.in_(select(run.id).where(run.phase_id == board.phase_id, late))),
        of(
            "gone",
            here,
            line.run_id.in_(select(run.id).where(run.task_id == board.task_id, gone)),
        ),
        of("gone", here, line.team_id.in_(select(team.id).where(team.task_id == board.task_id, gone_team))),
    )
    return apart


def _by_team(session: Session, board: models.Board, order: Order, name_of: NameOf) -> list[int]:
    """The names are put in order here: databases fold letters each in a way of its own."""
    named = [(name.casefold(), at) for at, name in names(session, board, name_of)]
    named.sort(key=lambda pair: pair[0], reverse=order.descending)
    return [at for _, at in named]


def names(session: Session, board: models.Board, name_of: NameOf) -> list[tuple[int, str]]:
    """The positions of a board, in their order, with what the public calls the teams there."""
    statement = (
        select(models.Standing.position, models.Team.name, models.Team.alias)
        .join(models.Team, models.Team.id == models.Standing.team_id)
        .where(models.Standing.board_id == board.id)
        .order_by(models.Standing.position)
    )
    return [(at, name_of(name, alias)) for at, name, alias in session.execute(statement)]


def of_team(named: Sequence[tuple[int, str]], left_out: frozenset[int], wanted: str) -> int | None:
    """The first position of the team that is called so, else of one whose name begins so or has it in it."""
    looked = " ".join(wanted.split()).casefold()
    found: list[tuple[int, int]] = []
    for at, name in named:
        folded = name.casefold()
        if looked in folded and at not in left_out:
            found.append((0 if folded == looked else 1 if folded.startswith(looked) else 2, at))
    return min(found)[1] if looked and found else None


def _sorted(board: models.Board, order: Order) -> Select[Any]:
    position = models.Standing.position
    statement = select(position).where(models.Standing.board_id == board.id)
    last: ColumnElement[Any] = position.expression
    if order.by == "submitted":
        key: ColumnElement[Any] = models.Run.submitted_at.expression
        statement = statement.outerjoin(models.Run, models.Run.id == models.Standing.run_id)
        # Turned round, those of one moment are turned round as well.
        last = case((key.is_(None), position), else_=-position if order.descending else position)
    else:
        key = models.Standing.values[order.by].as_float()
    return statement.order_by(key.is_(None), key.desc() if order.descending else key.asc(), last)
