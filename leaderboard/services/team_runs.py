"""One of a team's own runs, with everything the team may know of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, TrackSpec
from leaderboard.services import fields, phases, run_actions, run_pages
from leaderboard.services.fields import Stand, TopicField
from leaderboard.services.phases import PhaseView
from leaderboard.services.run_actions import Action
from leaderboard.services.run_pages import PerTopic, RunPage, Summary
from leaderboard.store.models import Team


@dataclass(frozen=True, slots=True)
class TeamRun:
    """A run as its team sees it.

    `page` has no scores while the phase does not show a team its own. `stands` is empty while the phase hides
    its board, `per_topic` while it hides values by topic. `others` are the team's runs to compare with.
    """

    page: RunPage
    phase: PhaseView
    stands: Mapping[str, Stand]
    per_topic: Mapping[str, PerTopic]
    actions: tuple[Action, ...]
    others: tuple[Summary, ...]


def shows_own(phase: PhaseView) -> bool:
    """Whether a team may see what its own runs scored."""
    return "own" in phase.reveals or phase.shows_board


def shows_own_topics(phase: PhaseView) -> bool:
    """Whether a team may see its own values by topic."""
    return shows_own(phase) and "per-topic" in phase.reveals


def show(session: Session, spec: TaskSpec, team_id: int, run_id: int, now: datetime) -> TeamRun:
    """A run of the team. Raises UnknownRun, in the same way where it is of another."""
    run = run_actions.own(session, spec, team_id, run_id)
    page = run_pages.show(session, spec, run_id)
    phase = _phase(phases.listing(session, spec, now), page.summary.phase)
    shown = run.hidden_at is None and shows_own(phase)
    if not shown:
        page = replace(page, results=())
    return TeamRun(
        # What organisers are told of a failure may speak of gold.
        page=replace(page, failure_detail=None),
        phase=phase,
        stands=_stands(session, spec, team_id, page) if phase.shows_board else {},
        per_topic=run_pages.per_topic(session, spec, run_id) if shown and shows_own_topics(phase) else {},
        actions=run_actions.allowed(session, run, spec, now),
        others=_others(session, spec, team_id, page.summary),
    )


def topic_field(
    session: Session, spec: TaskSpec, run: TeamRun, track: TrackSpec, measure: str
) -> TopicField | None:
    """The field topic by topic in the run's phase; None while the phase hides it, or where nobody counts."""
    if not run.phase.shows_topics:
        return None
    lines = fields.field(session, spec, run.phase.name).get(track.name, ())
    return fields.by_topic(session, spec, track, lines, measure, run.phase.frozen_at)


def _stands(session: Session, spec: TaskSpec, team_id: int, page: RunPage) -> dict[str, Stand]:
    field = fields.field(session, spec, page.summary.phase)
    found = {}
    for result in page.results:
        if result.track not in field or field[result.track][0].gold_version != result.gold_version:
            continue
        track = spec.track(result.track)
        value = result.values.get(track.primary)
        stand = fields.stand(track, field[track.name], page.summary.run_id, team_id, value)
        if stand is not None:
            found[track.name] = stand
    return found


def _others(session: Session, spec: TaskSpec, team_id: int, summary: Summary) -> tuple[Summary, ...]:
    if summary.state != "scored":
        return ()
    team = session.get_one(Team, team_id)
    runs = run_pages.listing(session, spec, team.name)
    return tuple(
        run
        for run in reversed(runs)
        if run.state == "scored" and run.run_id != summary.run_id and run.phase == summary.phase
    )


def _phase(views: Sequence[PhaseView], name: str) -> PhaseView:
    return next(view for view in views if view.name == name)
