"""What a table of standings holds: its lines, and what they were made from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from leaderboard.contract import Message
from leaderboard.rules import Kind
from leaderboard.store.columns import message_as_json
from leaderboard.store.models import WHOLE

Values = Mapping[str, Mapping[str, float | None]]
"""Track to measure to value, None where undefined."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a table: a run, or in an overall table a team (`run_id` None; `runs` by track)."""

    place: int | None
    team_id: int
    run_id: int | None
    value: float | None
    values: Values
    places: Mapping[str, int]
    reason: Message | None = None
    kind: Kind = "ordinary"
    runs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The standings of one phase on one track (None: overall), best first.

    `stage` says whether late runs take places, or that it is final; `split` on which part of the gold the
    values are. `versions` names, by track, the number of the gold version
    that the values were made with; `settled`: every run of the phase has been scored on those.
    """

    phase_id: int
    stage: str
    track: str | None
    gold_version_id: int | None
    scorer_version: str
    versions: Mapping[str, int]
    lines: tuple[Line, ...]
    settled: bool
    split: str = WHOLE

    @property
    def fingerprint(self) -> str:
        """Changes whenever anything in the table does."""
        lines = [
            (
                line.place,
                line.team_id,
                line.run_id,
                line.value,
                line.values,
                line.places,
                line.reason and message_as_json(line.reason),
                line.kind,
                line.runs,
            )
            for line in self.lines
        ]
        text = json.dumps([self.scorer_version, self.versions, lines], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()
