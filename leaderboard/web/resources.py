"""Language resources built from the best runs, once they are published."""

from __future__ import annotations

from flask import Blueprint, Response, abort, request
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.plots import Plot, Size
from leaderboard.services import mj_pages, mj_shares
from leaderboard.services.mj_pages import Mj, TrackInputs, UnknownWord
from leaderboard.site import utc_now
from leaderboard.web import figures
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.figures import figure
from leaderboard.web.installation import public_task, site
from leaderboard.web.kept_files import PUBLIC, kept_file

blueprint = Blueprint("resources", __name__)

SQUARE = Size(width=560, height=580)
SQUARE_NARROW = Size(width=340, height=370, letters=11)

SHOWN = 10
"""So many most and as many least related words stand in a table."""


def is_published(session: Session, spec: TaskSpec) -> bool:
    """Whether the task has a resource that everybody may see."""
    return spec.resource is not None and mj_pages.latest(session, spec) is not None


@blueprint.get("/tasks/<task>/mj")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """The newest published MJ: a word's most and least related words, what went in, how well it does."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        mj = mj_pages.with_public_names(session, spec, _newest(session, spec), utc_now())
    words = mj_pages.words(site().files, mj)
    word = request.args.get("word", "").strip()
    related, unknown = None, None
    if word:
        try:
            related = mj_pages.related(site().files, mj, word, SHOWN)
        except UnknownWord as error:
            unknown = error.message
    initials = tuple(dict.fromkeys(each[:1].upper() for each in words))
    letter = request.args.get("letter", "")
    return page(
        "resources/mj.html",
        spec=spec,
        mj=mj,
        words=words,
        word=word,
        related=related,
        unknown=unknown,
        initials=initials,
        letter=letter,
        listed=tuple(each for each in words if letter and each[:1].upper() == letter.upper()),
        has_resource=True,
    )


@blueprint.get("/tasks/<task>/mj/<int(max=2147483647):number>/<any(long, unique):kind>.csv")
@allow(EVERYBODY)
def download(task: str, number: int, kind: str) -> Response:
    """One of the two files of a published MJ."""
    with site().database.reading() as session:
        mj = mj_pages.published_number(session, public_task(session, task), number)
    kept = mj.long if kind == "long" else mj.unique
    path = mj_pages.path_of(site().files, kept)
    return kept_file(path, kept.file_name, kept.file_hash, PUBLIC, "text/csv")


@blueprint.get("/tasks/<task>/mj/runs")
@allow(EVERYBODY)
def runs(task: str) -> Response:
    """What each team's run brought to the newest published MJ, on the track that the address names."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        mj = mj_pages.with_public_names(session, spec, _newest(session, spec), utc_now())
    track = _track(mj)
    return page(
        "resources/runs.html",
        spec=spec,
        mj=mj,
        track=track,
        inputs=track and _inputs(mj, track),
        shares=track and mj.shares[track],
        figure=figure(_heat_map(mj, track), SQUARE, SQUARE_NARROW),
        has_resource=True,
    )


@blueprint.get("/tasks/<task>/mj/runs.<ending>")
@allow(EVERYBODY)
def heat_map(task: str, ending: str) -> Response:
    """The correlations of the runs as SVG, PDF or CSV."""
    with site().database.reading() as session:
        spec = public_task(session, task)
        mj = mj_pages.with_public_names(session, spec, _newest(session, spec), utc_now())
    track = _track(mj)
    return figures.download(_heat_map(mj, track), ending, f"{task}-mj-{mj.number}-{track}-runs")


def _track(mj: Mj) -> str | None:
    """The track that the address names, or the first; None where nothing is known of any."""
    asked = request.args.get("track")
    if asked is not None and asked not in mj.shares:
        abort(404)
    return asked or next(iter(mj.shares), None)


def _inputs(mj: Mj, track: str) -> TrackInputs:
    return next(each for each in mj.tracks if each.track == track)


def _heat_map(mj: Mj, track: str | None) -> Plot | None:
    return None if track is None else mj_shares.heat_map(mj.shares[track], _inputs(mj, track).runs)


def _newest(session: Session, spec: TaskSpec) -> Mj:
    mj = mj_pages.latest(session, spec) if spec.resource is not None else None
    if mj is None:
        abort(404)
    return mj
