"""Judging the form of a file that is not submitted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from leaderboard.contract import Report, Scorer, TaskSpec
from leaderboard.services import inputs
from leaderboard.services.rescoring import Transactions
from leaderboard.services.submissions import EmptyFile
from leaderboard.store.files import Files


def check(transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, path: Path) -> Report:
    """What submitting the file at `path` would say of its form. Nothing is kept, and no quota is asked.

    Raises EmptyFile and UnknownTask.
    """
    if path.stat().st_size == 0:
        raise EmptyFile
    with transactions.reading() as session:
        folder = inputs.folder_of(session, files, spec)
    return replace(scorer.check(spec, path, folder), run=None)
