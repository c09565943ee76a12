"""Whether several teams are one person's: what accounts, sign-ins and times have in common.

Made from what is kept anyway. What is stored of it names teams and numbers, and no address of anybody; those
of members organisers see beside the team.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.analysis.probing import Strength
from leaderboard.analysis.probing_turns import LEAST_DAYS, turns
from leaderboard.services.probing_found import Found
from leaderboard.services.probing_sketches import LOOKED_AT
from leaderboard.store.models import Membership, Phase, Run, Team, User, UserSession

REMEMBERED = timedelta(days=90)
"""Sign-ins that were seen last longer ago say nothing."""

CROWD = 8
"""One network address and browser of people in more teams than this is a lecture hall, or a proxy."""

AT_ONCE = timedelta(minutes=60)
"""Teams that take turns begin so soon after each other."""

Pair = tuple[int, int]


def of_people(session: Session, task_id: int, now: datetime) -> Iterator[Found]:
    """All that is seen between teams that have sent runs."""
    sent = _sent(session, task_id)
    members = [
        row
        for row in session.scalars(select(Membership).where(Membership.task_id == task_id))
        if row.team_id in sent
    ]
    yield from _one_person(members, sent)
    yield from _one_mailbox(session, members)
    yield from _one_browser(session, members, now)
    yield from _turns(session, task_id)


def _sent(session: Session, task_id: int) -> Mapping[int, Sequence[datetime]]:
    """When each team sent its runs. A team that was joined to another has none any more."""
    sent: dict[int, list[datetime]] = defaultdict(list)
    statement = (
        select(Run.team_id, Run.submitted_at)
        .join(Team, Team.id == Run.team_id)
        .where(Run.task_id == task_id, *LOOKED_AT, Team.deleted_at.is_(None), Team.merged_into.is_(None))
    )
    for team_id, moment in session.execute(statement):
        sent[team_id].append(moment)
    return sent


def _one_person(members: Sequence[Membership], sent: Mapping[int, Sequence[datetime]]) -> Iterator[Found]:
    """An account that was in one team after the other, and how many runs each sent meanwhile."""
    times: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in members:
        times[row.user_id][row.team_id] += sum(
            row.joined_at <= moment and (row.left_at is None or moment < row.left_at)
            for moment in sent[row.team_id]
        )
    people: dict[Pair, list[tuple[int, int]]] = defaultdict(list)
    for by_team in times.values():
        for one, other in combinations(sorted(by_team), 2):
            people[one, other].append((by_team[one], by_team[other]))
    for pair, found in people.items():
        of_one, of_other = (max(each) for each in zip(*found, strict=True))
        both = any(min(each) > 0 for each in found)
        numbers = {"people": len(found), "one": of_one, "other": of_other}
        yield Found("one person", "moderate" if both else "weak", pair, (), numbers)


def _one_mailbox(session: Session, members: Sequence[Membership]) -> Iterator[Found]:
    """Accounts of two teams whose letters come into one mailbox: addresses that differ in a tag alone."""
    addresses = _addresses(session, members)
    for pair, people in _shared(
        (row.user_id, row.team_id, (mailbox(addresses[row.user_id]),)) for row in members
    ):
        yield Found("one mailbox", "strong", pair, (), {"people": people})


def mailbox(address: str | None) -> str | None:
    """Where letters to an address arrive: without a tag after a plus, and at Google's without dots."""
    if not address or "@" not in address:
        return None
    name, _, host = address.lower().rpartition("@")
    name = name.partition("+")[0] or name
    if host in ("gmail.com", "googlemail.com"):
        name, host = name.replace(".", ""), "gmail.com"
    return f"{name}@{host}"


def _one_browser(session: Session, members: Sequence[Membership], now: datetime) -> Iterator[Found]:
    """Accounts of two teams that signed in from one network address with one and the same browser."""
    seen: dict[int, set[str]] = defaultdict(set)
    users = sorted({row.user_id for row in members})
    for some in _parts(users):
        statement = select(UserSession.user_id, UserSession.address, UserSession.user_agent).where(
            UserSession.user_id.in_(some),
            UserSession.last_seen_at >= now - REMEMBERED,
            UserSession.address.not_in(("", "127.0.0.1", "::1")),
            UserSession.user_agent != "",
        )
        for user_id, address, browser in session.execute(statement):
            seen[user_id].add(f"{address}\n{browser}")
    for pair, people in _shared((row.user_id, row.team_id, seen[row.user_id]) for row in members):
        yield Found("one browser", "moderate", pair, (), {"people": people, "days": REMEMBERED.days})


def _shared(held: Iterable[tuple[int, int, Iterable[str | None]]]) -> Iterator[tuple[Pair, int]]:
    """Pairs of teams in which different people hold the same thing, and how many people that is."""
    holders: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for user_id, team_id, things in held:
        for thing in things:
            if thing is not None:
                holders[thing].add((team_id, user_id))
    pairs: dict[Pair, set[int]] = defaultdict(set)
    for having in holders.values():
        if len({team for team, _ in having}) > CROWD:
            continue
        for (one, first), (other, second) in combinations(sorted(having), 2):
            if one != other and first != second:
                pairs[one, other] |= {first, second}
    return ((pair, len(people)) for pair, people in pairs.items())


def _addresses(session: Session, members: Sequence[Membership]) -> Mapping[int, str | None]:
    found: dict[int, str | None] = {}
    for some in _parts(sorted({row.user_id for row in members})):
        found.update({row.id: row.email for row in session.scalars(select(User).where(User.id.in_(some)))})
    return found


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[start : start + 500] for start in range(0, len(numbers), 500))


def _turns(session: Session, task_id: int) -> Iterator[Found]:
    """Teams of a phase with a quota that send their runs one right after the other, day by day."""
    by_phase: dict[str, dict[int, list[datetime]]] = defaultdict(lambda: defaultdict(list))
    statement = (
        select(Phase.name, Run.team_id, Run.submitted_at)
        .join(Phase, Phase.id == Run.phase_id)
        .where(Run.task_id == task_id, *LOOKED_AT, Phase.runs_per_day.is_not(None))
    )
    for phase, team_id, moment in session.execute(statement):
        by_phase[phase][team_id].append(moment)
    for phase, by_team in by_phase.items():
        pairs = list(_with_common_days(by_team))
        for one, other in pairs:
            found = turns(by_team[one], by_team[other])
            if found is None or found.minutes > AT_ONCE.total_seconds() / 60:
                continue
            p_value = min(1.0, found.p_value * len(pairs))
            if p_value < 0.01:
                numbers = {
                    "days": found.days,
                    "apart": found.apart,
                    "minutes": round(found.minutes),
                    "p_value": p_value,
                    "phase": phase,
                }
                strength: Strength = "moderate" if p_value < 1e-4 else "weak"
                yield Found("turns", strength, (one, other), (), numbers, phase)


def _with_common_days(by_team: Mapping[int, Sequence[datetime]]) -> Iterator[Pair]:
    days = {team: {moment.date() for moment in moments} for team, moments in by_team.items()}
    often = sorted(team for team, found in days.items() if len(found) >= LEAST_DAYS)
    return (pair for pair in combinations(often, 2) if len(days[pair[0]] & days[pair[1]]) >= LEAST_DAYS)
