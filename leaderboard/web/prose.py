"""What organisers write, from Markdown to HTML that cannot do harm."""

from __future__ import annotations

import nh3
from flask import Flask
from markdown import Markdown  # type: ignore[import-untyped]  # it ships no types
from markupsafe import Markup

_TAGS = {
    "p", "br", "hr", "h2", "h3", "h4", "em", "strong", "del", "sub", "sup", "code", "pre", "blockquote", "a",
    "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip


def init_prose(app: Flask) -> None:
    """Gives templates the filter `prose`."""
    app.add_template_filter(prose)


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
