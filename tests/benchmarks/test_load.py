"""A few teams upload at once to the real server; the benchmark has two hundred."""

from __future__ import annotations

from pathlib import Path

from benchmarks import load


def test_of_teams_that_upload_at_once_none_loses_a_run_and_none_gets_more_slots_than_there_are(
    tmp_path: Path,
) -> None:
    # It raises where a run is lost, is not what was sent, or is scored twice, and where a ranking is behind.
    found = load.measure(tmp_path, team_count=3, further_consumers=0, racers=1, workers=1)
    assert found.slots == (load.SLOTS,)
    accepted = [each for each in found.sent if each.status == 201]
    assert len(accepted) == len(found.scored_after) == 2 * 2 + 1 + load.SLOTS
    assert len(found.sent) - len(accepted) == load.TRIES - load.SLOTS
