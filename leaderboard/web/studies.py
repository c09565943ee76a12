"""The study of measures of a task."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, abort, request
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say
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
NAMED = Size(width=500, height=460)
"""Room for names below."""
NAMED_NARROW = Size(width=340, height=400)

TABLES = {
    ("measures", "csv"): study_tables.measures_csv,
    ("runs", "csv"): study_tables.runs_csv,
    ("measures", "tex"): lambda study: study_tables.latex(study_tables.measures_sheet(study)),
    ("runs", "tex"): lambda study: study_tables.latex(study_tables.runs_sheet(study)),
}
TYPES = {"csv": "text/csv", "tex": "application/x-tex"}
PLOTS = {"runs": study_plots.sorted_runs, "against": study_plots.against_baseline}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address asks for: the phase, and which runs and columns; `fault` is what it asks in vain."""

    phase: PhaseView
    phases: tuple[PhaseView, ...]
    wanted: Wanted
    fault: Message | None


@blueprint.get("/tasks/<task>/study")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """What measures tell apart, and how alike they rank the runs."""
    study, why_none = None, None
    with site().database.reading() as session:
        spec = public_task(session, task)
        asked = _asked(session, spec)
        try:
            study = _found(session, spec, asked)
        except (NoBoard, NotStudiable, NoGoldInstalled) as error:
            why_none = error.message
        choices = shown_studies.choices(session, spec, asked.phase, utc_now())
        has_resource = is_published(session, spec)
    return page(
        "studies/show.html",
        spec=spec,
        asked=asked,
        choices=choices,
        study=study,
        why_none=why_none,
        lines=study_tables.lines(study) if study else (),
        left_out=_left_out(study),
        figures=_figures(study) if study else (),
        state=_state(spec, asked),
        has_resource=has_resource,
    )


@blueprint.get("/tasks/<task>/study/<any(measures, runs):table>.<any(csv, tex):ending>")
@allow(EVERYBODY)
def table(task: str, table: str, ending: str) -> Response:
    """One of the tables: at full precision as CSV, with displayed digits for LaTeX."""
    study = _study(task)
    response = Response(TABLES[table, ending](study), mimetype=TYPES[ending])
    response.headers["Content-Disposition"] = f'attachment; filename="{task}-study-{table}.{ending}"'
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
            return _found(session, spec, asked)
        except (NoBoard, NotStudiable, NoGoldInstalled):
            abort(404)


def _found(session: Session, spec: TaskSpec, asked: Asked) -> Study:
    if asked.fault is not None:
        raise NotStudiable(asked.fault)
    return shown_studies.show(session, spec, asked.phase, asked.wanted, utc_now())


def _asked(session: Session, spec: TaskSpec) -> Asked:
    """What the address asks for; a word it may not hold is not found."""
    views = phases.listing(session, spec, utc_now())
    name = request.args.get("phase")
    phase = next((view for view in views if view.name == name or (name is None and view.current)), None)
    runs = request.args.get("runs", "placed")
    if phase is None or runs not in ("placed", "all"):
        abort(404)
    columns, fault = _columns(spec)
    wanted = Wanted(phase.name, columns, runs == "all", studies.SEED, _only())
    return Asked(phase, views, wanted, fault)


def _only() -> tuple[int, ...]:
    """The numbers of single runs."""
    wanted = request.args.getlist("run")
    if not all(text.isascii() and text.isdigit() and len(text) < 10 for text in wanted):
        abort(404)
    return tuple(sorted({int(text) for text in wanted}))


def _columns(spec: TaskSpec) -> tuple[tuple[Column, ...], Message | None]:
    """Those of the task that the address names, the baseline first; the task's own by default. And what is
    wrong with the baseline."""
    wanted = request.args.getlist("measure")
    known = {
        Column(track, measure).name: Column(track, measure)
        for track in spec.tracks
        for measure in track.measures
    }
    if len(wanted) > MOST_COLUMNS or any(name not in known for name in wanted):
        abort(404)
    wanted = wanted or [column.name for column in studies.default_columns(spec)]
    baseline = request.args.get("baseline") or wanted[0]
    if baseline not in known:
        fault = say(
            "Measures are to be compared with {baseline}, which {task} does not have. Choose another below.",
            baseline=baseline,
            task=spec.name,
        )
        return tuple(known[name] for name in dict.fromkeys(wanted)), fault
    return tuple(known[name] for name in dict.fromkeys((baseline, *wanted))), None


def _state(spec: TaskSpec, asked: Asked) -> dict[str, object]:
    """What is in the address of every part of this study."""
    return {
        "task": spec.name,
        "phase": asked.phase.name,
        "runs": "all" if asked.wanted.all_runs else "placed",
        "run": list(asked.wanted.only),
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
            figure(study_plots.sorted_runs(study, number), NAMED, NAMED_NARROW),
            figure(study_plots.against_baseline(study, number), HALF, HALF_NARROW) if number else None,
        )
        for number, column in enumerate(study.columns)
    )
