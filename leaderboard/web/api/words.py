"""Messages in a JSON document: the reader's language, and no mark-up."""

from __future__ import annotations

from flask_babel import gettext, ngettext

from leaderboard.contract import Message


def later(words: str) -> str:
    """Marks words for translation that stand in a table; whoever shows them translates them."""
    return words


def said(message: Message) -> str:
    """A message as plain text."""
    if message.plural is not None and message.count is not None:
        template = ngettext(message.template, message.plural, message.count)
    else:
        template = gettext(message.template)
    fillings = {
        name: said(value) if isinstance(value, Message) else value for name, value in message.values.items()
    }
    return str(template).format(**fillings)
