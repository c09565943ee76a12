"""Which run of a team counts, and who has which place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from leaderboard.contract import CountingRule, Message, say

Kind = Literal["ordinary", "contrastive", "baseline"]

TIE = 1e-12
"""Values that differ by no more than this, relative to the first of their group, share a place."""

_FIRST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Entry:
    """A run as a ranking sees it.

    `value` is the primary measure at full precision, None where there is none, and `reason` then says why.
    `team` is any stable name of the team. `file_hash` only settles the order of runs that are equal in
    everything else, so that it never depends on the order in which they were stored.
    """

    run: int
    team: str
    submitted_at: datetime
    value: float | None
    reason: Message | None = None
    kind: Kind = "ordinary"
    late: bool = False
    disqualified: Message | None = None
    hidden: bool = False
    selected: bool = False
    file_hash: str = ""

    @property
    def age(self) -> tuple[datetime, str, str]:
        """Sorts runs by submission, without regard to how they came into the database."""
        return self.submitted_at, self.team, self.file_hash


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of a ranking, in the order of listing; without a place, `reason` says why."""

    entry: Entry
    place: int | None
    reason: Message | None = None


def bar(entry: Entry) -> Message | None:
    """What keeps a run from having a place whatever its value, None where nothing does."""
    if entry.disqualified is not None:
        return entry.disqualified
    if entry.kind == "baseline":
        return say("A baseline of the organisers has no place in the ranking.")
    if entry.kind == "contrastive":
        return say("The team submitted this run for comparison; it does not count for the ranking.")
    if entry.late:
        return say("This run was submitted after the phase had closed.")
    return None


def counted(runs: Iterable[Entry], counting: CountingRule, *, higher_is_better: bool = True) -> Entry | None:
    """The run of one team that counts on one track, None where there is no run.

    "best": the best value, of equal ones the earliest; a run without value only where none has one.
    "latest": the last submitted. "selected": the one the team chose, the last submitted where it chose
    none. Which of `runs` may count at all is for the caller to say.
    """
    in_order = sorted(runs, key=lambda entry: entry.age)
    if not in_order:
        return None
    if counting == "best":
        sign = 1.0 if higher_is_better else -1.0
        # max() keeps the first of equals, which is the earliest submitted.
        return max(in_order, key=lambda entry: (entry.value is not None, sign * (entry.value or 0.0)))
    if counting == "selected":
        chosen = [entry for entry in in_order if entry.selected]
        return (chosen or in_order)[-1]
    return in_order[-1]


def place(
    entries: Iterable[Entry], counting: CountingRule, *, higher_is_better: bool = True
) -> tuple[Placed, ...]:
    """The ranking of one track, best first.

    Each team has one line for its counted run. Values within `TIE` (relative) of the first of a group join
    that group and share its place, the next place is skipped (1, 1, 3); among equals the earlier run is
    listed first. Baselines, contrastive and disqualified runs, and the counted one of each team's late
    runs, are listed where their value stands, after the equal ones, without a place, and take none.
    Runs without value come last with their reason. Hidden runs are not listed at all.
    """
    sign = 1.0 if higher_is_better else -1.0
    listed = _listed([entry for entry in entries if not entry.hidden], counting, higher_is_better)
    ranked = [entry for entry in listed if entry.value is not None and bar(entry) is None]
    groups = _groups(ranked, sign)
    lines: list[tuple[tuple[object, ...], Placed]] = []
    first_place = 1
    for number, group in enumerate(groups):
        lines += [((number, 0, 0.0, entry.age), Placed(entry, first_place)) for entry in group]
        first_place += len(group)
    leaders = [group.value for group in groups]
    for entry in listed:
        reason = bar(entry)
        if entry.value is None:
            lines.append(((len(groups), 2, 0.0, entry.age), Placed(entry, None, reason or entry.reason)))
        elif reason is not None:
            after = sum(not _beats(entry.value, leader, sign) for leader in leaders) - 1
            lines.append(((after, 1, -sign * entry.value, entry.age), Placed(entry, None, reason)))
    return tuple(line for _, line in sorted(lines, key=lambda line: line[0]))


def place_of(value: float, lines: Iterable[Placed], *, higher_is_better: bool = True) -> int:
    """The place that a run of this value has, or would have were it counted as one team more."""
    sign = 1.0 if higher_is_better else -1.0
    values = [line.entry.value for line in lines if line.place is not None and line.entry.value is not None]
    return 1 + sum(_beats(other, value, sign) for other in values)


def _listed(entries: Sequence[Entry], counting: CountingRule, higher_is_better: bool) -> list[Entry]:
    listed = [entry for entry in entries if entry.disqualified is not None or entry.kind != "ordinary"]
    by_team: dict[tuple[str, bool], list[Entry]] = {}
    for entry in entries:
        if entry.disqualified is None and entry.kind == "ordinary":
            by_team.setdefault((entry.team, entry.late), []).append(entry)
    for runs in by_team.values():
        chosen = counted(runs, counting, higher_is_better=higher_is_better)
        if chosen is not None:
            listed.append(chosen)
    return listed


class _Group(list[Entry]):
    """Runs that share a place; `value` is that of the first, the best of them."""

    def __init__(self, first: Entry, value: float) -> None:
        super().__init__([first])
        self.value = value


def _groups(ranked: Iterable[Entry], sign: float) -> list[_Group]:
    groups: list[_Group] = []
    for entry in sorted(ranked, key=lambda entry: (-sign * (entry.value or 0.0), entry.age)):
        value = entry.value or 0.0
        if groups and not _beats(groups[-1].value, value, sign):
            groups[-1].append(entry)
        else:
            groups.append(_Group(entry, value))
    return groups


def _beats(value: float, other: float, sign: float) -> bool:
    """Whether `value` is better than `other` by more than a tie allows, seen from the better one."""
    return sign * (value - other) > TIE * abs(value)


@dataclass(frozen=True, slots=True)
class MeanRank:
    """A team's line of the overall ranking by mean rank.

    `places` are its places on the tracks that gave it one; `ranks` has the number that entered the mean
    for every track.
    """

    team: str
    place: int | None
    value: float
    places: Mapping[str, int]
    ranks: Mapping[str, int]
    complete_at: datetime


def mean_rank(tracks: Mapping[str, Sequence[Placed]]) -> tuple[MeanRank, ...]:
    """The overall ranking: the mean of a team's places over all tracks, the lowest first.

    A team without a place on a track has there the rank after the last place given, that is one more than
    the number of teams with a place; a team with no place at all is not ranked. Ties as in `place`; among
    equals the team whose counted runs were complete earlier is listed first.
    """
    places: dict[str, dict[str, int]] = {}
    complete: dict[str, datetime] = {}
    size: dict[str, int] = {}
    for track, lines in tracks.items():
        with_place = [(line.entry, line.place) for line in lines if line.place is not None]
        size[track] = len(with_place)
        for entry, number in with_place:
            places.setdefault(entry.team, {})[track] = number
            complete[entry.team] = max(complete.get(entry.team, _FIRST), entry.submitted_at)
    ranks = {
        team: {track: own.get(track, size[track] + 1) for track in tracks} for team, own in places.items()
    }
    # Sums of whole numbers are exact, so the mean of equal ranks is equal whatever the order of tracks.
    entries = [
        Entry(0, team, complete[team], sum(own.values()) / len(own), file_hash=team)
        for team, own in ranks.items()
    ]
    lines = place(entries, "latest", higher_is_better=False)
    return tuple(
        MeanRank(
            team=line.entry.team,
            place=line.place,
            value=line.entry.value or 0.0,
            places=places[line.entry.team],
            ranks=ranks[line.entry.team],
            complete_at=line.entry.submitted_at,
        )
        for line in lines
    )
