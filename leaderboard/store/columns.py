"""Column types: times in UTC, messages kept apart from their language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from leaderboard.contract import Message


class UtcTime(TypeDecorator[datetime]):
    """A moment, aware and in UTC on both sides. A time without a zone is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} names no time zone")
        moment = value.astimezone(UTC)
        # SQLite keeps text without a zone; written in UTC, it sorts as the times do.
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - given by SQLAlchemy
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class OneMessage(TypeDecorator[Message]):
    """A sentence with its values, so that it can be translated when it is read."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Message | None, dialect: Dialect) -> dict[str, Any] | None:  # noqa: ARG002 - given by SQLAlchemy
        return None if value is None else message_as_json(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Message | None:  # noqa: ARG002 - given by SQLAlchemy
        return None if value is None else message_from_json(value)


class Messages(TypeDecorator[tuple[Message, ...]]):
    """Several sentences, in order."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(
        self,
        value: Sequence[Message] | None,
        dialect: Dialect,  # noqa: ARG002 - given by SQLAlchemy
    ) -> list[dict[str, Any]]:
        return [message_as_json(message) for message in value or ()]

    def process_result_value(self, value: Any | None, dialect: Dialect) -> tuple[Message, ...]:  # noqa: ARG002 - given by SQLAlchemy
        return tuple(message_from_json(item) for item in value or ())


def message_as_json(message: Message) -> dict[str, Any]:
    """The parts of a message as JSON knows them; whatever else a value is becomes its text."""
    parts: dict[str, Any] = {
        "template": message.template,
        "values": {name: _plain(value) for name, value in message.values.items()},
    }
    if message.plural is not None:
        parts |= {"plural": message.plural, "count": message.count}
    return parts


def message_from_json(parts: Mapping[str, Any]) -> Message:
    """The inverse of `message_as_json`."""
    values = {name: _told(value) for name, value in parts.get("values", {}).items()}
    return Message(parts["template"], values, parts.get("plural"), parts.get("count"))


def _plain(value: object) -> Any:
    if isinstance(value, Message):
        return {"message": message_as_json(value)}
    if value is None or isinstance(value, (str, bool)):
        return value
    # numpy's numbers have item(), which gives Python's.
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, int):
        return number
    if isinstance(number, float) and number - number == 0.0:
        return number
    return str(number)


def _told(value: Any) -> object:
    return message_from_json(value["message"]) if isinstance(value, dict) else value
