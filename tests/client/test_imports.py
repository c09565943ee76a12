"""The client is light: a machine of a cluster need not wait for a server's parts."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import REPOSITORY

PROBE = """
import sys
import leaderboard.cli.client, leaderboard.client.submitting, leaderboard.client.downloads
print(sorted({"flask", "werkzeug", "sqlalchemy", "wtforms", "scipy", "pandas", "pyarrow"} & set(sys.modules)))
"""


def test_nothing_of_the_server_is_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
