"""A final standing as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json

from leaderboard.contract import TaskSpec
from leaderboard.services.export_cells import guarded
from leaderboard.services.final_standings import FinalRow, FinalStanding

_COLUMNS = (
    "place",
    "public_place",
    "moved",
    "team",
    "run_id",
    "run",
    "kind",
    "private_value",
    "public_value",
)


def as_csv(spec: TaskSpec, found: FinalStanding) -> str:
    """One line a row; values at full precision, of all measures of the private part after the others."""
    beside = _measures(spec, found)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, *(f"{track}:{measure}" for track, measure in beside)])
    for row in found.rows:
        values = (row.values.get(track, {}).get(measure) for track, measure in beside)
        cells = (*_cells(row), *values)
        writer.writerow(["" if cell is None else guarded(str(cell)) for cell in cells])
    return text.getvalue()


def as_json(spec: TaskSpec, found: FinalStanding) -> str:
    """The same with what the file is about."""
    document = {
        "task": spec.name,
        "phase": found.phase.name,
        "track": found.track,
        "public_share": found.split.public,
        "final_runs": found.split.final_runs,
        "computed_at": found.computed_at.isoformat() if found.computed_at else None,
        "lines": [
            {**dict(zip(_COLUMNS, _cells(row), strict=True)), "values": row.values} for row in found.rows
        ],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _cells(row: FinalRow) -> tuple[object, ...]:
    places = (row.place, row.public_place, row.moved)
    return (*places, row.team, row.run_id, row.run_name, row.kind, row.value, row.public_value)


def _measures(spec: TaskSpec, found: FinalStanding) -> list[tuple[str, str]]:
    tracks = [track for track in spec.tracks if found.track in (None, track.name)]
    return [(track.name, measure) for track in tracks for measure in track.measures]
