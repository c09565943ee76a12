"""Times as people in different places read them, and how long it is until then."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from flask import Flask
from flask_babel import format_datetime, format_timedelta

AOE = timezone(timedelta(hours=-12))
"""Anywhere on Earth: a deadline has passed there once it has passed everywhere."""


def init_times(app: Flask) -> None:
    """Gives the filters to the templates."""
    app.add_template_filter(aoe)
    app.add_template_filter(span)


def aoe(value: datetime) -> str:
    """A time to the minute, anywhere on Earth."""
    there = value.astimezone(AOE).replace(tzinfo=None)
    return f"{format_datetime(there, 'd MMM y, HH:mm', rebase=False)} AoE"


def span(value: timedelta) -> str:
    """A span of time in its largest unit."""
    said: str = format_timedelta(value, granularity="minute", threshold=1.5)
    return said
