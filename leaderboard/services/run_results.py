"""What a run scored on each track, and where that stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say
from leaderboard.services import public_values
from leaderboard.store import models, queries


@dataclass(frozen=True, slots=True)
class TrackResult:
    """What a run scored on a track with one gold version (a number; `active` where it scores now).

    `undefined` has the reason for each value that is None. `answered` of `total` is for organisers where
    it counts pairs. `place` and `reason` are those of the run's own line on the board of that gold
    version; where the board has no line for it (`listed` is False), `reason` says why. `told`
    says what the values are where they are not the exact ones.
    """

    track: str
    gold_version: int
    active: bool
    scorer_version: str
    scored_at: datetime
    values: Mapping[str, float | None]
    undefined: Mapping[str, Message]
    answered: int
    total: int
    listed: bool
    place: int | None
    reason: Message | None
    told: Message | None = None


def results_of(
    session: Session, spec: TaskSpec, run: models.Run, shown_of: models.Phase | None
) -> tuple[TrackResult, ...]:
    """What a run scored, by track, the newest gold first; with a phase as the public is shown it, what is
    shown."""
    scores: dict[int, list[models.Score]] = {}
    versions: dict[int, models.GoldVersion] = {}
    for score, version in queries.scores_of_run(session, run.id):
        versions[version.id] = version
        scores.setdefault(version.id, []).append(score)
    stage = models.IN_TIME if shown_of is None else queries.stage_shown(shown_of, models.IN_TIME)
    lines = {
        board.gold_version_id: (standing, board)
        for standing, board in session.execute(
            select(models.Standing, models.Board)
            .join(models.Board, models.Board.id == models.Standing.board_id)
            .where(models.Standing.run_id == run.id, models.Board.stage == stage)
        )
    }
    order = {track.name: number for number, track in enumerate(spec.tracks)}
    due = session.get_one(models.Task, run.task_id).standings_due
    made = _rankings_made(session, run, stage) if due else {}
    results = [
        _result(
            run,
            versions[key],
            found,
            lines.get(key),
            shown_of,
            behind=due and _is_behind(found, made.get(key)),
        )
        for key, found in scores.items()
    ]
    if shown_of is not None and shown_of.frozen_at is not None:
        results = _of_gold(results, queries.gold_shown(session, shown_of))
    told = {track.name: words for track, words in public_values.told_on(session, spec)}
    results = [replace(each, told=told.get(each.track)) for each in results]
    return tuple(sorted(results, key=lambda r: (order.get(r.track, len(order)), r.track, -r.gold_version)))


def _rankings_made(session: Session, run: models.Run, stage: str) -> Mapping[int | None, datetime]:
    """When the rankings of the phase were made on which the run's team stands, by gold version."""
    board = models.Board
    statement = (
        select(board.gold_version_id, board.computed_at)
        .join(models.Standing, models.Standing.board_id == board.id)
        .where(board.phase_id == run.phase_id, board.stage == stage, models.Standing.team_id == run.team_id)
        .distinct()
    )
    return dict(session.execute(statement).all())


def _is_behind(scores: list[models.Score], made_at: datetime | None) -> bool:
    """Whether a ranking that is about to be made anew, made at that time, may lack a run that it does not
    list."""
    return made_at is None or made_at < scores[0].scored_at


def _of_gold(results: list[TrackResult], shown: Mapping[str, models.GoldVersion]) -> list[TrackResult]:
    """The results under the gold that is shown, which count as those of now, and under older gold."""
    return [
        replace(result, active=result.gold_version == shown[result.track].number)
        for result in results
        if result.track in shown and result.gold_version <= shown[result.track].number
    ]


def _result(
    run: models.Run,
    version: models.GoldVersion,
    scores: list[models.Score],
    line: tuple[models.Standing, models.Board] | None,
    shown_of: models.Phase | None,
    *,
    behind: bool,
) -> TrackResult:
    first = scores[0]
    frozen_at = None if shown_of is None else shown_of.frozen_at
    standing, board = line or (None, None)
    found = TrackResult(
        track=version.track,
        gold_version=version.number,
        active=version.state == "active",
        scorer_version=first.scorer_version,
        scored_at=first.scored_at,
        values={score.measure: score.value for score in scores},
        undefined={score.measure: score.undefined for score in scores if score.undefined is not None},
        answered=first.answered,
        total=first.total,
        listed=standing is not None,
        place=standing.place if standing else None,
        reason=standing.reason if standing else _why_unlisted(run, first.scored_at, frozen_at, behind=behind),
    )
    if standing is None or board is None or frozen_at is None or first.scored_at <= frozen_at:
        return found
    # It was scored anew since; the ranking that everybody reads has what it scored then.
    return replace(
        found,
        scorer_version=board.scorer_version,
        scored_at=board.computed_at,
        values=standing.values.get(version.track, {}),
        undefined={},
    )


def _why_unlisted(
    run: models.Run, scored_at: datetime, frozen_at: datetime | None, *, behind: bool
) -> Message:
    if run.withdrawn_at is not None:
        return say("The team has withdrawn this run.")
    if run.deleted_at is not None:
        return say("The organisers have deleted this run.")
    if run.hidden_at is not None:
        return say("The organisers have hidden this run.")
    if frozen_at is not None and scored_at > frozen_at:
        return say("The ranking of this phase is frozen, and this run does not stand on it.")
    if behind:
        return say("The ranking does not have this run yet; it is brought up to date in a moment.")
    return say("Another run of the team counts on this track.")
