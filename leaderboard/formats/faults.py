"""Collecting every fault of a file in one pass, keeping the first fifty."""

from __future__ import annotations

from leaderboard.contract import MAX_FAULTS, Fault, Message, say_count


class Refused(Exception):
    """The file as a whole cannot be read; `faults` say why."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


def refuse(message: Message, kind: str, line: int | None = None, column: int | None = None) -> Refused:
    """A refusal with one fault, to be raised."""
    return Refused(Fault(line, column, message, kind))


class FaultList:
    """The faults found so far: the first fifty whole, all of them counted."""

    def __init__(self) -> None:
        self.first: list[Fault] = []
        self.count = 0

    def add(self, line: int | None, column: int | None, message: Message, kind: str) -> None:
        self.count += 1
        if len(self.first) < MAX_FAULTS:
            self.first.append(Fault(line, column, message, kind))

    def all_told(self) -> tuple[Fault, ...]:
        """The first fifty, and where there are more one that says how many: for a FormatError."""
        rest = self.count - len(self.first)
        if not rest:
            return tuple(self.first)
        message = say_count("And {count} more fault.", "And {count} more faults.", rest)
        return (*self.first, Fault(None, None, message, "more"))
