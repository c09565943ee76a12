"""Plots on pages and as downloads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Response, abort
from flask_babel import format_datetime
from markupsafe import Markup

from leaderboard.contract import Message
from leaderboard.plots import Data, Plot, Size, Words, pdf, svg, tables
from leaderboard.plots.drawing import draw
from leaderboard.plots.specification import table
from leaderboard.web.filters import score, told

WIDE = Size(width=760, height=300)
NARROW = Size(width=340, height=280)
PAPER = Size(width=480, height=240, letters=10)

ENDINGS = {"svg": "image/svg+xml", "pdf": "application/pdf", "csv": "text/csv"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot drawn for a page: in two widths, of which the page shows one, with its words and numbers."""

    wide: Markup
    narrow: Markup
    title: str
    words: str
    data: Data
    digits: int


def figure(plot: Plot | None, wide: Size = WIDE, narrow: Size = NARROW) -> Figure | None:
    """The figure of a plot, where there is one."""
    if plot is None:
        return None
    return Figure(
        # The drawing escapes every word in it.
        wide=Markup(svg.for_page(draw(plot, wide, _words()))),  # noqa: S704
        narrow=Markup(svg.for_page(draw(plot, narrow, _words()))),  # noqa: S704
        title=_plain(plot.title),
        words=_plain(plot.words),
        data=table(plot),
        digits=plot.y.digits,
    )


def download(plot: Plot | None, ending: str, name: str) -> Response:
    """The plot as a file: SVG or PDF for a paper, CSV for its numbers at full precision."""
    if plot is None or ending not in ENDINGS:
        abort(404)
    drawing = draw(plot, PAPER, _words())
    body: str | bytes
    if ending == "csv":
        body = tables.as_csv(plot, _plain)
    else:
        body = svg.for_paper(drawing) if ending == "svg" else pdf.for_print(drawing)
    response = Response(body, mimetype=ENDINGS[ending])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.{ending}"'
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _words() -> Words:
    return Words(_plain, score, _time)


def _plain(message: Message) -> str:
    """The message in the reader's language, as text."""
    return str(told(message).striptags())


def _time(seconds: float, within_days: bool) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    written: str = format_datetime(moment, "d MMM HH:mm" if within_days else "d MMM")
    return written
