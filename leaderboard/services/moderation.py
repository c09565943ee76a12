"""What organisers do to runs, one or many at once. All of it can be undone, and all of it is in the log.

However many runs are changed, it is done in one transaction, with a line in the log for each, and the
standings are brought up to date once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.services import announced_values, audit, scoring_jobs, standings
from leaderboard.services.audit import Actor, Change
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Deliver
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.tasks import locked
from leaderboard.store.models import Run, Team

Action = Literal[
    "disqualify",
    "qualify",
    "hide",
    "unhide",
    "ordinary",
    "contrastive",
    "baseline",
    "score-again",
    "delete",
    "undelete",
]

ACTIONS: tuple[Action, ...] = get_args(Action)

UNDONE_WITHIN = timedelta(days=30)
"""For so long a deletion can be undone here. The row stays, for the log and for what was published before."""

LONGEST_REASON = 1000

_KINDS = ("ordinary", "contrastive", "baseline")


class ReasonRefused(ServiceError):
    """A reason is missing, or too long."""


class NotThese(ServiceError):
    """It is not clear which runs are meant."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done, by whom, and why. Everybody reads why a run was disqualified."""

    action: Action
    actor: Actor
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The runs that were changed, and those that the action does not fit, or that were so already."""

    changed: tuple[int, ...]
    unchanged: tuple[int, ...]


def carry_out(
    session: Session,
    spec: TaskSpec,
    scorer_version: str,
    run_ids: Sequence[int],
    order: Order,
    now: datetime,
    deliver: Deliver | None = None,
) -> Done:
    """Does it to each of these runs that it fits. `deliver` tells the queue of runs to be scored again.

    Raises UnknownRun, changing nothing, where one is not of the task, and ReasonRefused.
    """
    reason = clean_reason(order.reason)
    if order.action == "disqualify" and not reason:
        raise ReasonRefused(say("Say why: everybody will read it beside the run."))
    task = locked(session, spec.name)
    runs = _of_task(session, spec, task.id, run_ids)
    changed = []
    for run in runs:
        if order.action not in allowed(session, run, now) or not _differs(run, order.action, reason):
            continue
        before = _state(run)
        _do(session, spec, run, order.action, reason, now, deliver)
        audit.record(session, order.actor, task.id, _change(run, order.action, reason, before), now)
        changed.append(run)
    if order.action != "score-again" and changed:
        standings.refresh(session, spec, scorer_version, now, {run.phase_id for run in changed})
    kept = {run.id for run in changed}
    return Done(tuple(run.id for run in changed), tuple(run.id for run in runs if run.id not in kept))


def allowed(session: Session, run: Run, now: datetime) -> tuple[Action, ...]:
    """What can be done to a run as it is."""
    if run.deleted_at is not None:
        team = session.get_one(Team, run.team_id)
        gone = team.deleted_at is not None or team.merged_into is not None
        return ("undelete",) if now < run.deleted_at + UNDONE_WITHIN and not gone else ()
    disqualified, hidden = run.disqualified_at is not None, run.hidden_at is not None
    found: list[Action] = ["disqualify"]
    if disqualified:
        found.append("qualify")
    found.append("unhide" if hidden else "hide")
    found += [kind for kind in ACTIONS if kind in _KINDS and kind != run.kind]
    if run.state != "rejected":
        found.append("score-again")
    return (*found, "delete")


def require_some(run_ids: tuple[int, ...]) -> tuple[int, ...]:
    """The runs themselves. Raises NotThese where there are none."""
    if not run_ids:
        raise NotThese(say("Tick the runs that are meant, or all that match."))
    return run_ids


def require_number(run_ids: tuple[int, ...], number: str) -> None:
    """Raises NotThese where other runs match by now than whoever ordered it saw, and where none do."""
    if str(len(run_ids)) != number:
        raise NotThese(
            say(
                "The runs that match have changed: {number} by now, {before} before. Look again.",
                number=len(run_ids),
                before=number,
            )
        )
    require_some(run_ids)


def clean_reason(reason: str) -> str:
    """A reason on one line. Raises ReasonRefused where it is too long."""
    clean = " ".join(reason.split())
    if len(clean) > LONGEST_REASON:
        raise ReasonRefused(
            say(
                "This text has {length} characters; shorten it to {most}.",
                length=len(clean),
                most=LONGEST_REASON,
            )
        )
    return clean


def _of_task(session: Session, spec: TaskSpec, task_id: int, run_ids: Sequence[int]) -> list[Run]:
    wanted = sorted(set(run_ids))
    found: list[Run] = []
    for start in range(0, len(wanted), 500):
        statement = select(Run).where(Run.task_id == task_id, Run.id.in_(wanted[start : start + 500]))
        found += session.scalars(statement.order_by(Run.id).execution_options(populate_existing=True))
    missing = set(wanted) - {run.id for run in found}
    if missing:
        raise UnknownRun(spec, min(missing))
    return found


def _differs(run: Run, action: Action, reason: str) -> bool:
    return action != "disqualify" or run.disqualified_at is None or run.disqualified_for != reason


def _do(
    session: Session,
    spec: TaskSpec,
    run: Run,
    action: Action,
    reason: str,
    now: datetime,
    deliver: Deliver | None,
) -> None:
    if action == "disqualify":
        run.disqualified_at, run.disqualified_for = run.disqualified_at or now, reason
    elif action == "qualify":
        run.disqualified_at = run.disqualified_for = None
    elif action in ("hide", "unhide"):
        run.hidden_at = now if action == "hide" else None
    elif action in ("delete", "undelete"):
        run.deleted_at = now if action == "delete" else None
    elif action == "score-again":
        _score_again(session, spec, run, now, deliver)
    else:
        run.kind, run.selected = action, run.selected and action == "ordinary"
        run.final = run.final and action == "ordinary"
        announced_values.tell_team(session, spec, run.team_id)
    session.flush()


def _score_again(session: Session, spec: TaskSpec, run: Run, now: datetime, deliver: Deliver | None) -> None:
    if run.state == "failed":
        run.state, run.failure, run.failure_detail = "received", None, None
    scoring_jobs.request_again(session, spec.name, run.id, now, deliver)


_DONE: Mapping[Action, str] = {
    "disqualify": "run.disqualified",
    "qualify": "run.qualified",
    "hide": "run.hidden",
    "unhide": "run.shown",
    "ordinary": "run.kind_changed",
    "contrastive": "run.kind_changed",
    "baseline": "run.kind_changed",
    "score-again": "run.requeued",
    "delete": "run.deleted",
    "undelete": "run.restored",
}


def _state(run: Run) -> dict[str, Any]:
    return {
        "state": run.state,
        "kind": run.kind,
        "selected": run.selected,
        "final": run.final,
        "disqualified_at": run.disqualified_at,
        "disqualified_for": run.disqualified_for,
        "hidden_at": run.hidden_at,
        "deleted_at": run.deleted_at,
    }


def _change(run: Run, action: Action, reason: str, before: Mapping[str, Any]) -> Change:
    after = _state(run)
    differing = [name for name, value in after.items() if value != before[name]]
    return Change(
        _DONE[action],
        "run",
        run.id,
        run.name,
        {name: before[name] for name in differing},
        {name: after[name] for name in differing},
        reason,
    )
