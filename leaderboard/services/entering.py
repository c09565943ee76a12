"""Runs from a file to the standings in one go, one or many, in short transactions.

Killed at any moment this leaves nothing of a run, or a run that `rescoring.finish_pending` finishes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from leaderboard.contract import Fault, FormatError, Scorer, TaskSpec, say
from leaderboard.formats.manifest import ManifestLine, read_manifest
from leaderboard.rules import Kind
from leaderboard.services import gold, inputs, rescoring, runs, standings
from leaderboard.services.queue import Clock
from leaderboard.services.rescoring import Progress, Transactions, unwatched
from leaderboard.services.runs import Details, NameRefused, Submission
from leaderboard.store.files import Files


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that is to be submitted, and what its team says about it."""

    path: Path
    details: Details


@dataclass(frozen=True, slots=True)
class Entered:
    """What became of an entry. `state` is the run's at the end: "scored", "rejected", "failed", or "received"
    where the task has no gold yet. (The submission's own is the one before the scoring.)"""

    entry: Entry
    submission: Submission
    state: str


def enter(
    transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, entry: Entry, clock: Clock
) -> Entered:
    """Keeps, checks and scores one file. Raises NameRefused and UnknownTask."""
    return enter_all(transactions, files, spec, scorer, (entry,), clock, unwatched)[0]


def enter_all(
    transactions: Transactions,
    files: Files,
    spec: TaskSpec,
    scorer: Scorer,
    entries: Sequence[Entry],
    clock: Clock,
    progress: Progress,
) -> tuple[Entered, ...]:
    """Keeps, checks and scores the files one after the other, and then brings the standings up to date once.

    A file whose form is not right does not stop the others. Raises NameRefused and UnknownTask.
    """
    entered = []
    for done, entry in enumerate(entries):
        progress(done, len(entries))
        entered.append(_enter(transactions, files, spec, scorer, entry, clock))
    with transactions.writing() as session:
        if standings.due(session, spec):
            standings.refresh(session, spec, scorer.VERSION, clock())
    progress(len(entries), len(entries))
    return tuple(entered)


def _enter(
    transactions: Transactions, files: Files, spec: TaskSpec, scorer: Scorer, entry: Entry, clock: Clock
) -> Entered:
    with transactions.reading() as session:
        folder = inputs.folder_of(session, files, spec)
    received = runs.receive(files, spec, scorer, entry.path, folder)
    with transactions.writing() as session:
        submission = runs.record(session, spec, received, entry.details, clock())
    # Its columns may be large, and many runs are entered at once.
    kept = replace(submission, report=replace(submission.report, run=None))
    state = submission.state
    if state == "received":
        # Without gold the run waits; installing some scores it.
        with suppress(gold.NoGoldInstalled):
            state = rescoring.score_one(
                transactions, files, spec, scorer, submission.run_id, clock, submission.report
            )
    return Entered(entry, kept, state)


def plan(manifest: Path) -> tuple[Entry, ...]:
    """The entries of a manifest, whose files are named relative to it, in its order.

    Raises FormatError with every fault by line: nothing should be submitted from a manifest that has any.
    """
    lines, found = read_manifest(manifest.read_bytes())
    faults = [*found.first, *_faults(lines, manifest.parent)]
    if faults:
        raise FormatError(str(manifest), tuple(sorted(faults, key=lambda fault: fault.line or 0)))
    return tuple(_entry(line, manifest.parent) for line in lines)


def _entry(line: ManifestLine, folder: Path) -> Entry:
    kind: Kind = "baseline" if line.baseline else "contrastive" if line.contrastive else "ordinary"
    return Entry(folder / line.file, Details(line.team, line.name, line.description, kind, line.submitted_at))


def _faults(lines: Sequence[ManifestLine], folder: Path) -> Iterator[Fault]:
    first: dict[tuple[str, str], int] = {}
    for line in lines:
        path = folder / line.file
        if not path.is_file():
            yield Fault(line.line, None, say("There is no file {file}.", file=path), "no-file")
        for name in filter(None, (line.team, line.name)):
            try:
                runs.clean_name(name)
            except NameRefused as error:
                yield Fault(line.line, None, error.message, "name-refused")
        other = first.setdefault((line.file, line.team), line.line)
        if other != line.line:
            message = say("Line {line} names the same file of the same team already.", line=other)
            yield Fault(line.line, None, message, "file-twice")
