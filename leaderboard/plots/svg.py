"""Drawings as SVG: for a page, coloured by our style sheet, and for a paper, with colours of its own."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from leaderboard.plots.shapes import Bar, Dot, Drawing, Letters, Shape, Stroke

PAPER: Mapping[str, Mapping[str, str]] = {
    "own": {"fill": "#4f9c90", "stroke": "#0d5b52"},
    "other": {"fill": "#c9b27c", "stroke": "#8a6d1f"},
    "median": {"fill": "#7d4410", "stroke": "#7d4410", "stroke-dasharray": "5 3"},
    "best": {"fill": "#444a55", "stroke": "#444a55"},
    "grid": {"stroke": "#d9d9d9"},
    "zero": {"stroke": "#8c8c8c"},
    "words": {"fill": "#000000"},
    "quiet": {"fill": "#444444"},
    **{
        f"shade-{shade}": {"fill": colour}
        for shade, colour in enumerate(
            (
                "#f4f8f7",
                "#dcebe8",
                "#c0dbd6",
                "#9fc8c1",
                "#7bb2a9",
                "#579a90",
                "#358074",
                "#1a655a",
                "#0a463e",
            )
        )
    },
}
"""How each look is printed: told apart in grey too."""

FONTS = "'Source Sans 3', 'Liberation Sans', Arial, sans-serif"


def for_page(drawing: Drawing) -> str:
    """An element to stand in a page. It has classes and no colours, so that it follows light and dark."""
    size = drawing.size
    label = f"{drawing.title}. {drawing.words}"
    body = "".join(_shape(shape, {"class": f"mark-{shape.look}"}) for shape in drawing.shapes)
    return (
        f'<svg viewBox="0 0 {_n(size.width)} {_n(size.height)}" role="img" focusable="false" '
        f'font-size="{_n(size.letters)}" aria-label={quoteattr(label)}>{body}</svg>'
    )


def for_paper(drawing: Drawing) -> str:
    """A file of its own, on white."""
    size = drawing.size
    body = "".join(_shape(shape, _printed(shape)) for shape in drawing.shapes)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(size.width)}" height="{_n(size.height)}" '
        f'viewBox="0 0 {_n(size.width)} {_n(size.height)}" font-family={quoteattr(FONTS)} '
        f'font-size="{_n(size.letters)}" role="img">'
        f"<title>{escape(drawing.title)}</title><desc>{escape(drawing.words)}</desc>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{body}</svg>\n'
    )


def _printed(shape: Shape) -> Mapping[str, str]:
    look = PAPER[shape.look]
    if isinstance(shape, (Letters, Bar, Dot)):
        return {"fill": look["fill"]}
    width = "1" if shape.look in ("grid", "zero") else "1.75"
    kept = {name: value for name, value in look.items() if name != "fill"}
    return {"fill": "none", "stroke-width": width, **kept}


def _shape(shape: Shape, looks: Mapping[str, str]) -> str:
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in looks.items())
    if isinstance(shape, Letters):
        place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" text-anchor="{shape.anchor}"'
        if shape.upwards:
            place += f' transform="rotate(-90 {_n(shape.x)} {_n(shape.y)})"'
        return f"<text {place}{attributes}>{escape(shape.text)}</text>"
    if isinstance(shape, Stroke):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        return f'<polyline points="{points}"{attributes}/>'
    tip = f"<title>{escape(shape.tip)}</title>" if shape.tip else ""
    if isinstance(shape, Dot):
        place = f'cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}"'
        return f"<circle {place}{attributes}>{tip}</circle>"
    place = f'x="{_n(shape.x)}" y="{_n(shape.y)}" width="{_n(shape.width)}" height="{_n(shape.height)}"'
    return f"<rect {place}{attributes}>{tip}</rect>"


def _n(number: float) -> str:
    """A tenth of a pixel is as fine as anybody sees."""
    return f"{number:.1f}".removesuffix(".0")
