"""``gold draft`` and what follows it: new gold that is looked at before it counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from leaderboard.cli.arguments import FOLDER, TASK
from leaderboard.cli.errors import BAD_INPUT
from leaderboard.cli.printing import aligned, shown
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say, say_count
from leaderboard.services import draft_applying, draft_jobs, draft_pages, drafts, gold, queue
from leaderboard.services.audit import SHELL
from leaderboard.services.draft_pages import BoardDifference, Drafted
from leaderboard.services.drafts import Made, NotAllScored
from leaderboard.site import Site, utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard gold draft russe new-gold --note "fifty pairs judged again"
  python -m leaderboard gold draft russe --scorer
  python -m leaderboard gold drafts russe
  python -m leaderboard gold apply russe 1
"""

_number = click.argument("number", type=click.IntRange(1))


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.argument("folder", metavar="[DIR]", type=FOLDER, required=False)
@click.option("--scorer", is_flag=True, help="The benchmark of now, scored by the scorer of now.")
@click.option("--note", default="", help="What to remember about this version.")
@click.pass_obj
def draft(settings: Settings, task: TaskSpec, folder: Path | None, scorer: bool, note: str) -> None:
    """Score all runs by the benchmark files in DIR, and say what would change; nothing changes yet.

    `gold apply` makes it count, `gold discard` gives it up. Killed, it is finished by `serve`, or by
    `gold drafts --finish`.
    """
    if scorer == (folder is not None):
        raise click.UsageError("Give DIR or --scorer.")
    with ready(settings) as site:
        spec = site.as_set(task)
        made = _make(site, spec, folder, note)
        for track in made.unchanged:
            click.echo(str(say("{track}: as before.", track=track)))
        _work(site, spec, made.number, made.job_id)
        _show(site, spec, made.number)


@click.command("drafts", epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option("--finish", is_flag=True, help="Go on with those that a killed process left.")
@click.pass_obj
def list_drafts(settings: Settings, task: TaskSpec, finish: bool) -> None:
    """List the drafts of a task's benchmark, the newest first."""
    with ready(settings) as site:
        spec = site.as_set(task)
        if finish:
            _finish(site, spec)
        with site.database.reading() as session:
            found = draft_pages.listing(session, spec)
    if not found:
        click.echo(str(say("There is no draft; `gold draft {task} DIR` makes one.", task=task.name)))
        return
    header = ("draft", "state", "of", "versions", "made", "note")
    rows = [
        (
            str(each.number),
            each.state,
            each.source,
            _versions(each),
            each.made_at.strftime("%Y-%m-%d %H:%M"),
            each.note,
        )
        for each in found
    ]
    for line in aligned([header, *rows], right=(0,)):
        click.echo(line)


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@_number
@click.pass_obj
def apply(settings: Settings, task: TaskSpec, number: int) -> None:
    """Let draft NUMBER score from now on, and tell the teams whose place changes."""
    with ready(settings) as site:
        spec = site.as_set(task)
        scorer, url = site.scorer(spec), settings.public_url
        try:
            with site.database.writing() as session:
                draft_applying.apply(session, spec, scorer, number, SHELL, utc_now(), url)
        except NotAllScored as lacking:
            click.echo(str(lacking.message))
            with site.database.writing() as session:
                job_id = draft_applying.apply_later(session, spec, number, SHELL, utc_now())
            _work(site, spec, number, job_id)
        _show(site, spec, number)
        site.deliver_letters()


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@_number
@click.pass_obj
def discard(settings: Settings, task: TaskSpec, number: int) -> None:
    """Give draft NUMBER up. Its difference stays to be read; the same file makes a new draft."""
    with ready(settings) as site, site.database.writing() as session:
        drafts.discard(session, site.as_set(task), number, SHELL, utc_now())
    click.echo(str(say("Draft {number} is discarded.", number=number)))


def _make(site: Site, spec: TaskSpec, folder: Path | None, note: str) -> Made:
    parts = (site.files, spec, site.scorer(spec))
    with site.database.writing() as session:
        if folder is None:
            return drafts.make_for_scorer(session, *parts, note, SHELL, utc_now())
        there = gold.files_in(spec, folder)
        gold.find_again(session, *parts, there, SHELL, utc_now())
    with site.database.writing() as session:
        return drafts.make(session, *parts, there, "gold", note, SHELL, utc_now())


def _work(site: Site, spec: TaskSpec, number: int, job_id: int) -> None:
    """Does the job of a draft here; ends with its error where it stopped."""
    with progress_bar("scoring") as progress:
        job = draft_jobs.job(
            site.transactions, site.files, site.task, utc_now, site.settings.public_url, progress
        )
        queue.run(site.database.writing, {drafts.JOB: job}, job_id, utc_now)
    with site.database.reading() as session:
        found = draft_pages.progress(session, spec, number)
    if found.error is not None:
        click.echo(str(found.error), err=True)
        raise SystemExit(BAD_INPUT)


def _finish(site: Site, spec: TaskSpec) -> None:
    with site.database.reading() as session:
        found = draft_pages.listing(session, spec)
    for each in found:
        if each.state in ("scoring", "applying"):
            with site.database.writing() as session:
                job_id = drafts.go_on(session, spec, each.number, SHELL, utc_now())
            _work(site, spec, each.number, job_id)


def _show(site: Site, spec: TaskSpec, number: int) -> None:
    with site.database.reading() as session:
        found = draft_pages.show(session, spec, number)
    header = say("Draft {number} of {task}: {state}.", number=number, task=spec.name, state=found.draft.state)
    click.echo(f"{header} {_versions(found.draft)}")
    for board in found.boards or ():
        for line in _board_lines(spec, board):
            click.echo(line)
    if found.draft.state == "ready":
        click.echo()
        click.echo(f"gold apply {spec.name} {number}  |  gold discard {spec.name} {number}")


def _versions(each: Drafted) -> str:
    return ", ".join(
        f"{track} {each.replaces.get(track) or '-'} → {number}" for track, number in each.versions.items()
    )


def _board_lines(spec: TaskSpec, board: BoardDifference) -> Iterator[str]:
    name = board.track or "overall"
    late = "" if board.stage == "in time" else f", {board.stage}"
    if not board.changes:
        yield f"{board.phase}{late}, {name}: nothing changes"
        return
    digits = 2 if board.track is None else spec.track(board.track).digits
    yield ""
    yield f"{board.phase}{late}, {name}: {_summary(board)}"
    rows = [
        (
            f"  {move.team}",
            str(move.place_before or "-"),
            "→",
            str(move.place_after or "-"),
            _value(move.value_before, digits),
            _value(move.value_after, digits),
        )
        for move in board.moves
    ]
    if rows:
        yield from aligned([("  team", "place", "", "now", "value", "now"), *rows], right=(1, 3, 4, 5))
    for each in board.lost:
        yield f"  no value any more: {each.run} ({each.team}): {each.why or ''}"
    for each in board.gained:
        yield f"  has a value now: {each.run} ({each.team}): {_value(each.after, digits)}"


def _summary(board: BoardDifference) -> str:
    places = say_count(
        "{count} of {teams} places changes",
        "{count} of {teams} places change",
        len(board.moves),
        teams=board.teams,
    )
    if board.runs is None:
        return str(places)
    return f"{places}; {say('{changed} of {runs} values change', changed=board.changed, runs=board.runs)}"


def _value(value: float | None, digits: int) -> str:
    return "-" if value is None else shown(value, digits)
