from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from leaderboard.store.secret import secret_in


def test_the_secret_stays_the_same_and_is_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "instance"
    secret = secret_in(folder)
    assert secret_in(folder) == secret
    assert len(secret) >= 64
    assert [file.stat().st_mode & 0o777 for file in folder.iterdir()] == [0o600]


def test_all_who_start_at_once_have_one_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(secret_in, [tmp_path] * 32))) == 1
