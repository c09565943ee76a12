"""Drawings as PDF, for papers."""

from __future__ import annotations

from leaderboard.plots.shapes import Drawing
from leaderboard.plots.svg import for_paper


def for_print(drawing: Drawing) -> bytes:
    """A page of the drawing's size; letters stay letters, with their font inside."""
    # Loaded when somebody asks for a PDF: it is large, and few do.
    import vl_convert

    document: bytes = vl_convert.svg_to_pdf(for_paper(drawing))
    return document
