"""What a reader of a page sees, in which language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from tests.web.browser import Browser

# Names, commands and what people typed are the same in every language.
UNREAD = {"script", "style", "code", "pre", "bdi", "blockquote", "datalist", "output"}
VOID = {"meta", "link", "input", "img", "br", "hr", "rect", "line", "path", "circle", "wbr"}
SAID_BY = ("title", "aria-label", "placeholder", "alt", "data-label", "data-words", "data-done")
WORD = re.compile(r"[A-Za-z]+(?:[-'@.][A-Za-z]+)*")


@dataclass
class _Page(HTMLParser):
    """The words of a page and where it leads. Parts marked as being in another language are passed over."""

    language: str
    said: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    _open: list[tuple[str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        foreign = given.get("lang", self.language) != self.language
        unread = foreign or tag in UNREAD or (bool(self._open) and self._open[-1][1])
        if not foreign:
            self.said += [given[name] for name in SAID_BY if name in given]
            if tag == "meta" and given.get("name") == "description":
                self.said.append(given["content"])
            if tag == "input" and given.get("type") == "submit":
                self.said.append(given.get("value", ""))
        if tag == "a" and "download" not in given:
            self.links.append(given.get("href", ""))
        if tag not in VOID:
            self._open.append((tag, unread))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, text: str) -> None:
        if not (self._open and self._open[-1][1]):
            self.said.append(text)


def read(html: str, language: str = "ru") -> _Page:
    page = _Page(language)
    page.feed(html)
    return page


def latin_words(html: str, known: Iterable[str]) -> set[str]:
    """The words in Latin letters that a reader of Russian meets on a page and that are not known."""
    # A name that a plot cuts short ends in a word that nobody knows.
    told = (re.sub(r"\w+…", "", text) for text in read(html).said)
    words = {word for text in told for word in WORD.findall(text)}
    return {word for word in words - set(known) if len(word) > 1}


def walk(browser: Browser, start: str, most: int = 200) -> dict[str, str]:
    """The pages to which links lead from one of them, by address: one of each kind of address and query."""
    waiting, seen = [start], set()
    found: dict[str, str] = {}
    while waiting and len(found) < most:
        address = waiting.pop(0)
        html = browser.open(address)
        if browser.last.mimetype != "text/html":
            continue
        assert browser.last.status_code == 200, address
        found[address] = html
        for link in read(html).links:
            target = urljoin(address, link)
            kind = _kind(target)
            if kind is not None and kind not in seen:
                seen.add(kind)
                waiting.append(target)
    return found


def _kind(address: str) -> str | None:
    """What one look at is enough for: the address without its numbers, and what it asks for."""
    parts = urlsplit(address)
    if parts.netloc or parts.scheme or "lang=" in parts.query or "theme=" in parts.query:
        return None
    asked = sorted(each.partition("=")[0] for each in parts.query.split("&"))
    return re.sub(r"\d+", "N", parts.path) + "?" + "&".join(asked)
