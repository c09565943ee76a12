"""Preferences and qrels that were judged and made elsewhere, as drafts of gold."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.judging.crowd import CrowdSettings
from leaderboard.services import drafts, judging_results
from leaderboard.services.audit import Actor
from leaderboard.services.gold_uploads import as_declared
from leaderboard.services.judging_plans import CampaignRefused
from leaderboard.services.queue import Deliver
from leaderboard.store.files import Files


def draft_from_preferences(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    track: str,
    graded_track: str,
    path: Path,
    k: int,
    finalists: int,
    note: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> drafts.Made:
    """A draft from released preferences, above the grades of a track; see
    `judging_results.draft_from_preferences`, which says what it raises."""
    if finalists < k:
        raise CampaignRefused(say("F is at least k, or the final could not have k items; {k} here.", k=k))
    settings = CrowdSettings(k=k, finalists=finalists)
    return judging_results.draft_from_preferences(
        session, files, spec, scorer, track, graded_track, path, settings, note, actor, now, deliver
    )


def draft_from_gold(
    session: Session,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    track: str,
    path: Path,
    note: str,
    actor: Actor,
    now: datetime,
    deliver: Deliver | None = None,
) -> drafts.Made:
    """A draft from released qrels, or whatever the gold of the track is, for it and all that share its file.
    The file lies in the store of gold. Raises CampaignRefused, FormatError, and what `drafts.make` does."""
    if track not in {known.name for known in spec.tracks}:
        raise CampaignRefused(say("The task {task} has no track {track}.", task=spec.name, track=track))
    target = spec.track(track).gold
    sent = {known.name: path for known in spec.tracks if known.gold == target}
    with as_declared(files, spec, sent) as paths:
        return drafts.make(session, files, spec, scorer, paths, "judging", note, actor, now, deliver)
