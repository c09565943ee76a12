"""A process that submits, scores, rescores and installs gold until it is killed.

``python -m tests.services.busy DATABASE_URL FOLDER NAME SEED`` writes the number of every run it was told
of, a line each, as soon as it was told.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from leaderboard.services import rescoring, scoring
from leaderboard.store.session import Database
from tests.services.toy import NOON, Toy


def main(url: str, folder: Path, name: str, seed: int) -> None:
    chance = random.Random(seed)
    toy = Toy(Database(url), folder)
    toy.scratch = name
    print("ready", flush=True)  # noqa: T201 - the other process waits for it
    while True:
        what = chance.random()
        if what < 0.1:
            toy.install_gold(near=(chance.random(), 0.5, 0.9))
        elif what < 0.25:
            rescore_everything(toy)
        else:
            values = [round(chance.random(), 3) for _ in range(3)]
            submitted = toy.submit(chance.choice("abcdef"), *values, minute=chance.randrange(1000))
            print(submitted.run_id, flush=True)  # noqa: T201 - this is the acknowledgement
            if what < 0.9:
                toy.score(submitted.run_id)


def rescore_everything(toy: Toy) -> None:
    with toy.database.reading() as session:
        everything = scoring.scorable(session, toy.spec)
    transactions = rescoring.Transactions(toy.database.reading, toy.database.writing)
    rescoring.rescore(
        transactions, toy.files, toy.spec, toy.scorer, everything, lambda: NOON, lambda _done, _total: None
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
