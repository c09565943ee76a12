"""``boosting``: the attack by one command, with its table and plot."""

from __future__ import annotations

import csv
from pathlib import Path

from click.testing import CliRunner

from leaderboard.cli import main
from leaderboard.config import Settings


def test_the_attack_is_told_and_written(tmp_path: Path) -> None:
    words = (
        "boosting",
        "--runs",
        "5",
        "--runs",
        "40",
        "--public",
        "100",
        "--private",
        "100",
        "--trials",
        "2",
    )
    result = CliRunner().invoke(main, [*words, "--output", str(tmp_path)], obj=Settings())
    assert result.exit_code == 0
    with (tmp_path / "boosting.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert {(row["defence"], row["runs"]) for row in rows} >= {("plain", "40"), ("ladder", "5")}
    assert "plain board" in (tmp_path / "boosting.svg").read_text(encoding="utf-8")
