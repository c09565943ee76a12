"""The study of measures of a task."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, request
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec
from leaderboard.plots import Size
from leaderboard.services import phases, shown_studies, studies, study_plots, study_tables
from leaderboard.services.boards import NoBoard
from leaderboard.services.gold import NoGoldInstalled
from leaderboard.services.phases import PhaseView
from leaderboard.services.stored_studies import Wanted
from leaderboard.services.studies import Column, NotStudiable, Study
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.figures import download, figure
from leaderboard.web.installation import public_task, site
from leaderboard.web.resources import is_published

blueprint = Blueprint("studies", __name__)

MOST_COLUMNS = 16

HALF = Size(width=500, height=380)
HALF_NARROW = Size(width=340, height=340)

TABLES = {"measures": study_tables.measures_csv, "runs": study_tables.runs_csv}
PLOTS = {"runs": study_plots.sorted_runs, "against": study_plots.against_baseline}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: the phase, and which runs and columns."""

    phase: PhaseView
    phases: tuple[PhaseView, ...]
    wanted: Wanted


@blueprint.get("/tasks/<task>/study")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """What measures tell apart, and how alike they rank the runs."""
    study, why_none = None, None
    with site().database.reading() as session:
        spec = public_task(session, task)
        asked = _asked(session, spec)
        try:
            study = shown_studies.show(session, spec, asked.phase, asked.wanted, utc_now())
        except (NoBoard, NotStudiable, NoGoldInstalled) as error:
            why_none = error.message
        has_resource = is_published(session, spec)
    return page(
        "studies/show.html",
        spec=spec,
        asked=asked,
        study=study,
        why_none=why_none,
        lines=study_tables.lines(study) if study else (),
        left_out=_left_out(study),
        figures=_figures(study) if study else (),
        state=_state(spec, asked),
        has_resource=has_resource,
    )


@blueprint.get("/tasks/<task>/study/<any(measures, runs):table>.csv")
@allow(EVERYBODY)
def table(task: str, table: str) -> Response:
    """One of the tables at full precision."""
    study = _study(task)
    response = Response(TABLES[table](study), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{task}-study-{table}.csv"'
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/tasks/<task>/study/<any(runs, against):kind>/<int(max=99):number>.<ending>")
@allow(EVERYBODY)
def plot(task: str, kind: str, number: int, ending: str) -> Response:
    """One of the figures as SVG, PDF or CSV; columns count from 0."""
    study = _study(task)
    if number >= len(study.columns):
        abort(404)
    return download(PLOTS[kind](study, number), ending, f"{task}-study-{kind}-{number}")


def _study(task: str) -> Study:
    with site().database.reading() as session:
        spec = public_task(session, task)
        asked = _asked(session, spec)
        try:
            return shown_studies.show(session, spec, asked.phase, asked.wanted, utc_now())
        except (NoBoard, NotStudiable, NoGoldInstalled):
            abort(404)


def _asked(session: Session, spec: TaskSpec) -> Asked:
    """What the address asks for; a word it may not hold is not found."""
    views = phases.listing(session, spec, utc_now())
    name = request.args.get("phase")
    phase = next((view for view in views if view.name == name or (name is None and view.current)), None)
    runs = request.args.get("runs", "placed")
    if phase is None or runs not in ("placed", "all"):
        abort(404)
    return Asked(phase, views, Wanted(phase.name, _columns(spec), runs == "all", studies.SEED))


def _columns(spec: TaskSpec) -> tuple[Column, ...]:
    """Those of the task that the address names, the baseline first; the task's own by default."""
    wanted = request.args.getlist("measure")
    known = {
        Column(track, measure).name: Column(track, measure)
        for track in spec.tracks
        for measure in track.measures
    }
    if not wanted:
        return studies.default_columns(spec)
    if len(wanted) > MOST_COLUMNS or any(name not in known for name in wanted):
        abort(404)
    baseline = request.args.get("baseline", "")
    first = (baseline,) if baseline in known else ()
    return tuple(known[name] for name in dict.fromkeys((*first, *wanted)))


def _state(spec: TaskSpec, asked: Asked) -> dict[str, object]:
    """What is in the address of every part of this study."""
    return {
        "task": spec.name,
        "phase": asked.phase.name,
        "runs": "all" if asked.wanted.all_runs else "placed",
        "measure": [column.name for column in asked.wanted.columns],
        "baseline": asked.wanted.columns[0].name,
    }


def _left_out(study: Study | None) -> tuple[Message, ...]:
    return () if study is None else tuple(studies.not_comparable(column) for column in study.left_out)


def _figures(study: Study) -> tuple[tuple[Column, object, object], ...]:
    """For each column, the runs in order and, but for the baseline, against it."""
    return tuple(
        (
            column,
            figure(study_plots.sorted_runs(study, number), HALF, HALF_NARROW),
            figure(study_plots.against_baseline(study, number), HALF, HALF_NARROW) if number else None,
        )
        for number, column in enumerate(study.columns)
    )
