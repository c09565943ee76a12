"""How much of the values of runs everybody is told, track by track: what is declared or set, and what holds.

`Task.public_values` is what the stored scores are like; `adopt` brings them to what is declared or set.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, exists, select, update
from sqlalchemy.orm import Session, aliased

from leaderboard.analysis.public_values import BY_UNIT, EXACT, Rule
from leaderboard.contract import Message, Scorer, TaskSpec, TrackSpec, say, say_count
from leaderboard.formats.public_values import parse, written
from leaderboard.services import announced_values, queue, rescoring, samples, task_specs
from leaderboard.services.queue import Deliver
from leaderboard.services.tasks import known, locked
from leaderboard.store import models, queries
from leaderboard.store.models import PUBLIC, SHOWN_SPLITS, WHOLE, Board, Phase, Run, Score, Task


def holding(session: Session, spec: TaskSpec) -> Mapping[str, str]:
    """By track, the rule that holds for what everybody reads; tracks that tell exact values are not there.

    Raises UnknownTask.
    """
    return known(session, spec.name).public_values


def declared(spec: TaskSpec) -> dict[str, str]:
    """The rule of every track, as its task declares or has set it."""
    return {track.name: track.public_values for track in spec.tracks}


def clean(spec: TaskSpec, wanted: Any) -> dict[str, str]:
    """The same as somebody wants it, written as rules are. Raises ValueError for what is no rule."""
    return {track.name: written(parse(wanted.get(track.name, EXACT))) for track in spec.tracks}


def cannot(session: Session, spec: TaskSpec, scorer: Scorer, wanted: Mapping[str, str]) -> Message | None:
    """Why a task cannot be told of by these rules now; None where it can."""
    task = known(session, spec.name)
    if _frozen(session, task):
        return say("The ranking of a phase is frozen; what it tells can be changed once it is not.")
    active = queries.active_gold(session, task.id)
    for name, rule in wanted.items():
        no_topics = name in active and not active[name].topics
        if rule == BY_UNIT and no_topics and not samples.offers(scorer):
            return say(
                "The Ladder without a step compares runs topic by topic, and the track {track} has no "
                "topics, nor a scorer that draws samples of its units. Give the Ladder a step.",
                track=name,
            )
    return None


def adopt(session: Session, spec: TaskSpec) -> bool:
    """Brings the stored scores to what is declared and set; whether that changed anything. The standings
    are due then.

    While the ranking of a phase is frozen everything stays as it is. Raises UnknownTask.
    """
    task = locked(session, spec.name)
    session.flush()
    as_set = task_specs.as_set(session, spec)
    wanted = {name: rule for name, rule in declared(as_set).items() if rule != EXACT}
    before = task.public_values
    if wanted == before or _frozen(session, task):
        return False
    others = {name for name in {*wanted, *before} if wanted.get(name) != before.get(name)}
    ids = {
        name: [version.id for version in announced_values.versions_told(session, task, [name])]
        for name in others
    }
    for name, version_ids in ids.items():
        _forget_samples(session, version_ids)
        if name not in before:
            _hide(session, version_ids)
        elif name not in wanted:
            _show(session, task, version_ids)
    task.public_values = wanted
    every = [version_id for name in others & wanted.keys() for version_id in ids[name]]
    if every:
        _tell_all(session, as_set, task, every)
    task.standings_due = True
    session.flush()
    session.expire_all()
    return True


def adopt_all(session: Session, spec: TaskSpec, now: datetime) -> None:
    """The same for the task of a folder and the editions that are made from it, with a job where runs have to
    be scored again."""
    names = session.scalars(select(Task.name).where(Task.based_on == spec.name)).all()
    for name in (spec.name, *names):
        if adopt(session, replace(spec, name=name)):
            ask_for_units(session, replace(spec, name=name), now)


def ask_for_units(session: Session, spec: TaskSpec, now: datetime, deliver: Deliver | None = None) -> None:
    """Has runs scored again by a job, where the Ladder of a track needs that."""
    if lacks_units(session, task_specs.as_set(session, spec)):
        queue.enqueue(session, rescoring.JOB, spec.name, {}, now, deliver)


def lacks_units(session: Session, spec: TaskSpec) -> bool:
    """Whether runs have to be scored again, since the Ladder of their track compares them unit by unit."""
    task = known(session, spec.name)
    for version in announced_values.versions_told(session, task):
        if task.public_values[version.track] != BY_UNIT:
            continue
        lacking = exists().where(
            Score.gold_version_id == version.id,
            Score.measure == spec.track(version.track).primary,
            Score.split == models.EXACT,
            Score.value.is_not(None),
            Score.per_topic.is_(None),
        )
        if session.scalar(select(lacking)):
            return True
    return False


def words(text: str, track: TrackSpec) -> Message:
    """What a rule means, for readers of a board."""
    rule: Rule = parse(text)
    if rule.kind == "rounded":
        return say_count(
            "Values are rounded to {count} decimal.",
            "Values are rounded to {count} decimals.",
            rule.digits or 0,
        )
    if rule.kind == "exact":
        return say("Values are exact.")
    if rule.step is None:
        return say(
            "Values move only when a run's {measure} beats the best announced for its team by more than its "
            "standard error. Until then each run of the team shows that best.",
            measure=track.primary,
        )
    return say(
        "Values move only when a run's {measure} beats the best announced for its team by more than {step}. "
        "Until then each run of the team shows that best.",
        measure=track.primary,
        step=format(rule.step, "g"),
    )


def told_on(session: Session, spec: TaskSpec) -> tuple[tuple[TrackSpec, Message], ...]:
    """The tracks that tell less than exact values, and what they tell."""
    rules = holding(session, spec)
    return tuple((track, words(rules[track.name], track)) for track in spec.tracks if track.name in rules)


def _frozen(session: Session, task: Task) -> bool:
    return any(phase.frozen_at is not None for phase in queries.phases_of(session, task.id))


def _hide(session: Session, version_ids: Collection[int]) -> None:
    shown = (Score.gold_version_id.in_(version_ids), Score.split.in_(SHOWN_SPLITS))
    session.execute(update(Score).where(*shown).values(split=models.EXACT))


def _show(session: Session, task: Task, version_ids: Collection[int]) -> None:
    """Lets exact scores be those that everybody reads."""
    exact, there = aliased(Score), Score.gold_version_id.in_(version_ids)
    known_exactly = exists().where(
        exact.run_id == Score.run_id,
        exact.gold_version_id == Score.gold_version_id,
        exact.split == models.EXACT,
    )
    session.execute(delete(Score).where(there, Score.split.in_(SHOWN_SPLITS), known_exactly))
    # What runs were compared by where there are no topics is no value by topic.
    for version in session.scalars(select(models.GoldVersion).where(models.GoldVersion.id.in_(version_ids))):
        if not version.topics:
            session.execute(update(Score).where(Score.gold_version_id == version.id).values(per_topic=None))
    for phase in queries.phases_of(session, task.id):
        of_phase = Score.run_id.in_(select(Run.id).where(Run.phase_id == phase.id))
        shown = WHOLE if phase.split is None else PUBLIC
        session.execute(update(Score).where(there, Score.split == models.EXACT, of_phase).values(split=shown))


def _forget_samples(session: Session, version_ids: Collection[int]) -> None:
    """Intervals and groups were drawn from values of before."""
    boards = select(Board.id).where(Board.gold_version_id.in_(version_ids))
    session.execute(delete(models.BoardAnalysis).where(models.BoardAnalysis.board_id.in_(boards)))
    session.execute(delete(models.Resampling).where(models.Resampling.gold_version_id.in_(version_ids)))


def _tell_all(session: Session, spec: TaskSpec, task: Task, version_ids: Collection[int]) -> None:
    """What is told of all runs that have exact scores on these versions."""
    whose = (
        select(Run.phase_id, Run.team_id)
        .join(Score, and_(Score.run_id == Run.id, Score.split == models.EXACT))
        .join(Phase, Phase.id == Run.phase_id)
        .where(Score.gold_version_id.in_(version_ids))
        .distinct()
    )
    for phase_id, team_id in session.execute(whose.order_by(Run.phase_id, Run.team_id)).all():
        announced_values.tell(session, spec, task, (phase_id, team_id), version_ids)
