"""Plots: one declarative specification each, drawn for a page (SVG), for a paper (SVG, PDF) and as a table.

Pure: words and numbers in, text out. The words are messages, which whoever draws has translated.
"""

from leaderboard.plots.shapes import Size, Words
from leaderboard.plots.specification import Axis, Data, Plot, Series

__all__ = ["Axis", "Data", "Plot", "Series", "Size", "Words"]
