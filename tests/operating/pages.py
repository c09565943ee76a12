"""What the pages about operating hold in fenced blocks: commands, and files for other programs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.conftest import REPOSITORY

PAGES = ("docs/operating.md", "docs/operating/server.md", "docs/operating/watching.md")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    page: str
    language: str
    text: str


def blocks() -> Iterator[Block]:
    """All of them, in the order of the pages."""
    for page in PAGES:
        for language, text in _BLOCK.findall((REPOSITORY / page).read_text("utf-8")):
            yield Block(page, language, text)


def of(page: str, language: str) -> list[str]:
    """The blocks of a page in one language."""
    return [block.text for block in blocks() if (block.page, block.language) == (page, language)]
