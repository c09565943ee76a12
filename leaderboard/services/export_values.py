"""A board with every value at full precision, as CSV and as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from leaderboard.contract import TaskSpec
from leaderboard.services.boards import Board, Row
from leaderboard.services.export_cells import guarded
from leaderboard.services.references import Published


def run_of(row: Row) -> str:
    """The name of the run, or in an overall ranking the numbers of the runs that count."""
    return row.run_name or _numbers(row)


def _numbers(row: Row) -> str:
    runs = row.runs.values() if row.run_id is None else (row.run_id,)
    return ", ".join(str(run) for run in dict.fromkeys(runs))


def as_csv(spec: TaskSpec, board: Board) -> str:
    """A line for each line of the board, then one for each published result (`kind` "published").

    Columns `TRACK MEASURE` have all values, `TRACK place` the places. A cell that a spreadsheet would take
    for a formula begins with an apostrophe; see `leaderboard.services.export_cells.unguarded`.
    """
    measures = [(track.name, measure) for track in spec.tracks for measure in track.measures]
    header = ["place", "team", "run", "run_name", "kind", "value"]
    header += [f"{track} {measure}" for track, measure in measures]
    header += [f"{track.name} place" for track in spec.tracks]
    header += ["submitted_at", "file_sha256", "reason", "source"]
    header += ["interval_low", "interval_high", "group"]
    header += ["board", "phase", "stage", "gold_versions", "scorer_version", "computed_at"]
    versions = " ".join(f"{track}={number}" for track, number in board.versions.items())
    stamp = [
        board.track or "overall",
        board.phase,
        board.stage,
        versions,
        board.scorer_version,
        board.computed_at.isoformat(),
    ]
    out = io.StringIO(newline="")
    # The line end of the standard (RFC 4180); with another the writer would not quote a bare "\r".
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(header)
    for row in board.rows:
        writer.writerow([guarded(cell) for cell in (*_csv_row(spec, row, measures), *stamp)])
    for each in board.references:
        writer.writerow([guarded(cell) for cell in (*_csv_reference(spec, board, each, measures), *stamp)])
    return out.getvalue()


def _csv_row(spec: TaskSpec, row: Row, measures: Sequence[tuple[str, str]]) -> Iterator[str]:
    yield from (_exact(row.place), row.team, _numbers(row), row.run_name or "", row.kind, _exact(row.value))
    yield from (_exact(row.values.get(track, {}).get(measure)) for track, measure in measures)
    yield from (_exact(row.places.get(track.name)) for track in spec.tracks)
    yield row.submitted_at.isoformat() if row.submitted_at else ""
    yield from (row.file_hash or "", "" if row.reason is None else str(row.reason), "")
    sure = row.sureness
    yield from ("", "", "") if sure is None else (_exact(sure.low), _exact(sure.high), sure.group)


def _csv_reference(
    spec: TaskSpec, board: Board, published: Published, measures: Sequence[tuple[str, str]]
) -> Iterator[str]:
    track = board.track or ""
    main = published.values.get(spec.track(track).primary) if track else None
    yield from ("", published.participant, "", published.run_name, "published", _exact(main))
    yield from (
        _exact(published.values.get(measure) if name == track else None) for name, measure in measures
    )
    yield from ("" for _ in spec.tracks)
    yield from ("", "", "", published.source, "", "", "")


def _exact(number: float | None) -> str:
    return "" if number is None else repr(number)


def as_json(spec: TaskSpec, board: Board) -> str:
    """The board as one object; what has no value is null."""
    document = {
        "task": board.task,
        "track": board.track,
        "phase": board.phase,
        "stage": board.stage,
        "ranked_by": spec.track(board.track).primary if board.track else spec.overall,
        "gold_version": board.gold_version,
        "gold_versions": dict(board.versions),
        "scorer_version": board.scorer_version,
        "computed_at": board.computed_at.isoformat(),
        "rows": [_json_row(row) for row in board.rows],
        "references": [
            {
                "run_name": each.run_name,
                "participant": each.participant,
                "description": each.description,
                "track": each.track,
                "values": dict(each.values),
                "source": each.source,
            }
            for each in board.references
        ],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _json_row(row: Row) -> dict[str, Any]:
    return {
        "place": row.place,
        "team": row.team,
        "run": row.run_id,
        "run_name": row.run_name,
        "runs": dict(row.runs),
        "kind": row.kind,
        "late": row.late,
        "disqualified": row.disqualified,
        "value": row.value,
        "values": {track: dict(values) for track, values in row.values.items()},
        "places": dict(row.places),
        "submitted_at": row.submitted_at.isoformat() if row.submitted_at else None,
        "file_sha256": row.file_hash,
        "reason": None if row.reason is None else str(row.reason),
        "interval": None if row.sureness is None else [row.sureness.low, row.sureness.high],
        "group": None if row.sureness is None else row.sureness.group,
    }
