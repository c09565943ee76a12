"""What was made last, kept in memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from leaderboard.services.recent import Recent

Get = Callable[[Recent[str], str, Callable[[], str]], str]


@pytest.mark.parametrize("get", [Recent.get, Recent.get_beside])
def test_the_one_not_asked_for_the_longest_is_made_anew(get: Get) -> None:
    made: list[str] = []
    recent: Recent[str] = Recent(2)

    def ask(key: str) -> str:
        def make() -> str:
            made.append(key)
            return key.upper()

        return get(recent, key, make)

    assert [ask(key) for key in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]


@pytest.mark.parametrize("get", [Recent.get, Recent.get_beside])
def test_what_could_not_be_made_is_tried_again(get: Get) -> None:
    recent: Recent[str] = Recent(2)

    def fail() -> str:
        raise LookupError("not yet")

    with pytest.raises(LookupError, match="not yet"):
        get(recent, "a", fail)
    assert get(recent, "a", lambda: "A") == "A"
