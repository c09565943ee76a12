"""How a variable of the environment is read that may hold anything."""

from __future__ import annotations

import re
from collections.abc import Mapping

_RATE = re.compile(r"[1-9][0-9]{0,8} per ([1-9][0-9]{0,3} )?(second|minute|hour|day)s?")


class BadSetting(Exception):
    """A variable holds what it cannot; the text names it."""


def whole_number(environment: Mapping[str, str], name: str, default: int) -> int:
    """A number from 1 on. Raises BadSetting."""
    given = environment.get(name) or str(default)
    if not (given.isascii() and given.isdecimal()) or not 0 < int(given) < 1_000_000:
        raise BadSetting(f"{name} is {given!r}; it is a whole number from 1 on")
    return int(given)


def rate(environment: Mapping[str, str], name: str, default: str) -> str:
    """So many in a time. Raises BadSetting."""
    text = environment.get(name) or default
    if not _RATE.fullmatch(text):
        raise BadSetting(f"{name} is {text!r}; it is written as 300 per minute, or 10 per 15 minutes")
    return text


def address(environment: Mapping[str, str], name: str, *kinds: str) -> str:
    """The address of a server of one of these kinds, which may have passwords in it; empty where none is
    set. Raises BadSetting."""
    given = environment.get(name, "")
    kind, sign, _ = given.partition("://")
    if given and (not sign or kind.partition("+")[0] not in kinds):
        raise BadSetting(f"{name} cannot be used; it begins with {', '.join(f'{each}://' for each in kinds)}")
    return given


def database_address(environment: Mapping[str, str], name: str) -> str:
    """That of a database. PostgreSQL is spoken to by psycopg, however the address is written. Raises
    BadSetting."""
    given = address(environment, name, "sqlite", "postgresql", "postgres")
    kind, _, place = given.partition("://")
    return f"postgresql+psycopg://{place}" if kind in ("postgresql", "postgres") else given
