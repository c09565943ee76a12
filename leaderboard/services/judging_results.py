"""What became of a campaign: preferences and levels, grades, ratings, unrelated pairs; a draft of gold."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median_low

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.formats.preferences import write_preferences
from leaderboard.formats.qrels import write_qrels
from leaderboard.judging.crowd import CrowdSettings
from leaderboard.judging.levels import GradesTooHigh, combined
from leaderboard.judging.preferences import Preference
from leaderboard.services import drafts, judging_quality
from leaderboard.services.audit import Actor
from leaderboard.services.judging import found
from leaderboard.services.judging_files import combine, write_combined
from leaderboard.services.judging_plans import CampaignRefused, NotNow
from leaderboard.services.judging_pools import active_gold
from leaderboard.services.judging_word_files import as_text, counting, negatives_files, ratings_file
from leaderboard.services.queue import Deliver
from leaderboard.store.files import Files
from leaderboard.store.models import (
    Campaign,
    JudgingTopic,
    JudgingUnit,
    Judgment,
)

MAIN = {
    "preference": "combined.qrels",
    "grade": "graded.qrels",
    "relatedness": "ratings.csv",
    "negative": "pairs.csv",
}
"""The file of each kind of campaign that becomes gold if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Results:
    """The files of a campaign by name, those that may become gold in `gold`, and the topics that are not
    done: these have no levels, and units that lack judgments count with what they have. `dropped` says for
    each reason how many pairs of words were left out. `hidden` files hold grades of the gold that the
    campaign started from, and go to nobody."""

    files: Mapping[str, bytes]
    gold: tuple[str, ...]
    unfinished: tuple[str, ...]
    dropped: Mapping[str, int]
    hidden: tuple[str, ...] = ()

    @property
    def open_files(self) -> Mapping[str, bytes]:
        """What organisers may take with them."""
        return {name: content for name, content in self.files.items() if name not in self.hidden}


def results(session: Session, files: Files, spec: TaskSpec, number: int) -> Results:
    """What the judgments given so far amount to. Tests and work that was set aside are in none of it.

    Preferences: ``judgments.pref``, ``combined.qrels`` (levels above the grades the campaign started from),
    ``levels.qrels`` and ``best.qrels`` (the best answers, ties too). Grades: ``graded.qrels``, the median (of
    two in the middle the lower) in place of earlier grades, and ``judged.qrels``, without these. Ratings:
    ``ratings.csv``, means in [0, 1]. Unrelated pairs: ``pairs.csv``, balanced, and ``dropped.csv``. Raises
    CampaignRefused and UnknownCampaign.
    """
    row = found(session, spec, number)
    unfinished = tuple(
        session.scalars(
            select(JudgingTopic.name)
            .where(JudgingTopic.campaign_id == row.id, JudgingTopic.done_at.is_(None))
            .order_by(JudgingTopic.position)
        )
    )
    hidden = () if row.gold_version_id is None else (MAIN[row.kind],)
    if row.kind == "preference":
        made = _of_preferences(session, files, spec, row)
        return Results(made, ("combined.qrels", "levels.qrels", "best.qrels"), unfinished, {}, hidden)
    if row.kind == "grade":
        return Results(_of_grades(session, files, row), ("graded.qrels",), unfinished, {}, hidden)
    if row.kind == "relatedness":
        return Results({"ratings.csv": ratings_file(session, row)}, ("ratings.csv",), unfinished, {})
    made, dropped = negatives_files(session, row)
    return Results(made, ("pairs.csv",), unfinished, dropped)


def draft(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    number: int,
    note: str,
    actor: Actor,
    now: datetime,
    *,
    file: str | None = None,
    deliver: Deliver | None = None,
) -> drafts.Made:
    """A draft of gold from a campaign's result, for its track and all that share its gold file, and the job
    that scores it. `file` is one of `Results.gold`, the main one if not given.

    Raises NotNow for a campaign without a track or without a judgment; CampaignRefused, UnknownCampaign, and
    what `drafts.make` raises.
    """
    row = found(session, spec, number)
    if row.track is None:
        raise NotNow(say("This campaign belongs to no track, so that its result is no gold."))
    given = select(Judgment.id).where(Judgment.campaign_id == row.id, Judgment.state == "given").limit(1)
    if session.scalars(given).first() is None:
        raise NotNow(say("Nothing has been judged yet."))
    made = results(session, files, spec, number)
    name = file or MAIN[row.kind]
    if name not in made.gold:
        raise CampaignRefused(
            say("This campaign makes no {file}; it makes {files}.", file=name, files=", ".join(made.gold))
        )
    return _draft(
        session,
        files,
        spec,
        scorer,
        row.track,
        made.files[name],
        note or _note(row),
        actor,
        now,
        deliver,
    )


def draft_from_preferences(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    track: str,
    graded_track: str,
    preferences: Path,
    settings: CrowdSettings,
    note: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> drafts.Made:
    """A draft of gold from a file of preferences judged elsewhere, above the grades of a graded track, as
    `judging_files.combine` makes it.

    Raises CampaignRefused where the graded track has no gold, NotCombinable, FormatError, and what
    `drafts.make` raises.
    """
    version = active_gold(session, spec, graded_track)
    made = combine(preferences, files.gold.path(version.file_hash), settings)
    content = as_text(lambda out: write_combined(made, out))
    return _draft(session, files, spec, scorer, track, content, note or preferences.name, actor, now, deliver)


def _draft(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    track: str,
    content: bytes,
    note: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None,
) -> drafts.Made:
    target = spec.track(track).gold
    with tempfile.TemporaryDirectory(prefix="leaderboard-") as folder:
        path = Path(folder) / target
        path.write_bytes(content)
        paths = {track.name: path for track in spec.tracks if track.gold == target}
        return drafts.make(session, files, spec, scorer, paths, "judging", note, actor, now, deliver)


def _note(row: Campaign) -> str:
    return f"{row.title} (campaign {row.number})"


def _of_preferences(session: Session, files: Files, spec: TaskSpec, row: Campaign) -> dict[str, bytes]:
    levels = judging_quality.levels(session, spec, row.number)
    base = judging_quality.grades(session, files, row)
    try:
        values = {topic: combined(base.get(topic, {}), levels.get(topic, {})) for topic in {**base, **levels}}
    except GradesTooHigh as error:
        raise CampaignRefused(
            say(
                "The gold that this campaign started from has a value of {grade}, but grades have to be "
                "below 10, the lowest level.",
                grade=f"{error.grade:g}",
            )
        ) from None
    best = {
        topic: dict.fromkeys((docno for docno, level in of.items() if level == max(of.values())), 1.0)
        for topic, of in levels.items()
    }
    return {
        "judgments.pref": as_text(lambda out: write_preferences(_preferences(session, row), out)),
        "combined.qrels": as_text(lambda out: write_qrels(values, out)),
        "levels.qrels": as_text(lambda out: write_qrels(levels, out)),
        "best.qrels": as_text(lambda out: write_qrels(best, out)),
    }


def _preferences(session: Session, row: Campaign) -> list[Preference]:
    rows = session.execute(
        select(JudgingTopic.name, JudgingUnit.first, JudgingUnit.second, Judgment.choice)
        .join(JudgingUnit, JudgingUnit.topic_id == JudgingTopic.id)
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(*counting(row))
        .order_by(JudgingTopic.position, JudgingUnit.first, JudgingUnit.second, Judgment.id)
    )
    return [Preference(topic, first, second, choice or "") for topic, first, second, choice in rows]


def _of_grades(session: Session, files: Files, row: Campaign) -> dict[str, bytes]:
    given: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    rows = session.execute(
        select(JudgingTopic.name, JudgingUnit.first, Judgment.choice)
        .join(JudgingUnit, JudgingUnit.topic_id == JudgingTopic.id)
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(*counting(row))
        .order_by(JudgingTopic.position, JudgingUnit.first)
    )
    for topic, docno, choice in rows:
        given[topic, docno].append(int(choice or 0))
    values = {topic: dict(of) for topic, of in judging_quality.grades(session, files, row).items()}
    judged: dict[str, dict[str, float]] = {}
    for (topic, docno), grades in given.items():
        judged.setdefault(topic, {})[docno] = float(median_low(grades))
    for topic, of_topic in judged.items():
        values.setdefault(topic, {}).update(of_topic)
    return {
        "graded.qrels": as_text(lambda out: write_qrels(values, out)),
        "judged.qrels": as_text(lambda out: write_qrels(judged, out)),
    }
