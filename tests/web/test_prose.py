"""Texts of organisers as letters have them."""

from __future__ import annotations

import pytest

from leaderboard.web.prose import letter

TEXTS = {
    "Hello *there*,\n\nall **is** `well`.": "Hello there,\n\nall is well.",
    "See [the page](https://example.org/a?b=1&c=2).": "See the page (https://example.org/a?b=1&c=2).",
    "<https://example.org>": "https://example.org",
    "<olga@example.org>": "olga@example.org",
    "# News\n\nOne\nTwo": "News\n\nOne\nTwo",
    "Bring:\n\n- a run\n- *its* name\n\nThanks.": "Bring:\n\n- a run\n- its name\n\nThanks.",
    "3. three\n4. four": "3. three\n4. four",
    "- a\n\n- b": "- a\n- b",
    "- a\n    - b\n- c": "- a\n  - b\n- c",
    "| x | y |\n|---|---|\n| 1 | 2 |": "x | y\n1 | 2",
    "```\na  b\n  c\n```": "a  b\n  c",
    "5 < 6 &amp; <script>alert(1)</script>": "5 < 6 &",
}


@pytest.mark.parametrize("source", TEXTS)
def test_markdown_becomes_plain_text(source: str) -> None:
    assert letter(source) == TEXTS[source]


@pytest.mark.parametrize(
    "source", ["", "*", "[", "[x](", "<a href=", "- ", "1. \n- \n", "</p></li>", "&", "| a"]
)
def test_any_text_becomes_some(source: str) -> None:
    assert letter(source) == letter(source).strip()
