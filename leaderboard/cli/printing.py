"""Findings and scores as text for a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from leaderboard.contract import Fault, Message, Report, TrackScores, TrackSpec, say, say_count

if TYPE_CHECKING:
    # `check` and `score` need no database, and should not wait for one to be imported.
    from leaderboard.services.rescoring import Rescored
    from leaderboard.services.run_results import TrackResult

# Control characters, line separators, and what turns the direction of writing.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def fault_lines(file: Path, report: Report) -> Iterator[str]:
    """``FILE:LINE:COLUMN: what is wrong``, as editors know to jump to, and how many more there are."""
    for fault in report.faults:
        yield visible(f"{_place(file, fault)}: {fault.message}")
    more = report.fault_count - len(report.faults)
    if more > 0:
        yield f"{file}: {report.fault_count} faults in all; {more} more are not listed."
    else:
        yield f"{file}: {report.fault_count} fault{'' if report.fault_count == 1 else 's'}."


def _place(file: Path, fault: Fault) -> str:
    numbers = [str(number) for number in (fault.line, fault.column) if number is not None]
    return ":".join([str(file), *(numbers if fault.line is not None else ())])


def remark_lines(report: Report) -> Iterator[str]:
    """Warnings, notes and checks that were left out, one a line."""
    yield from labelled("warning", report.warnings)
    yield from labelled("note", report.notes)
    yield from labelled("not checked", report.left_out)
    if report.left_out:
        yield "hint: --inputs names the folder of the task's public inputs, which `data fetch` brings"


def labelled(label: str, messages: Iterable[Message]) -> Iterator[str]:
    """``warning: what was found``, one a line."""
    return (visible(f"{label}: {message}") for message in messages)


def visible(line: str) -> str:
    """The line with escapes for what would steer a terminal, since sentences quote files of strangers."""
    return _UNSEEN.sub(lambda found: found.group().encode("unicode_escape").decode(), line)


def score_lines(track: TrackSpec, scores: TrackScores) -> Iterator[str]:
    """A track's values at its display precision; the one that ranks is marked."""
    unit = "topics answered" if scores.topics else "answered"
    yield f"{track.name}: {track.title}"
    yield f"  {unit} {scores.answered} of {scores.total}"
    rows = [(text, shown(scores.values[text], track.digits)) for text in track.measures]
    for text, line in zip(track.measures, _aligned(rows), strict=True):
        yield f"{line}  {_remark(track, scores, text)}".rstrip()


def _remark(track: TrackSpec, scores: TrackScores, text: str) -> str:
    reason = scores.undefined.get(text)
    if reason is not None and math.isnan(scores.values[text]):
        return str(reason)
    return "(ranks this track)" if text == track.primary else ""


def topic_lines(track: TrackSpec, scores: TrackScores) -> Iterator[str]:
    """A row for each topic, a column for each measure."""
    if not scores.topics:
        return
    columns = [scores.per_topic[text] for text in track.measures]
    rows = [
        (topic, *(shown(float(column[row]), track.digits) for column in columns))
        for row, topic in enumerate(scores.topics)
    ]
    yield f"{track.name}, per topic"
    yield from _aligned([("topic", *track.measures), *rows])


def absent_lines(absent: Sequence[TrackSpec], gold: Path) -> Iterator[str]:
    """Which tracks were not scored."""
    for track in absent:
        yield f"{track.name}: not scored, for {gold} has no {track.gold}"


def shown(value: float, digits: int) -> str:
    """A value as people read it."""
    return "undefined" if math.isnan(value) else f"{value:.{digits}f}"


def result_lines(track: TrackSpec, result: TrackResult) -> Iterator[str]:
    """What a stored run scored on a track, and where that put it."""
    yield f"{track.name}: {track.title}"
    yield f"  {_standing(result)}"
    rows = [
        (text, "undefined" if value is None else shown(value, track.digits))
        for text in track.measures
        if (value := result.values.get(text)) is not None or text in result.values
    ]
    for (text, _), line in zip(rows, _aligned(rows), strict=True):
        why = str(result.undefined.get(text, ""))
        yield f"{line}  {why or ('(ranks this track)' if text == track.primary else '')}".rstrip()


def _standing(result: TrackResult) -> Message:
    if result.place is not None:
        return say("place {place}", place=result.place)
    if result.reason is not None:
        return say("no place: {reason}", reason=str(result.reason))
    return say("no place yet")


def rescored_lines(done: Rescored) -> Iterator[str]:
    """How many runs were scored, and which could not be."""
    yield str(say_count("{count} run was scored.", "{count} runs were scored.", done.scored))
    for run_id in done.failed:
        yield str(
            say("Run {run} could not be scored; `rescore TASK --run {run}` tries it again.", run=run_id)
        )


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    """Columns of one width; those numbered in `right` stand to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if number in right else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first column to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *numbers in rows:
        cells = (number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True))
        yield "  " + "  ".join((first.ljust(widths[0]), *cells))
