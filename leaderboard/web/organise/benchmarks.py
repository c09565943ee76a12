"""The versions of a task's gold: what scores now, drafts of what may, and what they would change."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Response, flash, redirect, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as AnyResponse

from leaderboard.contract import FormatError, TaskSpec
from leaderboard.rules import phases_of
from leaderboard.services import draft_applying, draft_pages, drafts, gold, gold_uploads
from leaderboard.services.drafts import NotAllScored
from leaderboard.services.errors import ServiceError
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.access import allow
from leaderboard.web.filters import told
from leaderboard.web.forms.benchmarks import ApplyForm, DraftForm
from leaderboard.web.identity import letters_were_written
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.pages import ORGANISE, organise_page, progress_answer, task_named
from leaderboard.web.own_team import actor

blueprint = Blueprint("benchmarks", __name__, url_prefix=f"{ORGANISE}/gold")

FILES = "files"
"""What the form calls the field of files that are told by their names."""

_NUMBER = "/drafts/<int(max=2147483647):number>"


@blueprint.get("")
@allow(ORGANISER)
def show(task: str) -> Response:
    """All versions and drafts, and the form that makes a draft."""
    return _page(task_named(task), DraftForm())


@blueprint.post("")
@allow(ORGANISER)
def make(task: str) -> AnyResponse:
    """Takes benchmark files; leads to their draft, or says every fault by file and line."""
    spec, form = task_named(task), DraftForm()
    if not form.validate_on_submit():
        return _page(spec, form, 422)
    parts = (site().files, spec, site().scorer(spec))
    try:
        sent = gold_uploads.assigned(spec, *_sent(spec))
        with gold_uploads.as_declared(site().files, spec, sent) as paths:
            paths = _without_found_again(spec, paths)
            if not paths:
                return redirect(url_for("benchmarks.show", task=task), 303)
            with site().database.writing() as session:
                note, deliver = form.note.data or "", site().jobs.deliver
                made = drafts.make(session, *parts, paths, "gold", note, actor(), utc_now(), deliver)
    except FormatError as faulty:
        return _page(spec, form, 422, faulty=faulty)
    except ServiceError as refused:
        form.form_errors.append(told(refused.message))
        return _page(spec, form, 422)
    return redirect(url_for("benchmarks.draft", task=task, number=made.number), 303)


def _without_found_again(spec: TaskSpec, paths: dict[str, Path]) -> dict[str, Path]:
    """The files but those that stayed behind when an archive brought what was scored by them: these score
    again. Raises FormatError."""
    parts = (site().files, spec, site().scorer(spec))
    with site().database.writing() as session:
        found = gold.find_again(session, *parts, paths, actor(), utc_now())
    if found:
        tracks = ", ".join(found)
        flash(
            gettext("The benchmark that stayed behind is here again, and scores: %(tracks)s.", tracks=tracks),
            "success",
        )
    return {track: path for track, path in paths.items() if track not in found}


@blueprint.post("/scorer")
@allow(ORGANISER)
def make_for_scorer(task: str) -> AnyResponse:
    """Makes a draft of the gold of now under the scorer of now."""
    spec = task_named(task)
    parts = (site().files, spec, site().scorer(spec))
    try:
        with site().database.writing() as session:
            made = drafts.make_for_scorer(session, *parts, "", actor(), utc_now(), site().jobs.deliver)
    except ServiceError as refused:
        flash(told(refused.message), "error")
        return redirect(url_for("benchmarks.show", task=task), 303)
    return redirect(url_for("benchmarks.draft", task=task, number=made.number), 303)


@blueprint.get(_NUMBER)
@allow(ORGANISER)
def draft(task: str, number: int) -> Response:
    """A draft: how far it is, what it changes, and the buttons that end it."""
    return _draft_page(task_named(task), number, ApplyForm())


@blueprint.get(f"{_NUMBER}/progress")
@allow(ORGANISER)
def progress(task: str, number: int) -> Response:
    """How far a draft is, for the script of its page."""
    spec = task_named(task)
    with site().database.reading() as session:
        found = draft_pages.progress(session, spec, number)
    return progress_answer(found.state, found.working, found.done, found.total)


@blueprint.post(f"{_NUMBER}/apply")
@allow(ORGANISER)
def apply(task: str, number: int) -> AnyResponse:
    """Lets the draft score from now on; where runs came since, a job scores these first."""
    spec, form = task_named(task), ApplyForm()
    if not form.validate_on_submit():
        return _draft_page(spec, number, form, 422)
    try:
        _apply(spec, number)
    except ServiceError as refused:
        flash(told(refused.message), "error")
    return redirect(url_for("benchmarks.draft", task=task, number=number), 303)


def _apply(spec: TaskSpec, number: int) -> None:
    """At once where all runs are scored, else by the queue. Raises ServiceError."""
    scorer, url = site().scorer(spec), site().settings.public_url
    try:
        with site().database.writing() as session:
            draft_applying.apply(session, spec, scorer, number, actor(), utc_now(), url)
    except NotAllScored:
        with site().database.writing() as session:
            draft_applying.apply_later(session, spec, number, actor(), utc_now(), site().jobs.deliver)
    else:
        letters_were_written()
        flash(gettext("The draft is applied; its versions score from now on."), "success")


@blueprint.post(f"{_NUMBER}/discard")
@allow(ORGANISER)
def discard(task: str, number: int) -> AnyResponse:
    """Gives the draft up."""
    spec = task_named(task)
    try:
        with site().database.writing() as session:
            drafts.discard(session, spec, number, actor(), utc_now())
    except ServiceError as refused:
        flash(told(refused.message), "error")
    else:
        flash(gettext("The draft is discarded. The same file makes a new one."), "success")
    return redirect(url_for("benchmarks.draft", task=task, number=number), 303)


@blueprint.post(f"{_NUMBER}/again")
@allow(ORGANISER)
def again(task: str, number: int) -> AnyResponse:
    """Scores what the draft lacks, and works out anew what it changes."""
    spec = task_named(task)
    try:
        with site().database.writing() as session:
            drafts.score_again(session, spec, number, actor(), utc_now(), site().jobs.deliver)
    except ServiceError as refused:
        flash(told(refused.message), "error")
    return redirect(url_for("benchmarks.draft", task=task, number=number), 303)


def _sent(spec: TaskSpec) -> tuple[list[tuple[str, Path]], dict[str, Path]]:
    """The files of the request: those told by their names, and those told by their fields."""
    named = [
        (Path(sent.filename).name, path)
        for sent in request.files.getlist(FILES)
        if sent.filename and (path := uploads.draft_of(sent)) is not None
    ]
    by_track = {
        track.name: path
        for track in spec.tracks
        if (sent := request.files.get(f"{FILES}-{track.name}")) is not None
        and sent.filename
        and (path := uploads.draft_of(sent)) is not None
    }
    return named, by_track


def _page(spec: TaskSpec, form: DraftForm, code: int = 200, faulty: FormatError | None = None) -> Response:
    scorer = site().scorer(spec)
    with site().database.reading() as session:
        versions = gold.listing(session, spec)
        found = draft_pages.listing(session, spec)
        older = drafts.older_scorers(session, spec, scorer)
    return organise_page(
        "organise/gold.html",
        spec,
        code,
        form=form,
        faulty=faulty,
        tracks=[(track, [v for v in versions if v.track == track.name]) for track in spec.tracks],
        drafts=found,
        older=older,
        scorer_version=scorer.VERSION,
        files_field=FILES,
        most=uploads.most(),
    )


def _draft_page(spec: TaskSpec, number: int, form: ApplyForm, code: int = 200) -> Response:
    with site().database.reading() as session:
        found = draft_pages.show(session, spec, number)
    return organise_page(
        "organise/draft.html",
        spec,
        code,
        page=found,
        form=form,
        titles={phase.name: phase.title for phase in phases_of(spec)},
        known_tracks={track.name: track for track in spec.tracks},
    )
