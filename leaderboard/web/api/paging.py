"""Lists in parts, each of which says where the others are (RFC 8288)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from flask import request


def part(items: Sequence[Any], asked: dict[str, Any]) -> Sequence[Any]:
    """The items of the page asked for."""
    first = (asked["page"] - 1) * asked["per_page"]
    return items[first : first + asked["per_page"]]


def paged(items: Sequence[Any], total: int, asked: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """What a page of a list says beside its own members, and the header that leads to other pages."""
    last = max(1, -(-total // asked["per_page"]))
    page = asked["page"]
    where = {"first": 1, "prev": min(page - 1, last), "next": page + 1, "last": last}
    links = [
        f'<{_address(number)}>; rel="{relation}"'
        for relation, number in where.items()
        if (relation != "prev" or page > 1) and (relation != "next" or page < last)
    ]
    document = {"items": list(items), "total": total, "page": page, "per_page": asked["per_page"]}
    return document, {"Link": ", ".join(links)}


def _address(page: int) -> str:
    parameters = [(name, value) for name, value in request.args.items(multi=True) if name != "page"]
    return f"{request.base_url}?{urlencode([*parameters, ('page', page)])}"
