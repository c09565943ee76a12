"""The page of one run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, abort, request

from leaderboard.contract import Message, TaskSpec, TrackSpec
from leaderboard.services import public_runs
from leaderboard.services.public_runs import PublicRun
from leaderboard.services.run_pages import PerTopic
from leaderboard.services.run_results import TrackResult
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.installation import public_task, site
from leaderboard.web.plots import Bars, ordered_bars
from leaderboard.web.resources import is_published

blueprint = Blueprint("runs", __name__)


@dataclass(frozen=True, slots=True)
class OnTrack:
    """What a run scored on a track with the gold that scores now, and with earlier versions."""

    track: TrackSpec
    now: TrackResult | None
    earlier: tuple[TrackResult, ...]


@dataclass(frozen=True, slots=True)
class Topics:
    """Values topic by topic on one track: all its measures in a table, one of them drawn."""

    track: TrackSpec
    measure: str
    measures: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float, ...]], ...]
    bars: Bars | None
    answered: int
    total: int


@blueprint.get("/tasks/<task>/runs/<int(max=2147483647):run_id>")
@allow(EVERYBODY)
def show(task: str, run_id: int) -> Response:
    """A run's scores, places, what was noticed about its file, and values by topic."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        run = public_runs.show(session, spec, run_id, utc_now())
        has_resource = is_published(session, spec)
    tracks = _tracks(spec, run)
    return page(
        "runs/show.html",
        spec=spec,
        run=run,
        tracks=tracks,
        reasons=_reasons(tracks),
        scored=_scored(tracks),
        topics=_topics(spec, run, tracks),
        has_resource=has_resource,
    )


def _tracks(spec: TaskSpec, run: PublicRun) -> tuple[OnTrack, ...]:
    found = []
    for track in spec.tracks:
        results = [result for result in run.results if result.track == track.name]
        now = next((result for result in results if result.active), None)
        earlier = tuple(result for result in results if not result.active)
        found.append(OnTrack(track, now, earlier))
    return tuple(found)


def _reasons(tracks: tuple[OnTrack, ...]) -> tuple[tuple[Message, tuple[TrackSpec, ...]], ...]:
    """Why the run has no place: each reason once, with the tracks it holds for."""
    reasons: dict[str, tuple[Message, list[TrackSpec]]] = {}
    for on in tracks:
        if on.now is not None and on.now.reason is not None:
            reasons.setdefault(str(on.now.reason), (on.now.reason, []))[1].append(on.track)
    return tuple((reason, tuple(found)) for reason, found in reasons.values())


def _scored(tracks: tuple[OnTrack, ...]) -> tuple[str, datetime] | None:
    """Version of the scorer and moment, where they are the same for all tracks."""
    stamps = {(on.now.scorer_version, on.now.scored_at) for on in tracks if on.now is not None}
    return stamps.pop() if len(stamps) == 1 else None


def _topics(spec: TaskSpec, run: PublicRun, tracks: tuple[OnTrack, ...]) -> Topics | None:
    """The track and measure that the address names, or the first track and what ranks on it."""
    if not run.per_topic:
        return None
    name = request.args.get("track", next(iter(run.per_topic)))
    if name not in run.per_topic:
        abort(404)
    track, found = spec.track(name), run.per_topic[name]
    measures = tuple(measure for measure in track.measures if measure in found.values)
    preferred = track.primary if track.primary in measures else next(iter(measures), "")
    measure = request.args.get("measure", preferred)
    if measure not in measures:
        abort(404)
    values = [float(value) for value in found.values[measure]]
    result = next(on.now for on in tracks if on.track is track)
    return Topics(
        track=track,
        measure=measure,
        measures=measures,
        rows=_rows(found, measures),
        bars=ordered_bars(found.topics, values),
        answered=result.answered if result else 0,
        total=result.total if result else 0,
    )


def _rows(found: PerTopic, measures: tuple[str, ...]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    columns = [found.values[measure].tolist() for measure in measures]
    return tuple(zip(found.topics, zip(*columns, strict=True), strict=True))
