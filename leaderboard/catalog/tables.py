"""Typed values out of TOML tables, collecting every problem with the key it belongs to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from leaderboard.contract import Message, Text, say

LANGUAGES = ("en", "ru")


class CatalogError(Exception):
    """A task cannot be used. `place` is the file or name meant, `problems` say what is wrong with it."""

    def __init__(self, place: Path | str, *problems: Message) -> None:
        self.place = place
        self.problems = problems
        super().__init__("\n".join(f"{place}: {problem}" for problem in problems))


class UnknownTask(CatalogError):
    """No task has the name asked for."""


class Table:
    """One TOML table being read; `where` is its key as the file writes it, '' for the whole file.

    Every method returns a value of its type even where the file has a bad one or none, and then adds to
    `problems`, so that one pass finds them all. No value may be used once there are problems.
    """

    def __init__(self, content: Mapping[str, Any], where: str, problems: list[Message]) -> None:
        self.content = content
        self.where = where
        self.problems = problems
        self._asked: list[str] = []

    def key(self, key: str) -> str:
        """The key's full name, for messages."""
        return f"{self.where}.{key}" if self.where else key

    def text(self, key: str) -> str:
        """A string that is not blank."""
        self._need(key)
        return self.text_or(key, "")

    def text_or(self, key: str, default: str) -> str:
        """A string that is not blank, or the default where the key is left out."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value.strip():
            self._wrong(say("{key} is {value}; write a text in quotes."), key, value)
            return default
        return value

    def one_of(self, key: str, allowed: Sequence[str], default: str) -> str:
        """One of the allowed words, or the default where the key is left out."""
        return self.one_of_or_none(key, allowed) or default

    def one_of_or_none(self, key: str, allowed: Sequence[str]) -> str | None:
        """One of the allowed words, None where the key is left out."""
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, str) and value in allowed:
            return value
        words = ", ".join(f'"{word}"' for word in allowed)
        self._wrong(say("{key} is {value}; what may stand here is {words}.", words=words), key, value)
        return None

    def number(self, key: str, default: float) -> float:
        """A finite number, or the default where the key is left out."""
        value = self.number_or_none(key)
        return default if value is None else value

    def number_or_none(self, key: str) -> float | None:
        """A finite number, None where the key is left out."""
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self._wrong(say("{key} is {value}; write a number without quotes."), key, value)
            return None
        return float(value)

    def whole_or_none(self, key: str, least: int, most: int) -> int | None:
        """A whole number within bounds, None where the key is left out."""
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            message = say(
                "{key} is {value}; write a whole number from {least} to {most}.", least=least, most=most
            )
            self._wrong(message, key, value)
            return None
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """A list of at least one string."""
        self._need(key)
        words = self.words_or(key, ())
        if key in self.content and self.content[key] == []:
            self._wrong(say("{key} is empty; name at least one."), key, [])
        return words

    def words_or(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """A list of strings, or the default where the key is left out."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, list) or not all(isinstance(word, str) and word for word in value):
            self._wrong(say('{key} is {value}; write a list of texts, like ["one", "two"].'), key, value)
            return default
        return tuple(value)

    def moment_or_none(self, key: str) -> datetime | None:
        """A time in UTC, None where the key is left out. Without its zone a time is a problem."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, datetime) or value.tzinfo is None:
            message = say(
                "{key} is {value}; write date, time and zone without quotes, like 2026-05-01T12:00:00Z."
            )
            self._wrong(message, key, value)
            return None
        return value.astimezone(UTC)

    def localised(self, key: str) -> Text:
        """A text in the languages of the site, of which English must be there."""
        self._need(key)
        value = self._take(key)
        if value is None:
            return Text({"en": ""})
        if not isinstance(value, dict):
            self._wrong(say('{key} is {value}; write it for each language, like {key}.en = "…".'), key, value)
            return Text({"en": ""})
        texts = Table(value, self.key(key), self.problems)
        found = {
            "en": texts.text("en"),
            **{code: texts.text_or(code, "") for code in LANGUAGES if code != "en"},
        }
        texts.close()
        return Text({code: text for code, text in found.items() if text or code == "en"})

    def free_table(self, key: str) -> Mapping[str, Any]:
        """A table whose keys are the scorer's business."""
        value = self._take(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self._wrong(say("{key} is {value}; write [{key}] and its lines below."), key, value)
            return {}
        return value

    def table_or_none(self, key: str) -> Table | None:
        """A table of its own, None where the key is left out."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            self._wrong(say("{key} is {value}; write [{key}] and its lines below."), key, value)
            return None
        return Table(value, self.key(key), self.problems)

    def tables(self, key: str) -> list[Table]:
        """A list of tables, called by their number in messages."""
        value = self._take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
            self._wrong(say("{key} is {value}; write [[{key}]] above the lines of each."), key, value)
            return []
        return [Table(part, f"{key}[{number}]", self.problems) for number, part in enumerate(value, start=1)]

    def close(self) -> None:
        """Complains about every key that nobody asked for."""
        for key in self.content:
            if key in self._asked:
                continue
            near = get_close_matches(key, self._asked, 1)
            if near:
                self.problems.append(
                    say("{key} is not known; did you mean {near}?", key=self.key(key), near=near[0])
                )
                continue
            known = ", ".join(sorted(self._asked))
            self.problems.append(
                say("{key} is not known; what may stand here is {known}.", key=self.key(key), known=known)
            )

    def _take(self, key: str) -> Any:
        if key not in self._asked:
            self._asked.append(key)
        return self.content.get(key)

    def _need(self, key: str) -> None:
        if self._take(key) is None:
            self.problems.append(say("{key} is missing; add it.", key=self.key(key)))

    def _wrong(self, message: Message, key: str, value: object) -> None:
        values = {"key": self.key(key), "value": _written(value), **message.values}
        self.problems.append(Message(message.template, values))


def _written(value: object) -> str:
    """A value much as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return f'"{value}"' if isinstance(value, str) else str(value)
