"""Whether the pages are about to stop: `serve` says so to its processes by a file."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "LEADERBOARD_STOPPING_FILE"
"""Names the file; `serve` sets it for the processes it starts, and nobody else does."""


def is_stopping() -> bool:
    """Whether that was said."""
    name = os.environ.get(VARIABLE)
    return bool(name) and Path(name or "").exists()
