"""``check`` and ``score``: a file goes in, its faults or its exact scores come out; no database is needed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from leaderboard.cli.arguments import FILE_OR_PIPE, FOLDER, TASK
from leaderboard.cli.errors import BAD_INPUT
from leaderboard.cli.piped import on_disk
from leaderboard.cli.printing import absent_lines, fault_lines, remark_lines, score_lines, topic_lines
from leaderboard.config import Settings
from leaderboard.contract import FloatArray, Report, TaskSpec
from leaderboard.services import scoring_files
from leaderboard.services.scoring_files import FileScores

_CHECK_EPILOG = """
\b
Examples:
  python -m leaderboard check russe my-run.csv
  python -m leaderboard check cast my-run.txt.gz --inputs data/cast/inputs
  python -m leaderboard check russe --template > my-run.csv
"""

_SCORE_EPILOG = """
\b
Examples:
  python -m leaderboard score russe my-run.csv --gold data/russe/gold
  python -m leaderboard score cast my-run.txt.gz --gold data/cast/gold --per-topic
  python -m leaderboard score cast my-run.txt.gz --gold data/cast/gold --json > scores.json
"""


@click.command(epilog=_CHECK_EPILOG)
@click.argument("task", type=TASK)
@click.argument("file", type=FILE_OR_PIPE, required=False)
@click.option(
    "--inputs",
    type=FOLDER,
    help="The folder of the task's public inputs; data/TASK/inputs if that is there. "
    "Without inputs the checks that need them are left out, and named.",
)
@click.option("--template", is_flag=True, help="Print an example of a run to fill in, and check nothing.")
@click.pass_obj
def check(settings: Settings, task: TaskSpec, file: Path | None, inputs: Path | None, template: bool) -> None:
    """Check the form of a run, without any gold: what to do at home before submitting.

    FILE is a run, plain, .gz or .zip; - is standard input. Each fault is printed as
    FILE:LINE:COLUMN: what is wrong.
    """
    inputs = inputs or _inputs_in(task, settings.data / task.name / "inputs")
    if template == (file is not None):
        raise click.UsageError("Give either a FILE to check or --template.")
    if file is None:
        for line in scoring_files.template_lines(task, inputs):
            click.echo(line)
        return
    with on_disk(file) as place:
        report = scoring_files.check_file(task, place, inputs)
    _say(remark_lines(report))
    if not report.accepted:
        _say(fault_lines(file, report))
        raise SystemExit(BAD_INPUT)
    _say([f"{file}: accepted."])


@click.command(epilog=_SCORE_EPILOG)
@click.argument("task", type=TASK)
@click.argument("file", type=FILE_OR_PIPE)
@click.option("--gold", type=FOLDER, required=True, help="The folder of the hidden benchmarks.")
@click.option(
    "--inputs",
    type=FOLDER,
    help="The folder of the task's public inputs; the folder inputs beside the gold if that is there, "
    "else data/TASK/inputs.",
)
@click.option("--per-topic", is_flag=True, help="Show a table of topics too. (JSON always has them.)")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, values at full double precision.")
@click.pass_obj
def score(
    settings: Settings,
    task: TaskSpec,
    file: Path,
    gold: Path,
    inputs: Path | None,
    per_topic: bool,
    as_json: bool,
) -> None:
    """Score a run on every track whose gold is in the --gold folder.

    FILE is a run, plain, .gz or .zip; - is standard input. It is checked first; a file with
    faults is not scored.

    JSON has the keys tracks, per_topic, warnings and notes; beside them undefined (why a value is null),
    answered, and absent (the tracks without gold).
    """
    beside = gold.resolve().parent / "inputs"
    inputs = inputs or _inputs_in(task, beside, settings.data / task.name / "inputs")
    with on_disk(file) as place:
        outcome = scoring_files.score_file(task, place, gold, inputs)
    if not outcome.report.accepted:
        _say(remark_lines(outcome.report), to_error=True)
        _say(fault_lines(file, outcome.report), to_error=True)
        raise SystemExit(BAD_INPUT)
    if as_json:
        click.echo(json.dumps(as_document(outcome), ensure_ascii=False, allow_nan=False, indent=2))
        return
    _print_scores(task, outcome, gold, per_topic)


def _inputs_in(task: TaskSpec, *folders: Path) -> Path | None:
    """The first folder that holds inputs of the task. None was asked for, so none is missed."""
    return next((folder for folder in folders if scoring_files.holds_inputs(task, folder)), None)


def _print_scores(task: TaskSpec, outcome: FileScores, gold: Path, per_topic: bool) -> None:
    for track in task.tracks:
        if track.name not in outcome.scores:
            continue
        _say(score_lines(track, outcome.scores[track.name]))
        if per_topic:
            _say(topic_lines(track, outcome.scores[track.name]))
        click.echo()
    _say(absent_lines(outcome.absent, gold))
    _say(remark_lines(outcome.report))


def as_document(outcome: FileScores) -> dict[str, Any]:
    """The scores as JSON has them: undefined values are null, measures named as in task.toml."""
    report: Report = outcome.report
    return {
        "tracks": {
            name: {text: _finite(value) for text, value in scores.values.items()}
            for name, scores in outcome.scores.items()
        },
        "per_topic": {
            name: {text: _by_topic(scores.topics, values) for text, values in scores.per_topic.items()}
            for name, scores in outcome.scores.items()
            if scores.topics
        },
        "undefined": {
            name: {text: str(reason) for text, reason in scores.undefined.items()}
            for name, scores in outcome.scores.items()
            if scores.undefined
        },
        "answered": {name: [scores.answered, scores.total] for name, scores in outcome.scores.items()},
        "absent": [track.name for track in outcome.absent],
        "warnings": [str(message) for message in report.warnings],
        "notes": [str(message) for message in (*report.notes, *report.left_out)],
    }


def _by_topic(topics: tuple[str, ...], values: FloatArray) -> dict[str, float | None]:
    return {topic: _finite(float(value)) for topic, value in zip(topics, values, strict=True)}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _say(lines: Iterable[str], to_error: bool = False) -> None:
    for line in lines:
        click.echo(line, err=to_error)
