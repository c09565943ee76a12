"""The public and the private part of a phase's gold: which unit belongs to which, and the gold of a part.

A unit gets its part when a run of the phase is first scored by gold that has it, and keeps it: what was shown
once must not decide later. The parts are as secret as the gold; nothing of them leaves the server.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from leaderboard.contract import Gold, Scorer, TaskSpec
from leaderboard.services import gold
from leaderboard.services.parting import How, Parted, Units, divided
from leaderboard.services.splits import split_of
from leaderboard.store.files import Files
from leaderboard.store.models import Phase, PhaseParts


def how(session: Session, phase: Phase) -> How | None:
    """How a phase parts its gold; None where it does not."""
    split = split_of(phase)
    if split is None:
        return None
    row = session.get(PhaseParts, phase.id, populate_existing=True)
    return How(split, {} if row is None else row.units)


def parted(
    files: Files, spec: TaskSpec, scorer: Scorer, versions: tuple[gold.Version, ...], how: How
) -> Parted:
    """The gold of these versions in two. Raises CannotPart, GoldStayedBehind."""
    return divided(gold.read(files, spec, scorer, versions), spec, scorer, versions, how)


def shown(
    files: Files, spec: TaskSpec, scorer: Scorer, versions: tuple[gold.Version, ...], how: How | None
) -> Gold:
    """The gold that what is shown of a phase may be made from: its public part, or all where it has none.

    Raises CannotPart, GoldStayedBehind.
    """
    if how is None:
        return gold.read(files, spec, scorer, versions)
    return parted(files, spec, scorer, versions, how).public


def keep(session: Session, phase_id: int, units: Units) -> bool:
    """Writes the parts of units down; False, writing nothing, where one has got another part meanwhile."""
    row = session.get(PhaseParts, phase_id, populate_existing=True)
    if row is None:
        session.add(PhaseParts(phase_id=phase_id, units=dict(units)))
        session.flush()
        return True
    if any(row.units.get(unit, part) != part for unit, part in units.items()):
        return False
    if not units.keys() <= row.units.keys():
        row.units = {**row.units, **units}
        session.flush()
    return True
