"""Scoring all runs on the gold of a draft, in short transactions, so that a kill loses a few runs' work.

What is written here no board and no page of a run shows until the draft is applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice

from sqlalchemy import ColumnElement, Select, and_, delete, exists, false, func, or_, select
from sqlalchemy.orm import Session

from leaderboard.contract import Scorer, TaskSpec, say
from leaderboard.services import gold, scoring
from leaderboard.services.errors import ServiceError
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Progress, Transactions
from leaderboard.services.scoring import NotScorable, UnknownRun
from leaderboard.services.scoring_order import Prepared
from leaderboard.services.tasks import locked
from leaderboard.store import queries
from leaderboard.store.files import Files
from leaderboard.store.models import Draft, DraftFailure, Run, Score

AT_ONCE = 16
"""So many runs' scores are written in one transaction."""

OPEN = ("scoring", "ready", "applying")
"""The states of a draft that can still be applied or discarded."""


class DraftEnded(ServiceError):
    """The draft was applied or discarded; nothing more happens to it."""

    def __init__(self, draft: Draft) -> None:
        applied = say("Draft {number} has been applied already.", number=draft.number)
        discarded = say("Draft {number} has been discarded.", number=draft.number)
        super().__init__(applied if draft.state == "applied" else discarded)


def score_all(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    draft_id: int,
    clock: Clock,
    progress: Progress,
) -> None:
    """Scores every run that lacks scores on the draft's versions, those too that arrive meanwhile.

    Raises DraftEnded.
    """
    while True:
        with transactions.reading() as session:
            draft = session.get_one(Draft, draft_id)
            waiting = left(session, draft)
            total = session.scalar(_runs(draft).with_only_columns(func.count())) or 0
        if not waiting:
            progress(total, total)
            return
        remaining = iter(waiting)
        done = total - len(waiting)
        while some := tuple(islice(remaining, AT_ONCE)):
            prepared = []
            for run_id in some:
                progress(done, total)
                prepared += _prepared(transactions, files, spec, scorer, draft_id, run_id)
                done += 1
            with transactions.writing() as session:
                record(session, spec, scorer, draft_id, prepared, clock())


def left(session: Session, draft: Draft) -> tuple[int, ...]:
    """The runs that lack scores on the draft's versions, the oldest first.

    One that waits for its first scores is not among them: whoever scores it does so by the gold that is
    active then. One whose scoring had failed needs scores on the gold of all tracks.
    """
    others = [
        version.id
        for track, version in queries.active_gold(session, draft.task_id).items()
        if track not in draft.versions
    ]
    lacking = or_(_lacks(draft.versions.values()), and_(Run.state == "failed", _lacks(others)))
    failed = exists().where(DraftFailure.draft_id == draft.id, DraftFailure.run_id == Run.id)
    statement = _runs(draft).with_only_columns(Run.id).where(lacking, ~failed)
    return tuple(session.scalars(statement.order_by(Run.id)))


def record(
    session: Session,
    spec: TaskSpec,
    scorer: Scorer,
    draft_id: int,
    found: Sequence[Prepared],
    now: datetime,
) -> None:
    """Writes prepared scores of several runs, or that they could not be scored. Raises DraftEnded."""
    task = locked(session, spec.name)
    draft = locked_draft(session, draft_id)
    if draft.state not in OPEN:
        raise DraftEnded(draft)
    active = {version.id for version in queries.active_gold(session, task.id).values()}
    ours = active | set(draft.versions.values())
    for prepared in found:
        of_run = (DraftFailure.draft_id == draft_id, DraftFailure.run_id == prepared.run_id)
        session.execute(delete(DraftFailure).where(*of_run))
        if prepared.scores is None:
            session.add(
                DraftFailure(
                    draft_id=draft_id,
                    run_id=prepared.run_id,
                    message=prepared.failure,
                    detail=prepared.detail,
                )
            )
            continue
        versions = tuple(version for version in prepared.versions if version.id in ours)
        run = session.get_one(Run, prepared.run_id)
        if not scoring.made_as_now(session, task, run, prepared):
            # It lacks its scores still, and is prepared again.
            continue
        scoring.keep(session, spec, run, prepared, scorer.VERSION, now, versions)
    session.flush()
    # What was written is not needed any more, and runs may have thousands of values.
    session.expunge_all()


def locked_draft(session: Session, draft_id: int) -> Draft:
    """The row of a draft, for this transaction alone to change."""
    statement = select(Draft).where(Draft.id == draft_id).with_for_update()
    return session.scalars(statement.execution_options(populate_existing=True)).one()


def _prepared(
    transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, draft_id: int, run_id: int
) -> list[Prepared]:
    """What a run scores; nothing where it is not there to be scored any more."""
    with transactions.reading() as session, suppress(UnknownRun, NotScorable):
        draft = session.get_one(Draft, draft_id)
        versions = _versions(session, draft, session.get(Run, run_id))
        prepared = scoring.prepare(session, files, spec, scorer, run_id, versions=versions)
        # Its columns may be large, and several runs are kept at once.
        return [replace(prepared, report=None)]
    return []


def _versions(session: Session, draft: Draft, run: Run | None) -> tuple[gold.Version, ...]:
    """What a run is to be scored on: the draft's versions, and all where its scoring had failed."""
    found = {
        version.track: version for version in queries.gold_versions(session, list(draft.versions.values()))
    }
    if run is not None and run.state == "failed":
        found = {**queries.active_gold(session, draft.task_id), **found}
    return tuple(gold.version_of(version) for _, version in sorted(found.items()))


def _runs(draft: Draft) -> Select[Run]:
    return select(Run).where(Run.task_id == draft.task_id, Run.state.in_(("scored", "failed")))


def _lacks(version_ids: Iterable[int]) -> ColumnElement[bool]:
    return or_(
        false(),
        *(
            ~exists().where(Score.run_id == Run.id, Score.gold_version_id == version_id)
            for version_id in version_ids
        ),
    )
