"""New numbers for rows that come from another installation, wherever rows name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table, select, text
from sqlalchemy.orm import Session

from leaderboard.contract import say
from leaderboard.services.archive_records import Row, with_runs
from leaderboard.services.errors import ServiceError
from leaderboard.store.models import Base
from leaderboard.store.rows import count_on


class BrokenRecord(ServiceError):
    """A record of the archive names what is not in it, or is no such record."""

    def __init__(self, why: object) -> None:
        super().__init__(
            say(
                "The records of this archive do not fit together ({why}); nothing was imported.", why=str(why)
            )
        )


class Numbers:
    """By table, the number that each row of the archive gets here: its own where all of them are free."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._new: dict[str, dict[int, int]] = {}

    def plan(self, table: Table, numbers: list[int]) -> None:
        """Finds numbers for the rows of a table. On PostgreSQL others wait to add rows to it from now on."""
        if len(set(numbers)) != len(numbers):
            raise BrokenRecord(f"{table.name} has a number twice")
        if self._session.get_bind().dialect.name == "postgresql":
            self._session.execute(text(f'LOCK TABLE "{table.name}" IN SHARE ROW EXCLUSIVE MODE'))
        taken = set(self._session.scalars(select(table.c.id)))
        highest, renumber = max(taken, default=0), not taken.isdisjoint(numbers)
        self._new[table.name] = {
            number: highest + place if renumber else number for place, number in enumerate(numbers, 1)
        }

    def fix(self, table: Table, numbers: Mapping[int, int]) -> None:
        """Rows that are here already, under these numbers."""
        self._new[table.name] = dict(numbers)

    def kept(self, table: Table) -> bool:
        """Whether the rows of a table keep their own numbers."""
        return all(old == new for old, new in self._new[table.name].items())

    def renumbered(self, table: Table, row: Row) -> Row:
        """The row with the numbers of here, also those inside its JSON. Raises BrokenRecord."""
        try:
            return self._inside(table.name, self._keys(table, row))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BrokenRecord(f"{table.name}: {error!r}") from error

    def _keys(self, table: Table, row: Row) -> Row:
        changed = dict(row)
        if table.name in self._new and "id" in row:
            changed["id"] = self._new[table.name][row["id"]]
        for column in table.columns:
            for key in column.foreign_keys:
                number = row.get(column.name)
                if number is not None:
                    changed[column.name] = self._new[key.column.table.name][number]
        return changed

    def _inside(self, table: str, row: Row) -> Row:
        runs, teams = self._new.get("run", {}), self._new.get("team", {})
        if table == "standing":
            return row | {"runs": {track: runs[run] for track, run in row["runs"].items()}}
        if table == "board" and row["settled"] is not None:
            return row | {"settled": _settled(row["settled"], runs, teams)}
        if table == "board_analysis":
            return row | {"lines": {str(runs[int(run)]): line for run, line in row["lines"].items()}}
        if table == "resource":
            return with_runs(row, lambda run: run | {"run_id": runs[run["run_id"]]})
        return row

    def settle(self) -> None:
        """Has PostgreSQL go on counting behind the rows that brought their own numbers."""
        for table in self._new:
            count_on(self._session.connection(), Base.metadata.tables[table])


def _settled(settled: Mapping[str, Any], runs: Mapping[int, int], teams: Mapping[int, int]) -> Row:
    """As `leaderboard.services.shifts.settled_as` has made it."""

    def counted(run: Any) -> Any:
        return {track: runs[one] for track, one in run.items()} if isinstance(run, dict) else runs[run]

    if "teams" not in settled:
        return dict(settled)
    found = {str(teams[int(team)]): [place, counted(run)] for team, (place, run) in settled["teams"].items()}
    return {**settled, "teams": found}
