"""A board and its lines, as pages and exports want them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from leaderboard.contract import Message
from leaderboard.services.board_lines import Kind
from leaderboard.services.references import Published
from leaderboard.services.standings import Values
from leaderboard.services.sureness import Known, Sureness
from leaderboard.store import models

Stage = Literal["in time", "post-evaluation"]
"""Of a phase there is the ranking of the runs that came in time, and where others came later, one that ranks
these too."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a board. Fields of the run are None on a line of an overall ranking, which is about a team;
    `runs` then names its counted run of each track. `team` is the name that the public reads. A `withdrawn`
    run, which stands on a ranking of before, has no page for everybody any more."""

    position: int
    place: int | None
    team: str
    run_id: int | None
    run_name: str | None
    file_hash: str | None
    submitted_at: datetime | None
    late: bool
    disqualified: bool
    kind: str
    value: float | None
    values: Values
    places: Mapping[str, int]
    runs: Mapping[str, int]
    reason: Message | None
    team_id: int = 0
    sureness: Sureness | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """A ranking as it stood at `computed_at`; `track` None means overall.

    `gold_version` is the number of the track's gold version, `versions` those of all tracks whose values
    stand on it. `lines` counts all lines, of which `rows` may be a part; `kinds` says how
    many there are of each kind that may be left out, left out or not. `revision` grows with each change.
    `lettered` says whether groups of lines that cannot be told apart are letters; None: there are none (yet).
    """

    task: str
    phase: str
    track: str | None
    split: str
    gold_version: int | None
    versions: Mapping[str, int]
    scorer_version: str
    computed_at: datetime
    revision: int
    lines: int
    rows: tuple[Row, ...]
    references: tuple[Published, ...]
    stage: Stage = "in time"
    lettered: bool | None = None
    kinds: Mapping[Kind, int] = field(default_factory=dict)


def row_of(standing: models.Standing, team: str, run: models.Run | None, known_of: Known) -> Row:
    """A stored line, its team called so, with what is known of how sure its value is."""
    return Row(
        position=standing.position,
        place=standing.place,
        team=team,
        run_id=standing.run_id,
        run_name=run.name if run else None,
        file_hash=run.file_hash if run else None,
        submitted_at=run.submitted_at if run else None,
        late=run is not None and run.late,
        disqualified=run is not None and run.disqualified_at is not None,
        kind=standing.kind,
        value=standing.value,
        values=standing.values,
        places=standing.places,
        runs=standing.runs,
        reason=standing.reason,
        team_id=standing.team_id,
        sureness=known_of.about(standing.run_id, standing.value),
        withdrawn=run is not None and run.withdrawn_at is not None,
    )
