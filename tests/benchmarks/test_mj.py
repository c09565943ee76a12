"""The benchmark of MJ builds what it says."""

from __future__ import annotations

from pathlib import Path

from benchmarks import mj
from leaderboard.formats.mj import read_mj


def test_each_pair_of_each_track_is_in_the_file(tmp_path: Path) -> None:
    taken = mj.measured(tmp_path, runs=3, pairs=400)
    found = read_mj(tmp_path / "mj.csv")
    assert (len(found.value), len(read_mj(tmp_path / "unique.csv").value)) == (400, 400)
    assert 0 < found.value.min() < found.value.max() < 1
    assert taken.peak >= taken.before
