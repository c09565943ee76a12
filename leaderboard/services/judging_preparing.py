"""What organisers give a campaign before it is opened: pool, texts, pairs of words; each noted in the log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.formats.words import read_words
from leaderboard.services import audit, judging_material, judging_pools
from leaderboard.services.audit import Actor, Change
from leaderboard.services.judging import found
from leaderboard.services.judging_material import Imported
from leaderboard.services.judging_plans import CampaignRefused
from leaderboard.store.files import Files

PoolSource = Literal["grades", "runs"]

DEEPEST = 1000
"""So many items of each run are pooled at most."""


@dataclass(frozen=True, slots=True)
class PoolWanted:
    """Where candidates are taken from: the best grades of a track, or what its placed runs have among their
    first `depth` without a grade, in a phase."""

    source: PoolSource
    track: str
    depth: int = 10
    phase: str = ""


def take_pool(
    session: Session,
    files: Files,
    spec: TaskSpec,
    number: int,
    wanted: PoolWanted,
    actor: Actor,
    now: datetime,
) -> int:
    """Makes the pool, in place of any before; returns how many candidates there are.

    Raises CampaignRefused, NotNow, FormatError, NoBoard, UnknownCampaign.
    """
    after: dict[str, Any] = {"pool from": wanted.source, "track": wanted.track}
    if wanted.source == "grades":
        count = judging_pools.pool_from_gold(session, files, spec, number, wanted.track)
    else:
        if not 1 <= wanted.depth <= DEEPEST:
            raise CampaignRefused(say("The depth of a pool is a number from 1 to {most}.", most=DEEPEST))
        after["depth"] = wanted.depth
        count = judging_pools.pool_from_runs(
            session, files, spec, number, wanted.track, wanted.depth, wanted.phase
        )
    _note(session, spec, number, "campaign.pooled", after | {"candidates": count}, actor, now)
    return count


def take_texts(
    session: Session, spec: TaskSpec, number: int, path: Path, actor: Actor, now: datetime
) -> Imported:
    """Gives the candidates their texts. Raises FormatError, NotNow, UnknownCampaign."""
    made = judging_material.import_texts(session, spec, number, path)
    after = {"texts": made.stored, "candidates without a text": made.lacking}
    _note(session, spec, number, "campaign.texts_imported", after, actor, now)
    return made


def take_texts_as_pool(
    session: Session,
    files: Files,
    spec: TaskSpec,
    number: int,
    path: Path,
    graded_track: str | None,
    actor: Actor,
    now: datetime,
) -> int:
    """Makes every text of a file a candidate; returns how many there are. Raises what
    `judging_material.pool_from_texts` does."""
    count = judging_material.pool_from_texts(session, files, spec, number, path, graded_track)
    after = {"pool from": "texts", "track": graded_track, "candidates": count}
    _note(session, spec, number, "campaign.pooled", after, actor, now)
    return count


def leave_out(session: Session, spec: TaskSpec, number: int, actor: Actor, now: datetime) -> int:
    """Takes the candidates without a text out; returns how many went. Raises NotNow, UnknownCampaign."""
    gone = judging_material.drop_without_text(session, spec, number)
    _note(session, spec, number, "campaign.left_out", {"candidates": gone}, actor, now)
    return gone


def take_words(
    session: Session,
    spec: TaskSpec,
    number: int,
    path: Path,
    actor: Actor,
    now: datetime,
    *,
    positives: bool = False,
) -> int:
    """Adds the pairs of words of a file; returns how many are new. As `positives` they are related pairs,
    kept for balance and judged by nobody. Raises CampaignRefused, FormatError, NotNow, UnknownCampaign."""
    row = found(session, spec, number)
    if positives and row.kind != "negative":
        raise CampaignRefused(say("Related pairs belong into a campaign that confirms unrelated ones."))
    label = int(positives) if row.kind == "negative" else None
    count = judging_material.add_words(session, spec, number, read_words(path), label)
    after = {"pairs": count, "positives": positives}
    _note(session, spec, number, "campaign.words_added", after, actor, now)
    return count


def _note(
    session: Session,
    spec: TaskSpec,
    number: int,
    action: str,
    after: dict[str, Any],
    actor: Actor,
    now: datetime,
) -> None:
    row = found(session, spec, number)
    change = Change(action, "campaign", row.id, row.title, {}, after)
    audit.record(session, actor, row.task_id, change, now)
