"""Applying a draft: in one transaction its gold scores, all boards show it, and the teams are told."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import exists, select, update
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import differences, drafts, news, place_letters, standings
from leaderboard.services.audit import Actor
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Deliver
from leaderboard.services.tasks import locked
from leaderboard.store import queries
from leaderboard.store.models import Draft, DraftFailure, Run, Task


class DraftOutdated(ServiceError):
    """Something else has become active since the draft was made."""


def apply(
    session: Session,
    spec: TaskSpec,
    scorer: Scorer,
    number: int,
    actor: Actor,
    now: datetime,
    public_url: str = "",
) -> Mapping[str, int]:
    """Lets the draft's versions score from now on, brings all boards up to date, and tells the teams whose
    place changes; returns the new versions by track.

    Raises UnknownDraft, DraftEnded, DraftOutdated, and NotAllScored where runs arrived since it was ready.
    """
    task = locked(session, spec.name)
    draft = drafts.opened(session, spec, number)
    _require_current(session, task, draft, scorer)
    drafts.require_scores(session, draft)
    draft.difference, draft.compared_at = differences.between(session, spec, draft), now
    before = {track: version.number for track, version in queries.active_gold(session, task.id).items()}
    versions = _swap(session, task, draft)
    _settle_failures(session, draft, now)
    news.gold_installed(session, task, versions, now)
    told = place_letters.Collected()
    standings.refresh(session, spec, scorer.VERSION, now, tell=told)
    place_letters.write(session, spec, task, told.shifts, draft.source, public_url, now)
    draft.state, draft.ended_at, draft.ended_by = "applied", now, actor.user_id
    replaced = {track: before[track] for track in versions if track in before}
    drafts.record(session, task, draft, "draft.applied", actor, now, replaced, versions)
    return versions


def apply_later(
    session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime, deliver: Deliver | None = None
) -> int:
    """Has a job score what the draft lacks and then apply it; returns the job's number.

    Raises UnknownDraft, DraftEnded.
    """
    locked(session, spec.name)
    draft = drafts.opened(session, spec, number)
    draft.state = "applying"
    who = {"user": actor.user_id, "via": actor.via, "address": actor.address}
    return drafts.enqueue(session, spec, draft, {"apply": who}, actor, now, deliver)


def _require_current(session: Session, task: Task, draft: Draft, scorer: Scorer) -> None:
    active = queries.active_gold(session, task.id)
    others = [
        track
        for track, replaced in draft.replaces.items()
        if (active[track].id if track in active else None) != replaced
    ]
    if others:
        raise DraftOutdated(
            say(
                "Draft {number} is outdated: since it was made, other gold has become active for {tracks}. "
                "Make a new draft from the same file and look at its difference.",
                number=draft.number,
                tracks=", ".join(others),
            )
        )
    require_scorer(draft, scorer)


def require_scorer(draft: Draft, scorer: Scorer) -> None:
    """Makes sure that the scorer is still the one that the draft was made for. Raises DraftOutdated."""
    if draft.scorer_version != scorer.VERSION:
        raise DraftOutdated(
            say(
                "Draft {number} is outdated: it was scored by version {before} of the scorer, which is "
                "{now} by now. Make a new draft from the same file and look at its difference.",
                number=draft.number,
                before=draft.scorer_version,
                now=scorer.VERSION,
            )
        )


def _swap(session: Session, task: Task, draft: Draft) -> dict[str, int]:
    active = queries.active_gold(session, task.id)
    for track in draft.versions:
        if track in active:
            active[track].state = "retired"
    # One version of a track is active at a time, so the old one has to go first.
    session.flush()
    versions = {}
    for version in queries.gold_versions(session, list(draft.versions.values())):
        version.state = "active"
        versions[version.track] = version.number
    session.flush()
    return versions


def _settle_failures(session: Session, draft: Draft, now: datetime) -> None:
    """Runs that could not be scored for the draft have failed now, and those that had failed before and
    could be scored are scored."""
    statement = select(Run, DraftFailure).join(DraftFailure, DraftFailure.run_id == Run.id)
    failed = statement.where(DraftFailure.draft_id == draft.id, Run.state.in_(("scored", "failed")))
    for run, failure in session.execute(failed):
        run.state, run.failure, run.failure_detail = "failed", failure.message, failure.detail
    session.flush()
    could = ~exists().where(DraftFailure.draft_id == draft.id, DraftFailure.run_id == Run.id)
    session.execute(
        update(Run)
        .where(Run.task_id == draft.task_id, Run.state == "failed", could)
        .values(state="scored", failure=None, failure_detail=None, scored_at=now)
    )
    session.expire_all()
