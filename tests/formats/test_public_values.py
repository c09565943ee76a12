"""How it is written what everybody is told of values."""

from __future__ import annotations

import pytest

from leaderboard.formats.public_values import parse, written


@pytest.mark.parametrize(
    "text", ["exact", "rounded 2", "rounded 0", "ladder 0.01", "ladder 0.9999999", "ladder 1e-09", "ladder"]
)
def test_a_rule_is_written_as_it_was_read(text: str) -> None:
    assert written(parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "rounded", "rounded 99", "rounded -1", "other"),
        *("ladder 0", "ladder 1", "ladder -0.1", "ladder nan", "ladder 5e-324"),
    ],
)
def test_what_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no way to tell|too large or too small"):
        parse(text)
