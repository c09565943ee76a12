"""``boosting``: what an attacker reads off a board, under each defence."""

from __future__ import annotations

from pathlib import Path

import click

from leaderboard.analysis.boosting import Setting, simulate
from leaderboard.cli.paper import write_svg
from leaderboard.cli.printing import aligned
from leaderboard.services import boosting_files

RUNS = (10, 50, 100, 200, 500, 1000, 2000)

_AT_LEAST_1 = click.IntRange(1)

_EPILOG = """
\b
Examples:
  python -m leaderboard boosting
  python -m leaderboard boosting --runs 100 --runs 1000 --public 200 --trials 20
  python -m leaderboard boosting --output docs/probing
"""


@click.command(epilog=_EPILOG)
@click.option("--runs", type=_AT_LEAST_1, multiple=True, default=RUNS, help="Runs submitted; repeatable.")
@click.option("--public", type=_AT_LEAST_1, default=4000, show_default=True, help="Units the board is of.")
@click.option("--private", type=_AT_LEAST_1, default=4000, show_default=True, help="Units nobody is told of.")
@click.option("--quota", type=_AT_LEAST_1, default=100, show_default=True, help="Runs that a quota allows.")
@click.option("--trials", type=_AT_LEAST_1, default=10, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), help="A folder for CSV and SVG.")
def boosting(
    runs: tuple[int, ...], public: int, private: int, quota: int, trials: int, seed: int, output: Path | None
) -> None:
    """Attack boards by random runs whose majority is submitted, and say what each defence leaves of it.

    The attack of Blum and Hardt (2015) on labels of two kinds; numbers are shares of wrong answers, where
    0.5 is chance: what the final standing shows, what the board announced, and the truth.
    """
    found = simulate(sorted(set(runs)), Setting(public, private, quota=quota), trials, seed)
    head = ("defence", "runs", "final standing", "announced", "truth")
    rows = [
        (row.defence, str(row.runs), f"{row.claimed:.4f}", f"{row.told:.4f}", f"{row.true:.4f}")
        for row in found
    ]
    for line in aligned([head, *rows], right=(1, 2, 3, 4)):
        click.echo(line)
    if output is None:
        return
    output.mkdir(parents=True, exist_ok=True)
    with (output / "boosting.csv").open("w", encoding="utf-8", newline="") as stream:
        boosting_files.write(found, stream)
    write_svg(boosting_files.plot(found), output / "boosting.svg")
    click.echo(f"Written to {output}: boosting.csv, boosting.svg.")
