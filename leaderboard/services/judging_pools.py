"""Pools of a campaign: from the grades of a track's gold, or from the runs that have a place."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec, say
from leaderboard.formats.qrels import read_qrels
from leaderboard.judging.levels import preferred_items
from leaderboard.judging.pools import Pools, pool_of_runs, pools_of_grades
from leaderboard.services import boards, gold
from leaderboard.services.judging import preparing, topics_of
from leaderboard.services.judging_files import ranked_items
from leaderboard.services.judging_plans import CampaignRefused, read_settings
from leaderboard.store.files import Files
from leaderboard.store.models import Campaign, JudgingItem, JudgingTopic, JudgingUnit


def pool_from_gold(session: Session, files: Files, spec: TaskSpec, number: int, track: str) -> int:
    """Takes as candidates the best graded items of each topic of a track's gold, in place of any pool before;
    returns how many there are. A topic with a single candidate has nothing to compare and is left out.

    Raises CampaignRefused where the track has no gold, NotNow, FormatError, UnknownCampaign.
    """
    row = preparing(session, spec, number)
    version = active_gold(session, spec, track)
    grades = grades_to_start_from(files, row, version)
    pools = pools_of_grades(grades, read_settings(row.settings).k)
    row.gold_version_id = version.id
    return put_pools(session, row, pools, grades)


def pool_from_runs(
    session: Session,
    files: Files,
    spec: TaskSpec,
    number: int,
    track: str,
    depth: int,
    phase: str,
) -> int:
    """Takes as candidates what the placed runs of a track have among their first `depth` items and its gold
    does not grade, in place of any pool before; returns how many there are.

    Only topics of the gold are pooled. Raises CampaignRefused where the track has no gold, levels in place
    of grades, or no placed run, NotNow, FormatError, NoBoard, UnknownCampaign.
    """
    row = preparing(session, spec, number)
    version = active_gold(session, spec, track)
    grades = grades_to_start_from(files, row, version)
    lines = boards.board(session, spec, track, phase).rows
    hashes = [line.file_hash for line in lines if line.place is not None and line.file_hash]
    if not hashes:
        raise CampaignRefused(
            say("No run of {track} has a place yet, so there is nothing to pool.", track=track)
        )
    rankings = [ranked_items(files.kept.path(file_hash)) for file_hash in hashes]
    row.gold_version_id = version.id
    pools = {
        topic: pool_of_runs([ranking.get(topic, ()) for ranking in rankings], depth, known)
        for topic, known in grades.items()
    }
    return put_pools(session, row, pools, grades)


def active_gold(session: Session, spec: TaskSpec, track: str) -> gold.Version:
    """The gold of a track that scores now. Raises CampaignRefused where there is none."""
    for version in gold.active(session, spec):
        if version.track == track:
            return version
    raise CampaignRefused(say("The track {track} has no gold yet.", track=track))


def grades_to_start_from(files: Files, row: Campaign, version: gold.Version) -> dict[str, dict[str, float]]:
    """The values of a version of gold, above which a campaign can put its result. Raises CampaignRefused for
    one of preferences where these are levels already, and FormatError."""
    grades = grades_of(files, version)
    if row.kind == "preference" and any(preferred_items(of_topic) for of_topic in grades.values()):
        raise CampaignRefused(
            say(
                "The gold of {track} holds levels, not grades. Please start from a graded track.",
                track=version.track,
            )
        )
    return grades


def grades_of(files: Files, version: gold.Version) -> dict[str, dict[str, float]]:
    """The values of a version of gold that is qrels. Raises FormatError."""
    return read_qrels(files.gold.path(version.file_hash), integer_grades=False).by_topic()


def put_pools(
    session: Session, row: Campaign, pools: Pools, grades: Mapping[str, Mapping[str, float]]
) -> int:
    """Makes these the pools of a campaign, with the grades that are known; returns how many candidates."""
    _clear(session, row)
    least = 2 if row.kind == "preference" else 1
    kept = {topic: pool for topic, pool in pools.items() if len(pool) >= least}
    for position, (name, candidates) in enumerate(kept.items()):
        topic = JudgingTopic(campaign_id=row.id, name=name, position=position, question="", conversation=[])
        session.add(topic)
        session.flush()
        session.add_all(
            JudgingItem(topic_id=topic.id, docno=docno, grade=grades.get(name, {}).get(docno))
            for docno in candidates
        )
    session.flush()
    return sum(map(len, kept.values()))


def _clear(session: Session, row: Campaign) -> None:
    for topic in topics_of(session, row).values():
        delete_units(session, topic)
        for item in session.scalars(select(JudgingItem).where(JudgingItem.topic_id == topic.id)):
            session.delete(item)
        session.flush()
        session.delete(topic)
    session.flush()


def delete_units(session: Session, topic: JudgingTopic) -> None:
    """Removes what was to be judged of a topic."""
    for unit in session.scalars(select(JudgingUnit).where(JudgingUnit.topic_id == topic.id)):
        session.delete(unit)
    session.flush()
