"""Times that people type, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from wtforms import DateTimeLocalField
from wtforms.validators import Optional

_FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"]


class MomentField(DateTimeLocalField):
    """A moment in UTC, to the second, or nothing."""

    def __init__(self, label: Any, **options: Any) -> None:
        super().__init__(label, format=_FORMATS, validators=[Optional()], render_kw={"step": 1}, **options)

    def _value(self) -> str:
        if self.raw_data:
            return " ".join(self.raw_data)
        return "" if self.data is None else self.data.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")

    @property
    def moment(self) -> datetime | None:
        """What was typed; None where nothing was."""
        typed: datetime | None = self.data
        return typed.replace(tzinfo=UTC) if typed is not None and typed.tzinfo is None else typed

    def or_as_before(self, before: datetime | None) -> datetime | None:
        """What was typed; the moment of before where that is the one to the second."""
        now = self.moment
        same = before is not None and now is not None and now == before.replace(microsecond=0)
        return before if same else now
