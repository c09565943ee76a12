"""A process that ends with the one that started it, even where that is killed.

``python -m leaderboard.cli.tied PARENT COMMAND…`` becomes COMMAND, which is told to stop (SIGTERM) once the
process PARENT is gone. Linux alone has this; elsewhere COMMAND just runs.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(parent: int, command: list[str]) -> None:
    """Never returns."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    # It may have died before it was asked to tell.
    if os.getppid() != parent:
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606 - what serve starts


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
