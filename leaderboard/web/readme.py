"""A task's own text, from Markdown to HTML that cannot do harm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

import nh3
from flask_babel import gettext
from markdown import Markdown  # type: ignore[import-untyped]  # it ships no types
from markupsafe import Markup

from leaderboard.contract import TaskSpec

_TAGS = {
    "p", "br", "hr", "h2", "h3", "h4", "em", "strong", "del", "sub", "sup", "code", "pre", "blockquote", "a",
    "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "h2": {"id"}, "h3": {"id"}, "h4": {"id"}, "ol": {"start"}}
_TITLE = re.compile(r"\A\s*#[ \t]+[^\n]*\n")
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Heading:
    """A section of the text: the id to link to, and its words."""

    id: str
    words: str


@dataclass(frozen=True, slots=True)
class Readme:
    """The text without its title, the language it is in, and its sections."""

    html: Markup
    language: str
    headings: tuple[Heading, ...]


def text_of(spec: TaskSpec, written: Mapping[str, str], language: str) -> Readme | None:
    """The text of a task's page in that language, else in English: what its organisers have `written` by
    language, and where they wrote nothing the README."""
    for code in (language, "en"):
        if written.get(code):
            return rendered(written[code], code)
    return readme_of(spec, language)


def readme_of(spec: TaskSpec, language: str) -> Readme | None:
    """The README of a task in that language, else in English; None where it has none.

    An edition without a text of its own has that of the task whose scorer it shares.
    """
    suffixes = [(f".{language}.md", language), (".md", "en")] if language != "en" else [(".md", "en")]
    for folder in (spec.folder, spec.scorer.parent):
        for suffix, written_in in suffixes:
            path = folder / f"README{suffix}"
            if path.is_file():
                return rendered(path.read_text(encoding="utf-8-sig"), written_in)
    return None


def rendered(source: str, language: str) -> Readme:
    """Markdown as HTML that cannot do harm, without its title: the page has that already."""
    return _rendered(source, language, gettext("Table"))


@lru_cache(maxsize=64)
def _rendered(source: str, language: str, table: str) -> Readme:
    source = _TITLE.sub("", source, count=1)
    markdown = Markdown(extensions=["tables", "fenced_code", "sane_lists", "toc"], output_format="html")
    html = nh3.clean(
        markdown.convert(source),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    tokens: list[dict[str, str]] = markdown.toc_tokens
    headings = tuple(Heading(token["id"], unescape(token["name"])) for token in tokens)
    html = _TABLE.sub(_scrolling(table), html).replace("<pre>", '<pre tabindex="0">')
    return Readme(Markup(html), language, headings)  # noqa: S704 - cleaned above


def _scrolling(label: str) -> str:
    """A wide table scrolls by itself, also by keyboard, and leaves the page where it is."""
    opening = Markup('<div class="scroll" role="group" tabindex="0" aria-label="{}">').format(label)
    return str(opening).replace("\\", r"\\") + r"\g<0></div>"
