"""Messages in a person's language where no page is being made: in letters that background work writes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from babel.support import NullTranslations, Translations

from leaderboard.contract import Message

FOLDER = Path(__file__).resolve().parent.parent / "translations"

Telling = Callable[[Message], str]
"""Puts a message into words."""


def in_language(code: str) -> Telling:
    """How messages are told in a language, in English where that has no catalogue."""
    catalogue = _catalogue(code)

    def told(message: Message) -> str:
        if message.plural is not None and message.count is not None:
            template = catalogue.ungettext(message.template, message.plural, message.count)
        else:
            template = catalogue.ugettext(message.template)
        values = message.values.items()
        return str(template).format(
            **{name: told(value) if isinstance(value, Message) else value for name, value in values}
        )

    return told


@lru_cache
def _catalogue(code: str) -> NullTranslations:
    return Translations.load(str(FOLDER), [code])
