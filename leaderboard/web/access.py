"""Who may use which route. A route that names no rule is refused to everybody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flask import Flask, abort, current_app, request

View = TypeVar("View", bound=Callable[..., object])

_RULES = "leaderboard.access"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of access: its name, as docs and tests know it, and whether it lets this request pass."""

    name: str
    permits: Callable[[], bool]


EVERYBODY = Rule("everybody", lambda: True)


def allow(rule: Rule) -> Callable[[View], View]:
    """Names the rule of a view. It stands below the route, next to the function."""

    def named(view: View) -> View:
        vars(view)["access_rule"] = rule
        return view

    return named


def grant(app: Flask, endpoint: str, rule: Rule) -> None:
    """Names the rule of a route that an extension has made."""
    app.extensions.setdefault(_RULES, {})[endpoint] = rule


def rule_of(app: Flask, endpoint: str) -> Rule | None:
    """The rule of a route, None where it names none."""
    granted: Rule | None = app.extensions.get(_RULES, {}).get(endpoint)
    if granted is not None:
        return granted
    rule = getattr(app.view_functions.get(endpoint), "access_rule", None)
    return rule if isinstance(rule, Rule) else None


def guard(app: Flask) -> None:
    """Puts the rules before every view of the application."""
    app.before_request(_refuse)


def _refuse() -> None:
    if request.endpoint is None:
        # No route: the answer is "not found" already.
        return
    rule = rule_of(current_app, request.endpoint)
    if rule is None:
        current_app.logger.error("the route %s names no rule of access and is refused", request.endpoint)
        abort(403)
    if not rule.permits():
        abort(403)
