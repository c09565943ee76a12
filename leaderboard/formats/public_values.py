"""How it is written what everybody is told of values: "exact", "rounded 2" (decimals), "ladder 0.01" (step),
"ladder"."""

from __future__ import annotations

import re

from leaderboard.analysis.public_values import Rule

MOST_DIGITS = 15

LEAST_STEP = 1e-9
"""What is announced is a multiple of the step, as far as 12 decimals can say."""

_FORM = re.compile(r"(exact|ladder)|rounded +(\d{1,2})|ladder +(\d*\.?\d+(?:[eE]-?\d+)?)")


def parse(text: str) -> Rule:
    """The rule that a text writes. Raises ValueError."""
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError(f'"{text}" is no way to tell values')
    word, digits, step = found.groups()
    if digits is not None and int(digits) <= MOST_DIGITS:
        return Rule("rounded", digits=int(digits))
    if step is not None and LEAST_STEP <= float(step) < 1:
        return Rule("ladder", step=float(step))
    if word is None:
        raise ValueError(f"{digits or step} is too large or too small")
    return Rule("ladder" if word == "ladder" else "exact")


def written(rule: Rule) -> str:
    """The text that `parse` reads as this rule."""
    number = rule.digits if rule.digits is not None else rule.step
    return rule.kind if number is None else f"{rule.kind} {number!r}"
