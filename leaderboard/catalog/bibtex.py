"""Checks BibTeX: what a task gives to be cited is copied into other people's papers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leaderboard.contract import Message, say

_ENTRY = re.compile(r"@\s*(\w+)\s*\{\s*([^\s,{}]+)\s*,")
_FIELD = re.compile(r"(\w+)\s*=\s*(?=[{\"\d])")
NEEDED = ("author", "title", "year")


def problems(text: str) -> Iterator[Message]:
    """What is wrong with BibTeX entries: their form, their keys, the fields that each needs."""
    keys: set[str] = set()
    rest = text.strip()
    while rest:
        entry = _ENTRY.match(rest)
        if entry is None:
            yield say('"{start}" begins no entry; write @article{{key, …}}.', start=rest[:40])
            return
        end = _closing(rest)
        if end is None:
            yield say("the entry {name} has a brace that is not closed.", name=entry.group(2))
            return
        name = entry.group(2)
        if name in keys:
            yield say("there are two entries {name}; give each a key of its own.", name=name)
        keys.add(name)
        yield from _lacking(name, rest[entry.end() : end])
        rest = rest[end + 1 :].strip()


def _closing(text: str) -> int | None:
    """Where the first brace of the text is closed."""
    depth = 0
    for place, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return place
    return None


def _lacking(name: str, body: str) -> Iterator[Message]:
    given = set()
    depth = 0
    for place, character in enumerate(body):
        depth += (character == "{") - (character == "}")
        field = _FIELD.match(body, place) if depth == 0 else None
        if field is not None and not body[:place].rstrip()[-1:].isalnum():
            given.add(field.group(1).lower())
    for needed in NEEDED:
        if needed not in given:
            yield say("the entry {name} has no {field}; add it.", name=name, field=needed)
