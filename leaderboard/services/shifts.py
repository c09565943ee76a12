"""How places shift from one state of a board to the next: who entered, rose, fell, and who was overtaken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class PlacedLine(Protocol):
    """A line of a board, stored or not."""

    @property
    def team_id(self) -> int: ...
    @property
    def place(self) -> int | None: ...
    @property
    def run_id(self) -> int | None: ...
    @property
    def runs(self) -> Mapping[str, int]: ...


@dataclass(frozen=True, slots=True)
class Move:
    """What became of a team: its place before and now, None where it had or has none. `run` is the run that
    counts now where that is another than before; None also on overall boards."""

    team: int
    before: int | None
    after: int | None
    run: int | None


@dataclass(frozen=True, slots=True)
class Overtaken:
    """A team that fell because others passed it, and the teams that did."""

    team: int
    before: int
    after: int
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shift:
    """The changes of one board (`track` None: overall), and whom they overtook."""

    track: str | None
    moves: tuple[Move, ...]
    overtaken: tuple[Overtaken, ...]


def settled_as(versions: Mapping[str, int], lines: Iterable[PlacedLine]) -> dict[str, Any]:
    """The places of a board as they are kept to be compared with later ones."""
    teams = {
        str(line.team_id): [line.place, line.run_id if line.run_id is not None else dict(line.runs)]
        for line in lines
        if line.place is not None
    }
    return {"versions": dict(versions), "teams": teams}


def shift_between(track: str | None, before: Mapping[str, Any], after: Mapping[str, Any]) -> Shift | None:
    """What changed between two states that `settled_as` made; None where nothing did."""
    old, new = _lines(before), _lines(after)
    moves = tuple(_moves(old, new))
    if not moves:
        return None
    versions = before.get("versions", {}), after["versions"]
    same_gold = versions[0] == versions[1] if track is None else _same(track, *versions)
    return Shift(track, moves, tuple(_overtaken(old, new, same_gold=same_gold)))


_Lines = Mapping[int, tuple[int, Any]]


def _lines(settled: Mapping[str, Any]) -> _Lines:
    return {int(team): (place, run) for team, (place, run) in settled.get("teams", {}).items()}


def _same(track: str, before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    return before.get(track) == after.get(track)


def _moves(old: _Lines, new: _Lines) -> Iterator[Move]:
    """Teams in the order of their places now, those that have none any more last."""
    for team in [*new, *(team for team in old if team not in new)]:
        place_before, run_before = old.get(team, (None, None))
        place_now, run_now = new.get(team, (None, None))
        another = run_now if isinstance(run_now, int) and run_now != run_before else None
        if place_before != place_now or another is not None:
            yield Move(team, place_before, place_now, another)


def _overtaken(old: _Lines, new: _Lines, *, same_gold: bool) -> Iterator[Overtaken]:
    """A team whose own counted run became another on the same gold fell by its own doing, or that of the
    organisers; nobody overtook it."""
    for team, (before, run_before) in old.items():
        after, run_now = new.get(team, (None, None))
        if after is None or after <= before or (same_gold and run_now != run_before):
            continue
        ahead = tuple(
            other
            for other, (place, _) in new.items()
            if place < after and (other not in old or old[other][0] >= before)
        )
        if ahead:
            yield Overtaken(team, before, after, ahead)
