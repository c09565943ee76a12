from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from leaderboard.web.browsers import browser

KHTML = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (f"Mozilla/5.0 (X11; Linux x86_64) {KHTML} Chrome/140.0 Safari/537.36", "Chrome on Linux"),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64) {KHTML} Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (f"Mozilla/5.0 (Linux; Android 15) {KHTML} Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari on iPhone",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        ("curl/8.5.0", "curl"),
        ("Something else", "Something else"),
        ("", "A browser that does not say what it is"),
    ],
)
def test_a_browser_is_called_by_what_people_know(client: FlaskClient, agent: str, words: str) -> None:
    with client.application.test_request_context():
        assert browser(agent) == words
