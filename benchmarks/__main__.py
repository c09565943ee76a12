"""``python -m benchmarks``: times scoring beside public tools and the site under load, and prints ratios.

Everything is generated from a seed, so that no download is needed. Gold is read beforehand for every tool.
Each figure is the median of several turns, taken in rotation so that a drift of the machine's speed meets
all of them alike. Absolute times say something about the machine; the ratios are what to look at.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks import boards, cast, growth, load, mj, queue, rescoring, russe, study


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "task",
        nargs="?",
        choices=["cast", "russe", "study", "rescoring", "load", "queue", "mj", "growth", "boards"],
        help="one part alone (default: all)",
    )
    parser.add_argument("--turns", type=int, default=5, help="turns of each measurement (default 5)")
    parser.add_argument(
        "--all",
        action="store_true",
        help="ir-measures scores all 42 runs, not one in ten, and MJ has its largest size; takes long",
    )
    parser.add_argument("--data", type=Path, help="load, queue: published files in place of the samples")
    parser.add_argument("--teams", type=int, default=load.TEAMS, help="load: so many teams (default 200)")
    parser.add_argument("--runs", type=int, default=queue.RUNS, help="queue: so many runs (default 400)")
    boards.add_options(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.task in (None, "cast"):
            cast.run(Path(folder), options.turns, step=1 if options.all else 10)
        if options.task in (None, "russe"):
            russe.run(Path(folder), options.turns)
    if options.task in (None, "study"):
        study.run(options.turns)
    if options.task in (None, "rescoring"):
        with tempfile.TemporaryDirectory() as folder:
            rescoring.run(Path(folder))
    if options.task in (None, "mj"):
        mj.run((*mj.SIZES, mj.LARGEST) if options.all else mj.SIZES)
    if options.task in (None, "growth"):
        growth.run()
    if options.task in (None, "load"):
        load.run(options.data, options.teams)
    if options.task in (None, "queue"):
        queue.run(options.runs, options.data)
    if options.task in (None, "boards"):
        with tempfile.TemporaryDirectory() as folder:
            boards.run(Path(folder), options.turns, boards.sizes_of(options))


if __name__ == "__main__":
    main()
