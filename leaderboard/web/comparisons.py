"""Two public runs beside each other."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, request
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, TrackSpec
from leaderboard.plots import Plot, Size
from leaderboard.services import comparison_plots, comparisons, run_plots
from leaderboard.services.comparisons import NotComparable, OnItems, OnTopics
from leaderboard.services.public_runs import PublicRun
from leaderboard.services.run_results import TrackResult
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.figures import download, figure
from leaderboard.web.installation import public_task, site
from leaderboard.web.resources import is_published

blueprint = Blueprint("comparisons", __name__)

SQUARE = Size(width=460, height=470)
SQUARE_NARROW = Size(width=340, height=360)


@dataclass(frozen=True, eq=False)
class Drawn:
    """The track and measure that are compared by topic, and those that could be."""

    track: TrackSpec
    measure: str
    measures: tuple[str, ...]
    tracks: tuple[TrackSpec, ...]


@dataclass(frozen=True, eq=False)
class Compared:
    """Two runs, and what there is to compare them by."""

    first: PublicRun
    second: PublicRun
    drawn: Drawn | None
    topics: OnTopics | None
    items: OnItems | None

    @property
    def names(self) -> tuple[str, str]:
        """What the runs are called; with their numbers where they are called alike."""
        one, other = self.first.summary, self.second.summary
        if one.name == other.name:
            return f"{one.name} ({one.run_id})", f"{other.name} ({other.run_id})"
        return one.name, other.name


@blueprint.get("/tasks/<task>/compare")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """The two runs that the address names as a and b, or a form to choose them."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        choices = comparisons.choices(session, spec, utc_now())
        has_resource = is_published(session, spec)
        chosen = _number("a"), _number("b")
        found = None
        if chosen[0] is not None and chosen[1] is not None:
            found = _compared(session, spec, chosen[0], chosen[1])
    return page(
        "comparisons/show.html",
        spec=spec,
        choices=choices,
        chosen=chosen,
        found=found,
        values=_values(spec, found) if found else (),
        topics=figure(_topics(found)) if found else None,
        ranks=figure(_ranks(found), SQUARE, SQUARE_NARROW) if found else None,
        spread=figure(_spread(found)) if found else None,
        why_nothing=comparisons.why_nothing(spec, found.first, found.second) if found else None,
        has_resource=has_resource,
    )


@blueprint.get("/tasks/<task>/compare/<any(topics, ranks, spread):kind>.<ending>")
@allow(EVERYBODY)
def plot(task: str, kind: str, ending: str) -> Response:
    """One of the plots as SVG, PDF or CSV."""
    first, second = _number("a"), _number("b")
    if first is None or second is None:
        abort(404)
    with site().database.reading() as session:
        found = _compared(session, public_task(session, task), first, second)
    drawn = {"topics": _topics, "ranks": _ranks, "spread": _spread}[kind](found)
    return download(drawn, ending, f"{task}-runs-{first}-{second}-{kind}")


def _number(name: str) -> int | None:
    asked = request.args.get(name, "")
    if not asked:
        return None
    if not (asked.isascii() and asked.isdigit() and len(asked) < 10):
        abort(404)
    return int(asked)


def _compared(session: Session, spec: TaskSpec, first: int, second: int) -> Compared:
    """The comparison that the address asks for; a run that not everybody may see is not found."""
    one, other = comparisons.two(session, spec, first, second, utc_now())
    drawn = _drawn(spec, comparisons.comparable(one, other))
    scorer, files = site().scorer(spec), site().files
    topics, items = None, None
    if drawn is not None:
        questions = comparisons.questions(session, files, spec, scorer)
        try:
            topics = comparisons.on_topics(spec, one, other, (drawn.track.name, drawn.measure), questions)
        except NotComparable:
            drawn = None
    if drawn is None:
        items = comparisons.on_items(session, files, spec, scorer, one, other)
    return Compared(one, other, drawn, topics, items)


def _drawn(spec: TaskSpec, there: tuple[tuple[str, str], ...]) -> Drawn | None:
    names = [track.name for track in spec.tracks if any(track.name == name for name, _ in there)]
    if not names:
        return None
    name = request.args.get("track", names[0])
    if name not in names:
        abort(404)
    track = spec.track(name)
    measures = tuple(measure for measure in track.measures if (name, measure) in there)
    measure = request.args.get("measure", track.primary if track.primary in measures else measures[0])
    if measure not in measures:
        abort(404)
    return Drawn(track, measure, measures, tuple(spec.track(each) for each in names))


def _values(
    spec: TaskSpec, found: Compared
) -> tuple[tuple[TrackSpec, TrackResult | None, TrackResult | None], ...]:
    """What both scored on each track with the gold that scores now."""
    now = [
        {result.track: result for result in run.results if result.active}
        for run in (found.first, found.second)
    ]
    return tuple(
        (track, now[0].get(track.name), now[1].get(track.name))
        for track in spec.tracks
        if track.name in now[0] or track.name in now[1]
    )


def _topics(found: Compared) -> Plot | None:
    if found.drawn is None:
        return None
    name = found.drawn.track.name
    one, other = found.first.per_topic[name], found.second.per_topic[name]
    return run_plots.differences(found.drawn.track, found.drawn.measure, one, other, found.names)


def _ranks(found: Compared) -> Plot | None:
    return None if found.items is None else comparison_plots.ranks(found.items, found.names)


def _spread(found: Compared) -> Plot | None:
    return None if found.items is None else comparison_plots.distributions(found.items, found.names)
