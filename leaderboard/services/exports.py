"""A board as text, CSV, JSON, LaTeX or Markdown.

What people read has the digits that the task displays; CSV and JSON have every value at full precision.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from leaderboard.contract import Message, TaskSpec, TrackSpec, say, say_count
from leaderboard.services.boards import Board, Row
from leaderboard.services.export_cells import latex_escaped, markdown_escaped
from leaderboard.services.export_values import as_csv, as_json, run_of
from leaderboard.services.references import Published

Format = Literal["text", "csv", "json", "latex", "markdown"]

MEAN_RANK_DIGITS = 2

_NOTHING = "–"

_SURE = ("95 %", "group")
"""The heads of intervals, and of groups of runs that cannot be told apart."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A board as people read it. `numeric` columns stand to the right; `remarks` explain lines."""

    title: str
    stamp: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    references: tuple[tuple[str, ...], ...]
    remarks: tuple[str, ...]


Beside = Sequence[tuple[TrackSpec, str]]
"""Measures on tracks, whose values stand beside the one that ranks."""


def render(spec: TaskSpec, board: Board, wanted: Format, beside: Beside | None = None) -> str:
    """The board in that format, ending in a line end. What people read has the values `beside` the one that
    ranks: those that rank on the other tracks, by default."""
    writers: dict[Format, Callable[[], str]] = {
        "text": lambda: as_text(sheet(spec, board, beside)),
        "markdown": lambda: as_markdown(sheet(spec, board, beside)),
        "latex": lambda: as_latex(sheet(spec, board, beside)),
        "csv": lambda: as_csv(spec, board),
        "json": lambda: as_json(spec, board),
    }
    return writers[wanted]()


def sheet(spec: TaskSpec, board: Board, beside: Beside | None = None) -> Sheet:
    """The board with displayed digits: the value that ranks first, its interval and groups where they are
    known, then those beside it."""
    if beside is None:
        beside = [(track, track.primary) for track in spec.tracks if track.name != board.track]
    main = spec.track(board.track).primary if board.track else spec.overall or ""
    heads = (measure if track.name == board.track else f"{track.name} {measure}" for track, measure in beside)
    sure = any(row.sureness for row in board.rows)
    columns = ("place", "team", "run", main, *(_SURE if sure else ()), *heads)
    published = _with_value(spec, board)
    return Sheet(
        title=f"{spec.title} · {spec.track(board.track).title if board.track else say('overall')}",
        stamp=_stamp(board),
        columns=columns,
        numeric=(True, False, False, *(column != _SURE[1] for column in columns[3:])),
        rows=tuple(_cells(spec, row, board.track, beside, sure) for row in board.rows),
        references=tuple(_reference_cells(spec, board, each, beside, sure) for each in published),
        remarks=tuple(str(remark) for remark in _remarks(spec, board, published)),
    )


def _remarks(spec: TaskSpec, board: Board, shown: Sequence[Published]) -> Iterator[Message]:
    """Why lines have no place, a reason at a time, and where published results come from."""
    lines: dict[str, list[str]] = {}
    for row in board.rows:
        if row.reason is not None:
            lines.setdefault(str(row.reason), []).append(f"{row.team} ({run_of(row)})")
    for reason, runs in lines.items():
        yield say("{runs}: {reason}", runs=", ".join(runs), reason=reason)
    for source in dict.fromkeys(each.source for each in shown):
        yield say("Below the line, published results of others: {source}", source=source)
    left_out = len(board.references) - len(shown)
    if board.track is not None and left_out:
        yield say_count(
            "{count} published result has no {measure}; csv and json have its values.",
            "{count} published results have no {measure}; csv and json have their values.",
            left_out,
            measure=spec.track(board.track).primary,
        )


def _stamp(board: Board) -> str:
    versions = ", ".join(f"{track} {number}" for track, number in board.versions.items())
    return str(
        say(
            "Phase {phase}; benchmark version {versions}; scorer version {scorer}; computed {time}.",
            phase=board.phase if board.stage == "in time" else f"{board.phase}, {board.stage}",
            versions=versions if board.track is None else board.gold_version,
            scorer=board.scorer_version,
            time=board.computed_at.strftime("%Y-%m-%d %H:%M:%S UTC"),
        )
    )


def _cells(spec: TaskSpec, row: Row, track: str | None, beside: Beside, sure: bool) -> tuple[str, ...]:
    digits = spec.track(track).digits if track else MEAN_RANK_DIGITS
    values = (_shown(row.values.get(other.name, {}).get(measure), other.digits) for other, measure in beside)
    place = _NOTHING if row.place is None else str(row.place)
    return (place, row.team, run_of(row), _shown(row.value, digits), *_sure_cells(row, digits, sure), *values)


def _sure_cells(row: Row, digits: int, sure: bool) -> tuple[str, ...]:
    if not sure:
        return ()
    if row.sureness is None or row.sureness.low is None or row.sureness.high is None:
        return (_NOTHING, "")
    return (f"{row.sureness.low:.{digits}f} … {row.sureness.high:.{digits}f}", row.sureness.group)


def _with_value(spec: TaskSpec, board: Board) -> list[Published]:
    """The published results that say something about what ranks here."""
    if board.track is None:
        return []
    return [each for each in board.references if spec.track(board.track).primary in each.values]


def _reference_cells(
    spec: TaskSpec, board: Board, published: Published, beside: Beside, sure: bool
) -> tuple[str, ...]:
    track = spec.track(board.track or "")
    value = _shown(published.values[track.primary], track.digits)
    values = (
        _shown(published.values.get(measure) if other is track else None, track.digits)
        for other, measure in beside
    )
    blank = (_NOTHING, "") if sure else ()
    return (_NOTHING, published.participant, published.run_name, value, *blank, *values)


def _shown(value: float | None, digits: int) -> str:
    return _NOTHING if value is None else f"{value:.{digits}f}"


def as_text(found: Sheet) -> str:
    """Columns for a terminal."""
    table = [found.columns, *found.rows, *found.references]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for cell, width, numeric in zip(cells, widths, found.numeric, strict=True):
            space = " " * (width - _width(cell))
            padded.append(space + cell if numeric else cell + space)
        return "  ".join(padded).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [found.title, found.stamp, "", line(found.columns), rule, *map(line, found.rows)]
    if found.references:
        lines += [rule, *map(line, found.references)]
    if found.remarks:
        lines += ["", *found.remarks]
    return "\n".join(lines) + "\n"


def _width(cell: str) -> int:
    """How many places of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in cell
    )


def as_markdown(found: Sheet) -> str:
    """A table as GitHub and most others read it."""
    rows = [found.columns, *found.rows, *found.references]
    cells = [[markdown_escaped(cell) for cell in row] for row in rows]
    rule = ["---:" if numeric else "---" for numeric in found.numeric]
    lines = [f"**{markdown_escaped(found.title)}**", "", markdown_escaped(found.stamp), ""]
    lines += ["| " + " | ".join(row) + " |" for row in [cells[0], rule, *cells[1:]]]
    if found.remarks:
        lines += ["", *(f"- {markdown_escaped(remark)}" for remark in found.remarks)]
    return "\n".join(lines) + "\n"


def as_latex(found: Sheet) -> str:
    """A table environment with the rules of the package booktabs."""

    def line(cells: Sequence[str]) -> str:
        return "    " + " & ".join(map(latex_escaped, cells)) + r" \\"

    body = [line(cells) for cells in found.rows]
    if found.references:
        body += [r"    \midrule", *(line(cells) for cells in found.references)]
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{latex_escaped(f'{found.title}. {found.stamp}')}}}",
        rf"  \begin{{tabular}}{{{''.join('r' if numeric else 'l' for numeric in found.numeric)}}}",
        r"    \toprule",
        line(found.columns),
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
        *(f"% {remark}" for remark in found.remarks),
    ]
    return "\n".join(lines) + "\n"
