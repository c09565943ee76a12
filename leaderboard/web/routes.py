"""Routes that cost little until they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule


class Route(Rule):
    """A route whose address is first put together when a page needs it.

    Werkzeug compiles two functions for every route when the application starts, which is more than half of
    what starting takes; a page leads to few of the hundreds.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        def build(_route: Rule, /, **values: Any) -> tuple[str, str]:
            made = super(Route, self)._compile_builder(append_unknown).__get__(self, None)
            if append_unknown:
                self._build_unknown = made
            else:
                self._build = made
            address: tuple[str, str] = made(**values)
            return address

        return build
