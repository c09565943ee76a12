"""What everybody may see of a run: that of a team, and faults on either side, stay out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec
from leaderboard.services import phases, run_pages, standstill
from leaderboard.services.phases import PhaseView
from leaderboard.services.run_pages import PerTopic, Summary
from leaderboard.services.run_results import TrackResult
from leaderboard.services.scoring import UnknownRun
from leaderboard.services.tasks import known
from leaderboard.services.team_names import public_name_of
from leaderboard.store import queries


@dataclass(frozen=True, slots=True)
class PublicRun:
    """A run with its scores, its team called as the public reads it. `per_topic` is empty where the phase
    does not show values by topic."""

    summary: Summary
    description: str
    warnings: tuple[Message, ...]
    notes: tuple[Message, ...]
    phase: PhaseView
    results: tuple[TrackResult, ...]
    per_topic: Mapping[str, PerTopic]


def show(session: Session, spec: TaskSpec, run_id: int, now: datetime) -> PublicRun:
    """A run that everybody may see.

    Raises UnknownRun, in the same way, where there is none and where it is not public: rejected, waiting,
    failed, withdrawn, hidden, or of a phase that shows no board, or that was frozen before it was scored.
    """
    page = run_pages.show(session, spec, run_id)
    summary = page.summary
    phase = next(view for view in phases.listing(session, spec, now) if view.name == summary.phase)
    known_then = standstill.known_then(session, queries.phase_of_run(session, run_id))
    scored = summary.state == "scored" if known_then is None else run_id in known_then
    if not scored or summary.withdrawn or summary.hidden or not phase.shows_board:
        raise UnknownRun(spec, run_id)
    results = page.results
    if phase.frozen_at is not None:
        results = tuple(each for each in results if each.listed or each.scored_at <= phase.frozen_at)
    team = public_name_of(session, known(session, spec.name), summary.team, now)
    return PublicRun(
        summary=replace(summary, team=team),
        description=page.description,
        warnings=page.warnings,
        notes=page.notes,
        phase=phase,
        results=results,
        per_topic=run_pages.per_topic(session, spec, run_id, phase.frozen_at) if phase.shows_topics else {},
    )
