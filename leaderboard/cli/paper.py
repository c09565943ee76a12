"""Plots as files for papers, in English."""

from __future__ import annotations

from pathlib import Path

from leaderboard.plots import Plot, Size, Words, svg
from leaderboard.plots.drawing import draw

ENGLISH = Words(str, lambda value, digits: f"{value:.{digits}f}", lambda seconds, _: f"{seconds:.0f}")
"""How a paper writes sentences, numbers and times."""

COLUMN = Size(width=480, height=260, letters=11)
"""A plot that fills a column."""


def write_svg(plot: Plot, target: Path) -> None:
    """Writes a plot as SVG that needs nothing beside it."""
    target.write_text(svg.for_paper(draw(plot, COLUMN, ENGLISH)), encoding="utf-8")
