"""What a drawing is made of, at places in pixels of a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from leaderboard.contract import Message

Anchor = Literal["start", "middle", "end"]

LETTER = 0.56
"""How wide a letter is on average, in units of its height: enough to place a legend."""


@dataclass(frozen=True, slots=True)
class Size:
    """Of the whole drawing, and of its letters, in pixels of a page."""

    width: float = 760
    height: float = 300
    letters: float = 13


@dataclass(frozen=True, slots=True)
class Words:
    """How a reader's language says messages, numbers (with so many decimals) and times (seconds since 1970;
    the day, or with True the hour too)."""

    told: Callable[[Message], str]
    number: Callable[[float, int], str]
    time: Callable[[float, bool], str]


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle; `tip` is shown to who points at it."""

    look: str
    x: float
    y: float
    width: float
    height: float
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    look: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """A point."""

    look: str
    x: float
    y: float
    tip: str = ""
    radius: float = 4


@dataclass(frozen=True, slots=True)
class Letters:
    """Words on the drawing, from left to right or, turned, upwards."""

    look: str
    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    upwards: bool = False


Shape = Bar | Stroke | Dot | Letters


@dataclass(frozen=True, slots=True)
class Drawing:
    """All shapes, from the back to the front, and what the whole says in words."""

    size: Size
    title: str
    words: str
    shapes: tuple[Shape, ...]
