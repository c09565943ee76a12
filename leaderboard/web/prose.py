"""What organisers write, from Markdown to HTML that cannot do harm."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nh3
from flask import Flask
from markdown import Markdown  # type: ignore[import-untyped]  # it ships no types
from markupsafe import Markup

_TAGS = {
    "p", "br", "hr", "h2", "h3", "h4", "em", "strong", "del", "sub", "sup", "code", "pre", "blockquote", "a",
    "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


_BLOCKS = {"p", "h2", "h3", "h4", "pre", "blockquote", "table", "tr"}
"""What begins and ends a line of a letter."""


def init_prose(app: Flask) -> None:
    """Gives templates the filters `prose` and `letter`."""
    app.add_template_filter(prose)
    app.add_template_filter(letter)


def prose(source: str) -> Markup:
    """A text that was written as Markdown; whatever a page must not hold is taken out."""
    markdown = Markdown(extensions=["tables", "fenced_code", "sane_lists", "nl2br"], output_format="html")
    html = nh3.clean(
        markdown.convert(source),
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(html.replace("<pre>", '<pre tabindex="0">'))  # noqa: S704 - cleaned above


def letter(source: str) -> str:
    """A text that was written as Markdown as a letter has it: links with their addresses, lists as lines."""
    reader = _Letter()
    reader.feed(str(prose(source)))
    reader.close()
    return reader.text


class _Letter(HTMLParser):
    """Puts what `prose` lets through as plain text."""

    def __init__(self) -> None:
        super().__init__()
        self._said: list[str] = []
        self._links: list[tuple[str, int]] = []
        self._lists: list[int | None] = []
        self._as_typed = self._marked = False

    @property
    def text(self) -> str:
        """What was read, with at most one empty line between its parts."""
        lines = "".join(self._said).split("\n")
        return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in _BLOCKS:
            self._end_line(1 if self._lists or tag == "tr" else 2)
        elif tag == "br":
            self._end_line(1)
        elif tag == "a":
            self._links.append((given.get("href") or "", len(self._said)))
        elif tag in ("ul", "ol"):
            self._end_line(1 if self._lists else 2)
            self._lists.append(int(given.get("start") or 1) if tag == "ol" else None)
        elif tag == "li":
            self._begin_item()
        elif tag in ("td", "th") and self._said and not self._said[-1].endswith("\n"):
            self._said.append(" | ")
        self._as_typed = self._as_typed or tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if tag == "a" and self._links:
            address, start = self._links.pop()
            if address and address.removeprefix("mailto:") != "".join(self._said[start:]).strip():
                self._said.append(f" ({address})")
        elif tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._end_line(1 if self._lists else 2)
        elif tag == "hr" or tag in _BLOCKS:
            self._end_line(1 if self._lists or tag == "tr" else 2)
        self._as_typed = self._as_typed and tag != "pre"

    def handle_data(self, data: str) -> None:
        self._marked = self._marked and not data.strip()
        if self._as_typed:
            self._said.append(data)
        elif not data.isspace() or "\n" not in data:
            words = re.sub(r"\s+", " ", data)
            begins = not self._said or self._said[-1].endswith(("\n", " "))
            self._said.append(words.lstrip() if begins else words)

    def _begin_item(self) -> None:
        self._end_line(1)
        number = self._lists[-1] if self._lists else None
        mark = "- " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        self._said.append("  " * (len(self._lists) - 1) + mark)
        self._marked = True

    def _end_line(self, lines: int) -> None:
        """Ends the line, with an empty one behind it where there are to be two; not right behind a mark."""
        said = "".join(self._said[-3:])
        missing = lines - (len(said) - len(said.rstrip("\n")))
        if said and not self._marked and missing > 0:
            self._said.append("\n" * missing)
