"""The plots of a task for its organisers: runs over time, and the best value over time."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, time
from decimal import Decimal

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, TrackSpec, say, say_count
from leaderboard.plots import Axis, Plot, Series
from leaderboard.services.tasks import known
from leaderboard.store import queries
from leaderboard.store.models import SHOWN_SPLITS, Run, Score, Team


def runs_over_time(session: Session, spec: TaskSpec) -> Plot | None:
    """How many runs had come by each day; None where none has. Raises UnknownTask."""
    statement = select(Run.submitted_at, Run.state).where(
        Run.task_id == known(session, spec.name).id, Run.deleted_at.is_(None)
    )
    accepted: Counter[datetime] = Counter()
    rejected: Counter[datetime] = Counter()
    for moment, state in session.execute(statement):
        day = datetime.combine(moment.astimezone(UTC).date(), time(), UTC)
        (rejected if state == "rejected" else accepted)[day] += 1
    if not accepted and not rejected:
        return None
    series = [_adding_up("runs", accepted)]
    if rejected:
        series.insert(0, _adding_up("rejected", rejected))
    runs, faulty = sum(accepted.values()), sum(rejected.values())
    return Plot(
        title=say("Runs over time"),
        words=say_count(
            "{count} run; {faulty} files were faulty.",
            "{count} runs; {faulty} files were faulty.",
            runs,
            faulty=faulty,
        ),
        x=Axis(say("day (UTC)"), "time"),
        y=Axis(say("runs so far"), low=0.0, digits=0),
        series=tuple(series),
    )


def best_over_time(session: Session, spec: TaskSpec, track: TrackSpec) -> Plot | None:
    """How the best value of the primary measure rose, over the runs that can count; None where there is none.

    Raises UnknownTask.
    """
    task = known(session, spec.name)
    version = queries.active_gold(session, task.id).get(track.name)
    steps = [] if version is None else _steps(session, task.id, version.id, track)
    if not steps:
        return None
    first, last = (Decimal(f"{steps[place][1]:.{track.digits}f}") for place in (0, -1))
    return Plot(
        title=say("Best {measure} over time", measure=track.primary),
        words=say_count(
            "The first run is the best, with {last}.",
            "The best value went in {count} steps from {first} to {last}.",
            len(steps),
            first=first,
            last=last,
        ),
        x=Axis(say("time of submission (UTC)"), "time"),
        y=Axis(say("{measure}", measure=track.primary), digits=track.digits),
        series=(
            Series(
                say("best run of all teams"),
                "own",
                "steps",
                tuple(moment for moment, _, _ in steps),
                tuple(value for _, value, _ in steps),
                tuple(name for _, _, name in steps),
            ),
        ),
    )


def _steps(
    session: Session, task_id: int, gold_version_id: int, track: TrackSpec
) -> list[tuple[float, float, str]]:
    """The runs that were the best when they came: when that was, their value, and what to call them."""
    kept = (Run.withdrawn_at, Run.disqualified_at, Run.hidden_at, Run.deleted_at)
    statement = (
        select(Run.submitted_at, Score.value, Run.name, Team.name)
        .join(Score, Score.run_id == Run.id)
        .join(Team, Team.id == Run.team_id)
        .where(
            Run.task_id == task_id,
            Score.gold_version_id == gold_version_id,
            Score.measure == track.primary,
            Score.split.in_(SHOWN_SPLITS),
            Score.value.is_not(None),
            Run.kind == "ordinary",
            Run.late.is_(False),
            *(column.is_(None) for column in kept),
        )
        .order_by(Run.submitted_at, Run.id)
    )
    sign = 1.0 if track.higher_is_better else -1.0
    steps: list[tuple[float, float, str]] = []
    for moment, value, run, team in session.execute(statement):
        if value is not None and (not steps or sign * (value - steps[-1][1]) > 0):
            steps.append((moment.timestamp(), value, f"{team}: {run}"))
    return steps


def _adding_up(what: str, by_day: Counter[datetime]) -> Series:
    days = sorted(by_day)
    sums, total = [], 0
    for day in days:
        total += by_day[day]
        sums.append(float(total))
    label = say("faulty files") if what == "rejected" else say("runs")
    return Series(
        label,
        "other" if what == "rejected" else "own",
        "steps",
        tuple(day.timestamp() for day in days),
        tuple(sums),
        tuple(day.strftime("%Y-%m-%d") for day in days),
    )
