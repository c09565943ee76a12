"""A measure is a value with parameters that reads and writes as text: ``nDCG@3``, ``compat(p=0.8)``."""

from __future__ import annotations

import re
from dataclasses import dataclass

Parameter = int | float | str

_SHAPE = re.compile(r"([A-Za-z][A-Za-z0-9_]*)(?:\(([^()]*)\))?(?:@([0-9]+))?")


@dataclass(frozen=True, slots=True)
class Measure:
    """A named, parametrised scoring function.

    `cutoff` is the depth after ``@`` (None: the whole ranking); `parameters` are the pairs in brackets,
    in the order written. Two measures that read the same are equal.
    """

    name: str
    parameters: tuple[tuple[str, Parameter], ...] = ()
    cutoff: int | None = None

    def __str__(self) -> str:
        text = self.name
        if self.parameters:
            text += "(" + ",".join(f"{key}={value}" for key, value in self.parameters) + ")"
        if self.cutoff is not None:
            text += f"@{self.cutoff}"
        return text

    def parameter(self, key: str, default: Parameter) -> Parameter:
        """The value of one parameter, `default` where the text does not give it."""
        return dict(self.parameters).get(key, default)


def parse(text: str) -> Measure:
    """Reads a measure's text. Raises ValueError, naming the text, where it is not one.

    ``str(parse(text))`` is the canonical form; spaces are dropped.
    """
    match = _SHAPE.fullmatch(text.replace(" ", ""))
    if match is None:
        raise ValueError(f"{text!r} is not a measure; write it like nDCG@3, AP or compat(p=0.8)")
    name, inside, cutoff = match.groups()
    if cutoff is not None and int(cutoff) == 0:
        raise ValueError(f"{text!r}: a cutoff counts from 1")
    parameters = tuple(_parse_parameter(part, text) for part in inside.split(",")) if inside else ()
    if len({key for key, _ in parameters}) < len(parameters):
        raise ValueError(f"{text!r} gives a parameter twice")
    return Measure(name, parameters, None if cutoff is None else int(cutoff))


def _parse_parameter(part: str, text: str) -> tuple[str, Parameter]:
    key, equals, value = part.partition("=")
    if not key or not equals or not value:
        raise ValueError(f"{text!r}: a parameter is written name=value, not {part!r}")
    for read in (int, float):
        try:
            return key, read(value)
        except ValueError:
            continue
    return key, value
