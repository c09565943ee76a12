"""Messages, texts, times and numbers in the reader's language."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache

from babel.numbers import get_decimal_symbol
from flask import Flask
from flask_babel import format_datetime, format_decimal, get_locale, gettext, ngettext
from markupsafe import Markup, escape

from leaderboard.contract import Message, Text, TrackSpec
from leaderboard.web.preferences import language

MINUS = "\N{MINUS SIGN}"
MISSING = "\N{EN DASH}"
UNBOUNDED = "\N{INFINITY}"
LONGEST_SHORT = 8
"""A track's title that begins with a word of up to so many letters and a colon is called by that word."""


def init_filters(app: Flask) -> None:
    """Gives the filters to the templates."""
    for name, function in {
        "told": told,
        "text": text,
        "score": score,
        "count": format_decimal,
        "moment": moment,
        "day": day,
        "iso": iso,
        "size": size,
        "short": short,
        "rest": rest,
    }.items():
        app.add_template_filter(function, name)


def told(message: Message) -> Markup:
    """A message in the reader's language. What fills it is escaped and keeps its own direction; a Decimal is
    written as the language writes numbers, a float as files have it."""
    if message.plural is not None and message.count is not None:
        template = ngettext(message.template, message.plural, message.count)
    else:
        template = gettext(message.template)
    fillings = {name: _filling(name, value) for name, value in message.values.items()}
    return escape(template).format(**fillings)


def _filling(name: str, value: object) -> object:
    if isinstance(value, Message):
        return told(value)
    if isinstance(value, str):
        return Markup("<bdi>{}</bdi>").format(value)
    if isinstance(value, Decimal):
        return _in_digits(str(value))
    if name == "count" and isinstance(value, int):
        return format_decimal(value)
    return value


def text(texts: Text) -> str:
    """A text of a task in the reader's language, in English where there is no other."""
    return texts.for_language(language())


def score(value: float | None, digits: int = 4) -> str:
    """A value with so many decimals, as the reader's language writes them; one that is undefined (nan) as one
    that is missing."""
    if value is None or math.isnan(value):
        return MISSING
    if math.isinf(value):
        return UNBOUNDED if value > 0 else MINUS + UNBOUNDED
    written = f"{value:.{digits}f}"
    if not written.strip("-0."):
        written = written.lstrip("-")
    return _in_digits(written)


def _in_digits(written: str) -> str:
    return written.replace("-", MINUS).replace(".", _decimal_symbol(str(get_locale())))


@lru_cache
def _decimal_symbol(locale: str) -> str:
    return get_decimal_symbol(locale)


def moment(value: datetime) -> str:
    """A time to the minute, in UTC."""
    return f"{format_datetime(value, 'd MMM y, HH:mm')} UTC"


def day(value: datetime) -> str:
    """A date, in UTC."""
    written: str = format_datetime(value, "d MMM y")
    return written


def iso(value: datetime) -> str:
    """A time as machines read it."""
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def size(number: int) -> str:
    """A number of bytes as people say it."""
    if number < 1000:
        return str(ngettext("%(num)s byte", "%(num)s bytes", number))
    if number < 1_000_000:
        return str(gettext("%(number)s kB", number=format_decimal(round(number / 1000))))
    return str(gettext("%(number)s MB", number=format_decimal(round(number / 1_000_000, 1))))


def short(track: TrackSpec) -> str:
    """What stands above a track's column: what its title has before a colon, or its name."""
    head, colon, _ = text(track.title).partition(":")
    return head if colon and len(head) <= LONGEST_SHORT else track.name


def rest(track: TrackSpec) -> str:
    """The title of a track without what `short` says already."""
    head, colon, tail = text(track.title).partition(":")
    return tail.strip() if colon and head == short(track) else text(track.title)
