"""A process that scores a draft, or applies one, until it is done or killed.

``python -m tests.services.busy_drafts DATABASE_URL FOLDER score JOB`` or ``… apply NUMBER`` writes "ready"
before it begins.
"""

from __future__ import annotations

import sys
from pathlib import Path

from leaderboard.store.session import Database
from tests.services.drafting import apply, work
from tests.services.toy import Toy


def main(url: str, folder: Path, what: str, number: int) -> None:
    toy = Toy(Database(url), folder)
    print("ready", flush=True)  # noqa: T201 - the other process waits for it
    if what == "score":
        work(toy, number)
    else:
        apply(toy, number, url="https://lb.example")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
