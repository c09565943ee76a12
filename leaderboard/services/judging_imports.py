"""Judgments that were made elsewhere, taken into a campaign; tests with known answers from a file."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from leaderboard.contract import FormatError, Message, TaskSpec, say
from leaderboard.formats.faults import FaultList
from leaderboard.services import audit, judging_procedures
from leaderboard.services.audit import Actor, Change
from leaderboard.services.judging import found, held, topics_of
from leaderboard.services.judging_given import Given, read_given
from leaderboard.services.judging_material import KnownAnswer, add_tests
from leaderboard.services.judging_plans import CampaignRefused, Kind, NotNow
from leaderboard.services.sign_ins import hashed
from leaderboard.store.models import (
    Campaign,
    Judge,
    JudgingImport,
    JudgingItem,
    JudgingTopic,
    JudgingUnit,
    Judgment,
)

_GRAVITY = ("unrelated", "doubtful", "related")
"""Of an annotator who marked a pair several times the gravest mark stands."""

Units = dict[tuple[str, str, str], JudgingUnit]


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: `judgments` were taken, `left_out` were not, as their judge had given that answer
    already or a tournament wants no more for that pair; `judges` is from how many people they are. `again`:
    this very file was taken before, and nothing has changed."""

    judgments: int
    left_out: int
    judges: int
    again: bool = False


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was taken."""

    name: str
    judgments: int
    left_out: int
    imported_at: datetime


def import_judgments(
    session: Session, spec: TaskSpec, number: int, path: Path, name: str, actor: Actor, now: datetime
) -> Imported:
    """Takes the judgments of a file (see `judging_given.read_given`) into a campaign that was opened; all of
    them or none. The same file is taken once.

    Each judge of the file becomes one of the campaign, known by name in later files too. A pair takes more
    judgments than the campaign asks for, but not in a tournament, which could not go on after a tie. Raises
    FormatError with every fault by line, NotNow, UnknownCampaign, OSError.
    """
    row = held(session, spec, number)
    if row.state not in ("open", "paused"):
        raise NotNow(say("Judgments are taken by a campaign that is open or paused."))
    file_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    before = session.scalars(
        select(JudgingImport).where(JudgingImport.campaign_id == row.id, JudgingImport.file_hash == file_hash)
    ).one_or_none()
    if before is not None:
        return Imported(before.judgments, before.left_out, 0, again=True)
    kind = cast(Kind, row.kind)
    given = _once_each(kind, name, read_given(kind, path, name))
    topics = topics_of(session, row)
    units = _units(session, row, topics, given, name)
    taken, left_out, touched = _take(session, row, given, units, now)
    for topic in topics.values():
        if topic.id in touched:
            judging_procedures.refresh(session, row, topic, now)
    session.add(
        JudgingImport(
            campaign_id=row.id,
            file_hash=file_hash,
            file_name=name,
            judgments=taken,
            left_out=left_out,
            imported_at=now,
            imported_by=actor.user_id,
        )
    )
    after = {"file": name, "judgments": taken, "left out": left_out}
    change = Change("campaign.judgments_imported", "campaign", row.id, row.title, {}, after)
    audit.record(session, actor, row.task_id, change, now)
    return Imported(taken, left_out, len({each.judge for each in given}))


def imports(session: Session, spec: TaskSpec, number: int) -> tuple[ImportedFile, ...]:
    """The files that a campaign has taken, the newest first. Raises UnknownCampaign."""
    statement = select(JudgingImport).where(JudgingImport.campaign_id == found(session, spec, number).id)
    return tuple(
        ImportedFile(row.file_name, row.judgments, row.left_out, row.imported_at)
        for row in session.scalars(statement.order_by(JudgingImport.id.desc()))
    )


def import_tests(
    session: Session, spec: TaskSpec, number: int, path: Path, name: str, actor: Actor, now: datetime
) -> int:
    """Takes each judgment of a file as a test whose answer is known; returns how many are new.

    Raises FormatError with every fault by line, UnknownCampaign, OSError.
    """
    row = held(session, spec, number)
    faults, added = FaultList(), 0
    for each in read_given(cast(Kind, row.kind), path, name):
        try:
            added += add_tests(
                session, spec, number, [KnownAnswer(each.topic, each.first, each.second, each.choice)]
            )
        except CampaignRefused as refused:
            faults.add(each.line, None, refused.message, "test")
    if faults.count:
        raise FormatError(name, faults.all_told())
    change = Change("campaign.tests_added", "campaign", row.id, row.title, {}, {"tests": added})
    audit.record(session, actor, row.task_id, change, now)
    return added


def _once_each(kind: Kind, name: str, given: Iterable[Given]) -> tuple[Given, ...]:
    """Each judge's answer on each unit once. Raises FormatError where a judge gave two ratings."""
    kept: dict[tuple[str, tuple[str, str, str]], Given] = {}
    faults = FaultList()
    for each in given:
        before = kept.setdefault((each.judge, each.unit), each)
        if before.choice == each.choice:
            continue
        if kind == "negative":
            kept[each.judge, each.unit] = max(before, each, key=lambda one: _GRAVITY.index(one.choice))
            continue
        message = say(
            "{judge} judged the same on line {line} otherwise. Please keep one of the two.",
            judge=each.judge,
            line=before.line,
        )
        faults.add(each.line, None, message, "two-answers")
    if faults.count:
        raise FormatError(name, faults.all_told())
    return tuple(kept.values())


def _units(
    session: Session, row: Campaign, topics: Mapping[str, JudgingTopic], given: Iterable[Given], name: str
) -> Units:
    """The unit of each judgment, made where a procedure has not asked for that pair yet."""
    names = {topic.id: topic.name for topic in topics.values()}
    rows = session.scalars(
        select(JudgingUnit).where(JudgingUnit.campaign_id == row.id, JudgingUnit.is_test.is_(False))
    )
    units: Units = {(names[unit.topic_id], unit.first, unit.second): unit for unit in rows}
    items = _items(session, names) if row.kind == "preference" else set()
    faults = FaultList()
    for each in given:
        if each.unit in units:
            continue
        lacking = _lacking(row, topics, items, each)
        if lacking is not None:
            faults.add(each.line, None, lacking, "not-judged-here")
            continue
        unit = JudgingUnit(
            campaign_id=row.id,
            topic_id=topics[each.topic].id,
            first=each.first,
            second=each.second,
            wanted=int(row.settings["redundancy"]),
            taken=0,
            given=0,
            needed=False,
        )
        session.add(unit)
        units[each.unit] = unit
    if faults.count:
        raise FormatError(name, faults.all_told())
    session.flush()
    return units


def _items(session: Session, names: Mapping[int, str]) -> set[tuple[str, str]]:
    rows = session.execute(
        select(JudgingItem.topic_id, JudgingItem.docno).where(JudgingItem.topic_id.in_(names))
    )
    return {(names[topic], docno) for topic, docno in rows}


def _lacking(
    row: Campaign, topics: Mapping[str, JudgingTopic], items: set[tuple[str, str]], each: Given
) -> Message | None:
    """What the campaign lacks of a judgment without a unit; None where one is to be made."""
    if row.kind in ("relatedness", "negative"):
        return say("{pair} is no pair of this campaign.", pair=f"{each.first}, {each.second}")
    if each.topic not in topics:
        return say("The campaign has no topic {topic}.", topic=each.topic)
    strange = [docno for docno in (each.first, each.second) if docno and (each.topic, docno) not in items]
    if strange:
        return say(
            "{docno} is no candidate of topic {topic} here.", docno=", ".join(strange), topic=each.topic
        )
    return None


def _take(
    session: Session, row: Campaign, given: Iterable[Given], units: Units, now: datetime
) -> tuple[int, int, set[int]]:
    """Records the judgments; returns how many were taken and left out, and the topics they are of."""
    judges = _judges(session, row, dict.fromkeys(each.judge for each in given), now)
    there = {
        (unit, judge)
        for unit, judge in session.execute(
            select(Judgment.unit_id, Judgment.judge_id).where(
                Judgment.campaign_id == row.id, Judgment.state.in_(("out", "given"))
            )
        )
    }
    limited = row.kind == "preference" and row.settings["procedure"] == "tournament"
    taken = left_out = 0
    touched = set()
    for each in given:
        unit, judge = units[each.unit], judges[each.judge]
        if (unit.id, judge.id) in there or judge.set_aside_at or (limited and unit.taken >= unit.wanted):
            left_out += 1
            continue
        unit.taken, unit.given = unit.taken + 1, unit.given + 1
        unit.wanted = max(unit.wanted, unit.taken)
        session.add(_judgment(row, unit, judge, each.choice, now))
        touched.add(unit.topic_id)
        taken += 1
    session.flush()
    return taken, left_out, touched


def _judgment(row: Campaign, unit: JudgingUnit, judge: Judge, choice: str, now: datetime) -> Judgment:
    return Judgment(
        campaign_id=row.id,
        unit_id=unit.id,
        judge_id=judge.id,
        state="given",
        shown_left="",
        choice=choice,
        handed_at=now,
        lease_until=now,
        decided_at=now,
    )


def _judges(session: Session, row: Campaign, names: Iterable[str], now: datetime) -> dict[str, Judge]:
    rows = session.scalars(select(Judge).where(Judge.campaign_id == row.id, Judge.name != ""))
    known = {judge.name: judge for judge in rows}
    last = session.scalar(select(func.max(Judge.number)).where(Judge.campaign_id == row.id)) or 0
    for name in names:
        if name in known:
            continue
        last += 1
        known[name] = Judge(
            campaign_id=row.id,
            number=last,
            name=name,
            # Nobody knows the word, so that nobody can go on as this judge.
            token_hash=hashed(secrets.token_urlsafe(24)),
            joined_at=now,
            consented_at=now,
        )
        session.add(known[name])
    session.flush()
    return known
