"""``judging``: pools, bounds, levels and agreement from files; judgments made elsewhere into a campaign."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path

import click

from leaderboard.cli import judging_printing as printing
from leaderboard.cli.arguments import FILE
from leaderboard.cli.errors import Commands
from leaderboard.cli.judging_import import import_judgments
from leaderboard.cli.paper import write_svg
from leaderboard.judging.agreement import LEVELS, Level
from leaderboard.judging.crowd import CrowdSettings
from leaderboard.judging.simulation import ERRORS, SIZES, simulate
from leaderboard.services import judging_files, judging_plots

_EPILOG = """
\b
Examples:
  python -m leaderboard judging pool graded.qrels
  python -m leaderboard judging bounds graded.qrels --k 3 --k 5 --k 10
  python -m leaderboard judging aggregate crowd.pref --qrels graded.qrels --output combined.qrels
  python -m leaderboard judging agreement combined.qrels best.qrels --grades graded.qrels
  python -m leaderboard judging alpha ratings.csv --level ordinal
  python -m leaderboard judging simulate --output docs/judging
  python -m leaderboard judging import cast 1 crowd.pref
"""

_AT_LEAST_1 = click.IntRange(1)
_TARGET = click.Path(dir_okay=False, writable=True, path_type=Path)

_k_option = click.option(
    "--k", type=_AT_LEAST_1, default=5, show_default=True, help="How many best items are wanted."
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_plot_option = click.option("--plot", type=_TARGET, help="Draw it too, as SVG.")


@click.group(cls=Commands, epilog=_EPILOG)
def judging() -> None:
    """Preferences of people: what to ask them, and what follows from their answers.

    QRELS are lines of `topic 0 docno grade`, PREF lines of `topic docno1 docno2 preferred`.
    """


judging.add_command(import_judgments)


@judging.command(epilog=_EPILOG)
@click.argument("qrels", type=FILE)
@_k_option
@click.option("--run", "runs", type=FILE, multiple=True, help="Pool ungraded items of this run; repeatable.")
@click.option("--depth", type=_AT_LEAST_1, default=10, show_default=True, help="So many items of each run.")
@_plot_option
@_json_option
def pool(qrels: Path, k: int, runs: tuple[Path, ...], depth: int, plot: Path | None, as_json: bool) -> None:
    """Say which items of QRELS are candidates for the top k of their topic.

    These are the items of the highest grade, then of the next, until at least k are in. With --run, the
    items without a grade that runs have among their first are listed too. JSON has all candidates.
    """
    pooled = judging_files.pool_grades(qrels, k)
    ungraded = judging_files.pool_runs(qrels, runs, depth) if runs else None
    if plot is not None:
        write_svg(judging_plots.steps_plot(pooled.steps), plot)
    if as_json:
        click.echo(json.dumps(printing.pool_document(pooled, k, ungraded), ensure_ascii=False, indent=2))
        return
    _echo(printing.pool_lines(pooled, k, ungraded))


@judging.command(epilog=_EPILOG)
@click.argument("qrels", type=FILE)
@click.option(
    "--k", "ks", type=_AT_LEAST_1, multiple=True, default=(5,), help="How many best items; repeatable."
)
@_json_option
def bounds(qrels: Path, ks: tuple[int, ...], as_json: bool) -> None:
    """Say how many judgments a tournament needs at most, with a pool made anew for each k.

    For each topic with a pool C it is |C| + (k - 1) * ceil(log2 |C|).
    """
    found = {k: judging_files.pool_grades(qrels, k) for k in ks}
    if as_json:
        click.echo(json.dumps(printing.bounds_document(found), indent=2))
        return
    _echo(printing.bounds_lines(found))


@judging.command(epilog=_EPILOG)
@click.argument("pref", type=FILE)
@click.option("--qrels", type=FILE, required=True, help="The grades that items below the top keep.")
@click.option("--output", type=_TARGET, help="Where to write the qrels; printed if not given.")
@_k_option
@click.option(
    "--finalists",
    type=_AT_LEAST_1,
    default=9,
    show_default=True,
    help="With more items than this, wins count among the largest set of which every two were compared.",
)
def aggregate(pref: Path, qrels: Path, output: Path | None, k: int, finalists: int) -> None:
    """Make qrels of preferences: 10 * k for the best item, 10 less for each that is strictly better.

    Items rank by wins; every judgment counts; those tied at rank k are kept. All others keep their grades.
    """
    try:
        settings = CrowdSettings(k=k, finalists=finalists)
    except ValueError as error:
        raise click.UsageError("--finalists cannot be less than --k.") from error
    found = judging_files.combine(pref, qrels, settings)
    if output is None:
        written = io.StringIO()
        judging_files.write_combined(found, written)
        click.echo(written.getvalue(), nl=False)
    else:
        with output.open("w", encoding="utf-8", newline="") as stream:
            judging_files.write_combined(found, stream)
    _echo(printing.aggregate_lines(found, output), to_error=output is None)


@judging.command(epilog=_EPILOG)
@click.argument("crowd", type=FILE, metavar="CROWD.qrels")
@click.argument("local", type=FILE, metavar="LOCAL.qrels")
@click.option("--grades", type=FILE, help="Say too how the chosen answers were graded.")
@_plot_option
@_json_option
def agreement(crowd: Path, local: Path, grades: Path | None, plot: Path | None, as_json: bool) -> None:
    """Say where the best answers of LOCAL stand among the levels of CROWD.

    CROWD may be combined qrels: what is below 10 is a grade there, and no level. The plot shows the grades of
    the chosen answers where --grades is given, else where the answers stand.
    """
    found = judging_files.compare(crowd, local, grades)
    if plot is not None:
        graded, sources = found.crowd_grades, found.sources
        write_svg(judging_plots.grades_plot(graded) if graded else judging_plots.sources_plot(sources), plot)
    if as_json:
        click.echo(json.dumps(printing.agreement_document(found), indent=2))
        return
    _echo(printing.agreement_lines(found))


@judging.command(epilog=_EPILOG)
@click.argument("ratings", type=FILE, nargs=-1, required=True)
@click.option("--level", type=click.Choice(LEVELS), default="ordinal", show_default=True)
@_json_option
def alpha(ratings: tuple[Path, ...], level: Level, as_json: bool) -> None:
    """Print Krippendorff's alpha of the ratings of several judges.

    RATINGS is a table with a header: a line for each rating, with a column `judge`, a column `rating` and
    those that say of what (item, or word1 and word2, or topic and docno); or a line for each item, with a
    column for each judge. Empty cells are no ratings.
    """
    found = judging_files.reliability(ratings, level)
    if as_json:
        click.echo(json.dumps(printing.alpha_document(found, level), indent=2))
        return
    _echo(printing.alpha_lines(found, level))


@judging.command("simulate", epilog=_EPILOG)
@_k_option
@click.option("--size", "sizes", type=_AT_LEAST_1, multiple=True, help="Candidates of a topic; repeatable.")
@click.option("--qrels", type=FILE, help="Take the sizes of the pools of these qrels instead.")
@click.option(
    "--error",
    "errors",
    type=click.FloatRange(0, 0.5),
    multiple=True,
    default=ERRORS,
    show_default=True,
    help="How often a judge errs; repeatable.",
)
@click.option("--trials", type=_AT_LEAST_1, default=200, show_default=True, help="Topics of each size.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder for simulation.csv, found.svg and cost.svg.",
)
def simulate_judges(
    k: int,
    sizes: tuple[int, ...],
    qrels: Path | None,
    errors: tuple[float, ...],
    trials: int,
    seed: int,
    output: Path | None,
) -> None:
    """Let judges who err decide, by tournament and in two stages, and say what they find and cost."""
    chosen = sorted(set(judging_files.pool_sizes(qrels, k))) if qrels else (sizes or SIZES)
    settings = CrowdSettings(k=k, finalists=max(9, k))
    rows = simulate(chosen, errors, settings, trials, seed)
    _echo(printing.simulation_lines(rows))
    if output is None:
        return
    output.mkdir(parents=True, exist_ok=True)
    with (output / "simulation.csv").open("w", encoding="utf-8", newline="") as stream:
        judging_plots.write_simulation(rows, stream)
    plots = {"found": judging_plots.found_plot(rows, k), "cost": judging_plots.cost_plot(rows)}
    for name, plot in plots.items():
        write_svg(plot, output / f"{name}.svg")
    click.echo(f"Written to {output}: simulation.csv, found.svg, cost.svg.")


def _echo(lines: Iterable[str], to_error: bool = False) -> None:
    for line in lines:
        click.echo(line, err=to_error)
