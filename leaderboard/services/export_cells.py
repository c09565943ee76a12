"""What a cell of a table must not do to the program that opens it."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""How a cell begins that a spreadsheet would compute, or that `guarded` could have made of one."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    '"': r"\textquotedblright{}",
    "\N{EN DASH}": "--",
    "\N{HORIZONTAL ELLIPSIS}": r"\dots{}",
}

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~&#!$])")


def guarded(cell: str) -> str:
    """The cell, with an apostrophe before it where a spreadsheet would take it for a formula.

    Numbers stay as they are. `unguarded` gives the cell back.
    """
    if _FORMULA.match(cell) and not _is_number(cell):
        return "'" + cell
    return cell


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    if cell.startswith("'") and _FORMULA.match(cell):
        return cell[1:]
    return cell


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell, re.ASCII) is not None


def latex_escaped(text: str) -> str:
    """The text as LaTeX prints it, on one line."""
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


def markdown_escaped(text: str) -> str:
    """The text as Markdown shows it, within one cell of a table."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
