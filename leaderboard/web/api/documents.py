"""What services found, as the documents of the API hold it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from flask import url_for

from leaderboard.contract import Fault, Message, Report, TaskSpec
from leaderboard.services import boards
from leaderboard.services.boards import Board, Row
from leaderboard.services.fields import Stand, TopicField
from leaderboard.services.inputs import PublicFile
from leaderboard.services.phases import PhaseView
from leaderboard.services.queue_pages import Place
from leaderboard.services.run_pages import PerTopic, Summary
from leaderboard.services.run_results import TrackResult
from leaderboard.services.submissions import State
from leaderboard.services.team_runs import TeamRun
from leaderboard.web import uploads
from leaderboard.web.api.words import said
from leaderboard.web.filters import iso, text

OVERALL = "overall"


def moment(value: datetime | None) -> str | None:
    """A time as machines read it, null where there is none."""
    return None if value is None else iso(value)


def sentences(messages: Sequence[Message]) -> list[str]:
    """Messages in the reader's language."""
    return [said(message) for message in messages]


def fault(found: Fault) -> dict[str, Any]:
    """A fault of a file."""
    return {
        "line": found.line,
        "column": found.column,
        "kind": found.kind,
        "message": said(found.message),
    }


def report(found: Report) -> dict[str, Any]:
    """What the check of a file found."""
    return {
        "accepted": found.accepted,
        "faults": [fault(each) for each in found.faults],
        "fault_count": found.fault_count,
        "warnings": sentences(found.warnings),
        "notes": sentences(found.notes),
        "left_out": sentences(found.left_out),
    }


def task(spec: TaskSpec) -> dict[str, Any]:
    """A task in a list."""
    return {
        "name": spec.name,
        "title": text(spec.title),
        "summary": text(spec.summary),
        "url": url_for("tasks.show", task=spec.name, _external=True),
    }


def whole_task(spec: TaskSpec, phases: Sequence[PhaseView], inputs: Sequence[PublicFile]) -> dict[str, Any]:
    """A task with all that is public of it."""
    return {
        **task(spec),
        "tracks": [
            {
                "name": track.name,
                "title": text(track.title),
                "measures": list(track.measures),
                "primary": track.primary,
                "higher_is_better": track.higher_is_better,
                "digits": track.digits,
                "public_values": track.public_values,
            }
            for track in spec.tracks
        ],
        "phases": [phase(each) for each in phases],
        "inputs": [input_file(spec, each) for each in inputs],
        "boards": [track or OVERALL for track in boards.listed_tracks(spec)],
        "counting": spec.counting,
        "max_upload_bytes": uploads.most(),
    }


def phase(view: PhaseView) -> dict[str, Any]:
    """A phase as it stands now."""
    return {
        "name": view.name,
        "title": text(view.title),
        "state": view.state,
        "current": view.current,
        "opens_at": moment(view.opens_at),
        "closes_at": moment(view.closes_at),
        "runs_per_day": view.runs_per_day,
        "runs_in_all": view.runs_in_all,
        "reveals": list(view.reveals),
        "public_share": view.split.public if view.split else None,
        "final_runs": view.split.final_runs if view.split else None,
    }


def input_file(spec: TaskSpec, public: PublicFile) -> dict[str, Any]:
    """A file that may be downloaded."""
    title = next(text(declared.title) for declared in spec.inputs if declared.name == public.name)
    return {
        "name": public.name,
        "title": title,
        "file_name": public.file_name,
        "size": public.size,
        "sha256": public.file_hash,
        "url": url_for("api.download_input", task=spec.name, name=public.name, _external=True),
    }


def board(spec: TaskSpec, shown: Board) -> dict[str, Any]:
    """What a ranking says beside its lines."""
    return {
        "task": spec.name,
        "track": shown.track,
        "phase": shown.phase,
        "ranked_by": spec.track(shown.track).primary if shown.track else spec.overall,
        "gold_versions": dict(shown.versions),
        "scorer_version": shown.scorer_version,
        "computed_at": moment(shown.computed_at),
    }


def row(line: Row) -> dict[str, Any]:
    """A line of a ranking."""
    return {
        "position": line.position,
        "place": line.place,
        "team": line.team,
        "run": line.run_id,
        "run_name": line.run_name,
        "runs": dict(line.runs),
        "kind": line.kind,
        "late": line.late,
        "disqualified": line.disqualified,
        "value": line.value,
        "values": {track: dict(values) for track, values in line.values.items()},
        "places": dict(line.places),
        "submitted_at": moment(line.submitted_at),
        "sha256": line.file_hash,
        "reason": None if line.reason is None else said(line.reason),
        "interval": None if line.sureness is None else [line.sureness.low, line.sureness.high],
        "group": None if line.sureness is None else line.sureness.group,
    }


def summary(spec: TaskSpec, run: Summary) -> dict[str, Any]:
    """A run in a list of its team."""
    return {
        "id": run.run_id,
        "name": run.name,
        "phase": run.phase,
        "state": run.state,
        "kind": run.kind,
        "late": run.late,
        "selected": run.selected,
        "final": run.final,
        "withdrawn": run.withdrawn,
        "disqualified": run.disqualified,
        "submitted_at": moment(run.submitted_at),
        "size": run.size,
        "sha256": run.file_hash,
        "url": url_for("team_runs.show", task=spec.name, run_id=run.run_id, _external=True),
    }


def run(spec: TaskSpec, found: TeamRun, place: Place | None) -> dict[str, Any]:
    """A run with all that its team may know of it, and where it stands in the queue."""
    page = found.page
    return {
        **summary(spec, page.summary),
        "task": spec.name,
        "description": page.description,
        "method": {
            "system": page.method.system,
            "resources": page.method.resources,
            "manner": page.method.manner,
            "link": page.method.link,
        },
        "file_name": page.file_name,
        "received_at": moment(page.received_at),
        "results": [
            _result(each, found.stands.get(each.track), shows_board=found.phase.shows_board)
            for each in page.results
            if each.active
        ],
        "faults": [fault(each) for each in page.faults],
        "fault_count": page.fault_count,
        "warnings": sentences(page.warnings),
        "notes": sentences(page.notes),
        "left_out": sentences(page.left_out),
        "failure": None if page.failure is None else said(page.failure),
        "queue": None if place is None else _queue(place),
        "actions": [action.replace(" ", "-") for action in found.actions],
    }


def _queue(place: Place) -> dict[str, Any]:
    return {
        "number": place.number,
        "running": place.running,
        "seconds": place.seconds,
        "consumers": place.consumers,
        "again_at": None if place.again_at is None else moment(place.again_at),
    }


def _result(result: TrackResult, stand: Stand | None, *, shows_board: bool) -> dict[str, Any]:
    """A place is a line of the ranking, and hidden with it."""
    return {
        "track": result.track,
        "values": dict(result.values),
        "undefined": {measure: said(why) for measure, why in result.undefined.items()},
        "place": result.place if shows_board else None,
        "reason": said(result.reason) if shows_board and result.reason is not None else None,
        "stand": None if stand is None else _stand(stand),
        "gold_version": result.gold_version,
        "scorer_version": result.scorer_version,
        "scored_at": moment(result.scored_at),
    }


def _stand(stand: Stand) -> dict[str, Any]:
    return {
        "place": stand.place,
        "has_place": stand.has_place,
        "teams": stand.teams,
        "best": stand.best,
        "median": stand.median,
        "to_best": stand.to_best,
        "to_median": stand.to_median,
    }


def topics(track: str, own: PerTopic, field: dict[str, TopicField | None]) -> dict[str, Any]:
    """The values of a run on a track, topic by topic, beside those of the field."""
    return {
        "track": track,
        "topics": list(own.topics),
        "measures": {
            measure: {
                "values": _numbers(values),
                "median": _numbers(found.median) if (found := field.get(measure)) else None,
                "best": _numbers(found.best) if found else None,
            }
            for measure, values in own.values.items()
        },
    }


def _numbers(values: Any) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def quota(spec: TaskSpec, team: str, state: State) -> dict[str, Any]:
    """What a team may still send."""
    used = state.quota
    return {
        "task": spec.name,
        "team": team,
        "phase": used.phase.name,
        "late": state.late,
        "may_submit": state.refusal is None,
        "reason": None if state.refusal is None else said(state.refusal),
        "next_slot": moment(used.next_slot),
        "runs_today": used.today,
        "runs_in_all": used.in_all,
        "left_today": used.left_today,
        "left_in_all": used.left_in_all,
        "rejected_left_today": used.rejected_left_today,
    }
