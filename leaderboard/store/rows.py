"""Rows as JSON and back, the same on every database, for what is carried from one to another."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Float, Integer, LargeBinary, String, Table, text

from leaderboard.contract import Message
from leaderboard.store.columns import (
    Messages,
    OneMessage,
    UtcTime,
    message_as_json,
    message_from_json,
)


class BrokenRow(Exception):
    """A row that does not fit its table; the text says which and why."""


def count_on(connection: Connection, table: Table) -> None:
    """Has PostgreSQL count on behind the rows of a table that brought their own numbers; SQLite does so by
    itself."""
    if connection.dialect.name != "postgresql" or "id" not in table.c:
        return
    connection.execute(
        text(
            f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), "  # noqa: S608 - our own tables
            f'GREATEST((SELECT COALESCE(MAX(id), 1) FROM "{table.name}"), 1))'
        )
    )


def as_json(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """A row, by the names of its columns, plain enough for JSON: times are ISO 8601, bytes base64."""
    return {column.name: _written(column, row[column.name]) for column in table.columns if column.name in row}


def from_json(table: Table, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `as_json`. Columns that are not there get their default when the row is inserted.

    Raises BrokenRow for what no such table can hold.
    """
    unknown = sorted(set(parts) - {column.name for column in table.columns})
    if unknown:
        raise BrokenRow(f"{table.name} has no column {unknown[0]}")
    return {name: _read(table.columns[name], value) for name, value in parts.items()}


def _written(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, UtcTime):
        return value.isoformat()
    if isinstance(column.type, OneMessage):
        return message_as_json(value)
    if isinstance(column.type, Messages):
        return [message_as_json(message) for message in value]
    if isinstance(column.type, LargeBinary):
        return base64.b64encode(value).decode("ascii")
    return value


def _read(column: Column[Any], value: Any) -> Any:
    if value is None:
        if not column.nullable and not isinstance(column.type, Messages):
            raise BrokenRow(f"{column.table.name}.{column.name} is empty")
        return None
    try:
        return _told(column, value)
    except (AttributeError, KeyError, TypeError, ValueError, binascii.Error) as error:
        raise BrokenRow(f"{column.table.name}.{column.name} cannot be {str(value)[:60]!r}") from error


def _told(column: Column[Any], value: Any) -> Any:
    kind = column.type
    if isinstance(kind, UtcTime):
        return datetime.fromisoformat(value)
    if isinstance(kind, OneMessage):
        return _message(value)
    if isinstance(kind, Messages):
        return tuple(_message(each) for each in value)
    if isinstance(kind, LargeBinary):
        return base64.b64decode(value, validate=True)
    for types, allowed in _PLAIN:
        if isinstance(kind, types) and not (isinstance(value, allowed) and _fits(kind, value)):
            raise TypeError
    return value


_PLAIN: tuple[tuple[type, tuple[type, ...]], ...] = (
    (Boolean, (bool,)),
    (Integer, (int,)),
    (Float, (int, float)),
    (String, (str,)),
)


def _fits(kind: Any, value: Any) -> bool:
    return isinstance(kind, Boolean) or not isinstance(value, bool)


def _message(parts: Any) -> Message:
    if not isinstance(parts["template"], str):
        raise TypeError
    return message_from_json(parts)
