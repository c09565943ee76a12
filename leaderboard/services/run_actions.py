"""What a team does with its runs once they are there.

What moves a ranking (withdrawing, restoring, choosing, counting or not) is done until the phase closes; on a
run that came late, which moves none, at any time. Every change brings the standings up to date at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say, say_count
from leaderboard.rules import NOTHING, granted, quota
from leaderboard.services import attempts, deadlines, scoring, standings, task_specs
from leaderboard.services.errors import ServiceError
from leaderboard.services.methods import LONGEST_DESCRIPTION, UNSAID, Method, clean_method, clean_text
from leaderboard.services.runs import clean_name
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.splits import split_of
from leaderboard.services.tasks import locked
from leaderboard.store import models
from leaderboard.store.models import Phase, Run

Action = Literal[
    "withdraw",
    "restore",
    "choose",
    "unchoose",
    "count",
    "compare",
    "put-forward",
    "hold-back",
    "score again",
]


class NotAllowed(ServiceError):
    """This cannot be done to this run, or not any more."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a team may change about a run at any time: its words change no ranking."""

    name: str
    description: str = ""
    method: Method = UNSAID


def describe(session: Session, spec: TaskSpec, team_id: int, run_id: int, wanted: Description) -> None:
    """Gives a run another name and description. Raises UnknownRun, NameRefused, MethodRefused."""
    locked(session, spec.name)
    run = own(session, spec, team_id, run_id)
    name = clean_name(wanted.name)
    description = clean_text(wanted.description, "description", LONGEST_DESCRIPTION)
    method = clean_method(wanted.method)
    run.name, run.description = name, description
    run.method_system, run.method_resources = method.system, method.resources
    run.method_manner, run.method_link = method.manner, method.link


def withdraw(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Takes a run out of the ranking; its slot stays used, its scores stay. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "withdraw", now) as run:
        run.withdrawn_at, run.selected, run.final = now, False, False


def restore(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Puts a withdrawn run back. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "restore", now) as run:
        run.withdrawn_at = None


def choose(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Makes a run the one that counts for its team, in a task whose teams choose.

    Raises UnknownRun, NotAllowed.
    """
    with _changing(session, spec, scorer_version, team_id, run_id, "choose", now) as run:
        _unselect(session, run)
        run.selected = True


def unchoose(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Goes back to the default, the run submitted last. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "unchoose", now) as run:
        run.selected = False


def count(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Lets a contrastive run count for the ranking. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "count", now) as run:
        run.kind = "ordinary"


def compare(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Makes a run contrastive: listed for comparison, without a place. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "compare", now) as run:
        run.kind, run.selected, run.final = "contrastive", False, False


def put_forward(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Makes a run one of those that the final standing takes the best of. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "put-forward", now) as run:
        run.final = True


def hold_back(
    session: Session, spec: TaskSpec, scorer_version: str, team_id: int, run_id: int, now: datetime
) -> None:
    """Takes a run back from the final standing. Raises UnknownRun, NotAllowed."""
    with _changing(session, spec, scorer_version, team_id, run_id, "hold-back", now) as run:
        run.final = False


def score_again(session: Session, spec: TaskSpec, team_id: int, run_id: int, now: datetime) -> None:
    """Lets a run whose scoring failed wait for its scores again; whoever calls has it scored then. It takes
    its slot again: where the team has used that for another run, organisers may do it.

    Raises UnknownRun, NotAllowed.
    """
    run = _taken(session, spec, team_id, run_id, "score again", now)
    if _slot_is_taken(session, run):
        raise NotAllowed(
            say(
                "The slot of this run, free since its scoring failed, was used for another one. "
                "Ask the organisers to have it scored again."
            )
        )
    scoring.retry(session, spec, run_id)


def allowed(session: Session, run: Run, spec: TaskSpec, now: datetime) -> tuple[Action, ...]:
    """What the team may do with a run at a moment."""
    bounds = _bounds(session, run)
    actions: tuple[Action, ...] = get_args(Action)
    return tuple(action for action in actions if _why_not(action, run, bounds, spec, now) is None)


def own(session: Session, spec: TaskSpec, team_id: int, run_id: int) -> Run:
    """A run of the team. Raises UnknownRun, in the same way where it is of another or deleted."""
    run = session.get(Run, run_id, populate_existing=True)
    if run is None or run.team_id != team_id or run.deleted_at is not None:
        raise UnknownRun(spec, run_id)
    if session.get_one(models.Task, run.task_id).name != spec.name:
        raise UnknownRun(spec, run_id)
    return run


@contextmanager
def _changing(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    team_id: int,
    run_id: int,
    action: Action,
    now: datetime,
) -> Iterator[Run]:
    """The run to change, where the action is allowed; the standings of its phase follow at once."""
    run = _taken(session, spec, team_id, run_id, action, now)
    yield run
    standings.refresh(session, spec, scorer_version, now, [run.phase_id])


def _taken(session: Session, spec: TaskSpec, team_id: int, run_id: int, action: Action, now: datetime) -> Run:
    """The run, for this transaction alone to change, where the action is allowed."""
    locked(session, spec.name)
    run = own(session, spec, team_id, run_id)
    why = _why_not(action, run, _bounds(session, run), spec, now)
    if why is not None:
        raise NotAllowed(why)
    return run


@dataclass(frozen=True, slots=True)
class _Bounds:
    """When the phase of a run closes for its team, None: never; how many runs the team may put forward, None
    where there is no final standing, and how many it has."""

    closes_at: datetime | None
    final_runs: int | None
    put_forward: int


def _bounds(session: Session, run: Run) -> _Bounds:
    phase = session.get_one(Phase, run.phase_id)
    closes_at, split = deadlines.closing(session, phase, run.team_id), split_of(phase)
    if split is None:
        return _Bounds(closes_at, None, 0)
    chosen = select(func.count()).where(Run.phase_id == phase.id, Run.team_id == run.team_id, Run.final)
    return _Bounds(closes_at, split.final_runs, session.scalar(chosen) or 0)


def _why_not(action: Action, run: Run, bounds: _Bounds, spec: TaskSpec, now: datetime) -> Message | None:
    closes_at = bounds.closes_at
    if run.disqualified_at is not None or run.hidden_at is not None or run.kind == "baseline":
        return say("The organisers have taken this run into their hands; ask them.")
    if action == "score again":
        return None if run.state == "failed" else say("The scoring of this run has not failed.")
    if run.state == "rejected":
        return say("The form of this run was not right, so it stands in no ranking.")
    if not run.late and closes_at is not None and now >= closes_at:
        return say(
            "The phase closed at {time}, and its ranking stays as it is.",
            time=closes_at.strftime("%Y-%m-%d %H:%M UTC"),
        )
    return _why_not_final(action, run, bounds) or _why_not_as_it_is(action, run, spec)


def _why_not_final(action: Action, run: Run, bounds: _Bounds) -> Message | None:
    if action not in ("put-forward", "hold-back"):
        return None
    if bounds.final_runs is None:
        return say("This phase has no final standing of its own; its ranking is the final one.")
    if action == "hold-back":
        return None if run.final else say("This run is not put forward for the final standing.")
    if run.kind != "ordinary" or run.final or run.late:
        return say("This run is put forward already, or is one that cannot count.")
    if bounds.put_forward >= bounds.final_runs:
        return say_count(
            "A team puts {count} run forward for the final standing; hold it back first.",
            "A team puts at most {count} runs forward for the final standing; hold one back first.",
            bounds.final_runs,
        )
    return None


def _why_not_as_it_is(action: Action, run: Run, spec: TaskSpec) -> Message | None:
    withdrawn = run.withdrawn_at is not None
    if action == "restore":
        return None if withdrawn else say("This run is not withdrawn.")
    if withdrawn:
        return say("This run is withdrawn; restore it first.")
    if action in ("choose", "unchoose") and spec.counting != "selected":
        return say("In this task teams do not choose; the rule of the task says which run counts.")
    if action == "choose" and (run.kind != "ordinary" or run.selected or run.late):
        return say("This run is chosen already, or is one that cannot count.")
    if action == "unchoose" and not run.selected:
        return say("This run is not chosen.")
    if action == "count" and run.kind != "contrastive":
        return say("This run counts for the ranking already.")
    if action == "compare" and run.kind != "ordinary":
        return say("This run is for comparison already.")
    return None


def _slot_is_taken(session: Session, run: Run) -> bool:
    phase = session.get_one(Phase, run.phase_id)
    grant = deadlines.grants_of(session, run.team_id).get(phase.name, NOTHING)
    sent = attempts.of_team(session, phase.id, run.team_id)
    used = quota(granted(task_specs.phase_of(phase), grant), sent, run.submitted_at)
    return used.reached in ("runs in all", "runs today")


def _unselect(session: Session, run: Run) -> None:
    others = update(Run).where(Run.phase_id == run.phase_id, Run.team_id == run.team_id, Run.selected)
    session.execute(others.values(selected=False).execution_options(synchronize_session="fetch"))
