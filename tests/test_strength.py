from __future__ import annotations

import secrets

import pytest

from leaderboard.strength import is_guessable


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "short",
        "x" * 64,
        "change-me-change-me-change-me-change-me",
        "please-CHANGE-this-before-you-go-public!",
        "my-super-secret-key-for-flask-0123456789",
        "0123456789abcdef" * 3,
        "kP3vLq8ZkP3vLq8ZkP3vLq8ZkP3vLq8ZkP3",
    ],
)
def test_what_nobody_has_made_at_random_is_refused(secret: str) -> None:
    assert is_guessable(secret)


def test_what_the_documents_tell_people_to_make_is_taken() -> None:
    assert not any(is_guessable(secrets.token_urlsafe(48)) for _ in range(200))
    assert not is_guessable(secrets.token_hex(16))
