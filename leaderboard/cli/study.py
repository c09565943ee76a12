"""``study``: what measures are worth, as tables and figures for a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import click

from leaderboard.catalog import load_scorer
from leaderboard.cli.arguments import FOLDER, TASK
from leaderboard.cli.paper import ENGLISH
from leaderboard.cli.sites import progress_bar, ready
from leaderboard.config import Settings
from leaderboard.contract import TaskSpec, say_count
from leaderboard.plots import Plot, Size, pdf, svg
from leaderboard.plots.drawing import draw
from leaderboard.plots.tables import as_csv
from leaderboard.services import boards, stored_studies, studies, study_files, study_plots, study_tables
from leaderboard.services.stored_studies import Wanted
from leaderboard.services.studies import Study
from leaderboard.site import utc_now

_EPILOG = """
\b
Examples:
  python -m leaderboard study cast --output study
  python -m leaderboard study cast --gold data/cast/gold --runs my-runs --output study
  python -m leaderboard study cast --measures graded:nDCG@3 --measures "compat(p=0.95)" --output study
  python -m leaderboard study cast --run bm25 --run "t5 large" --run 17 --output study
  python -m leaderboard study russe --gold data/russe/gold --runs my-runs --output study
"""

_PAPER = Size(width=480, height=360, letters=10)


@click.command(epilog=_EPILOG)
@click.argument("task", type=TASK)
@click.option("--gold", type=FOLDER, help="The folder of the hidden benchmarks, for runs of a folder.")
@click.option("--runs", type=FOLDER, help="The folder of the runs, for a study without a database.")
@click.option(
    "--measures",
    multiple=True,
    metavar="[TRACK:]MEASURE",
    help="A measure on a track, or on every track that has it; the first is what others are compared with. "
    "May be given many times; without it, what ranks on some track, on every track that has it.",
)
@click.option(
    "--run",
    "only",
    multiple=True,
    metavar="RUN",
    help="This run, by its name (of a folder: its file) or number; may be given many times. Without it, all "
    "of a folder, or those with a place.",
)
@click.option("--phase", metavar="P", help="The phase of the stored runs; the one that is open, or was last.")
@click.option("--all-runs", is_flag=True, help="All scored runs of the phase, not only those with a place.")
@click.option("--seed", type=click.IntRange(0), default=studies.SEED, show_default=True, help="Draw by it.")
@click.option(
    "--output",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    required=True,
    help="The folder for tables and figures; it is made where there is none.",
)
@click.pass_obj
def study(
    settings: Settings,
    task: TaskSpec,
    gold: Path | None,
    runs: Path | None,
    measures: tuple[str, ...],
    only: tuple[str, ...],
    phase: str | None,
    all_runs: bool,
    seed: int,
    output: Path,
) -> None:
    """Say how many pairs of runs each measure tells apart, and how alike measures rank the runs.

    Writes measures.csv and .tex (a line for each measure) and runs.csv and .tex (values with 95 %
    intervals); and for each measure, as .svg and .pdf with the numbers beside them as .csv, the runs in order
    with their intervals, and its values against the first measure's.
    """
    if (gold is None) != (runs is None):
        raise click.UsageError("--gold and --runs go together; without both, stored runs are studied.")
    if only and all_runs:
        raise click.UsageError("--run names single runs, --all-runs takes all; give one of them.")
    columns = studies.columns_of(task, measures)
    if gold is not None and runs is not None:
        if phase is not None or all_runs:
            raise click.UsageError("--phase and --all-runs are for stored runs.")
        found = _of_folder(task, gold, runs, columns, only, seed)
    else:
        named = phase or boards.current_phase(task, utc_now())
        found = _stored(settings, task, Wanted(named, columns, all_runs, seed), only)
    for column in found.left_out:
        click.echo(str(studies.not_comparable(column)), err=True)
    click.echo(study_tables.text(found), nl=False)
    written = _write(found, output)
    click.echo()
    click.echo(
        str(
            say_count(
                "Wrote {count} file to {folder}.", "Wrote {count} files to {folder}.", written, folder=output
            )
        )
    )


def _stored(settings: Settings, task: TaskSpec, wanted: Wanted, only: tuple[str, ...]) -> Study:
    with ready(settings) as site, progress_bar("reading runs") as progress:
        reading = site.transactions.reading
        with reading() as session:
            numbers = stored_studies.numbers_of(session, task, wanted.phase, only)
        chosen = replace(wanted, only=numbers)
        return stored_studies.study_stored(reading, site.files, task, site.scorer(task), chosen, progress)


def _of_folder(
    task: TaskSpec,
    gold: Path,
    runs: Path,
    columns: tuple[studies.Column, ...],
    only: tuple[str, ...],
    seed: int,
) -> Study:
    with progress_bar("reading runs") as progress:
        found, left_out = study_files.study_folder(
            task, load_scorer(task), gold, runs, columns, seed, progress, only
        )
    for each in left_out:
        click.echo(f"{each.name}: left out. {each.reason}", err=True)
    return found


def _write(found: Study, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    tables = {
        "measures.csv": study_tables.measures_csv(found),
        "measures.tex": study_tables.latex(study_tables.measures_sheet(found)),
        "runs.csv": study_tables.runs_csv(found),
        "runs.tex": study_tables.latex(study_tables.runs_sheet(found)),
    }
    for name, content in tables.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")
    written = len(tables)
    for name, plot in _figures(found):
        drawing = draw(plot, _PAPER, ENGLISH)
        (folder / f"{name}.svg").write_text(svg.for_paper(drawing), encoding="utf-8")
        (folder / f"{name}.pdf").write_bytes(pdf.for_print(drawing))
        (folder / f"{name}.csv").write_text(as_csv(plot, str), encoding="utf-8", newline="")
        written += 3
    return written


def _figures(found: Study) -> Iterator[tuple[str, Plot]]:
    makers: dict[str, Callable[[Study, int], Plot | None]] = {
        "runs": study_plots.sorted_runs,
        "against": study_plots.against_baseline,
    }
    for kind, make in makers.items():
        for number, column in enumerate(found.columns):
            if kind == "against" and number == 0:
                continue
            plot = make(found, number)
            if plot is not None:
                yield f"{kind}-{_file_name(column.name)}", plot


def _file_name(name: str) -> str:
    """The name of a column with the letters that any file may have."""
    return "".join(letter if letter.isalnum() or letter in ".@=-" else "-" for letter in name).strip("-")
