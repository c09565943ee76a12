"""From numbers to places on a drawing, and the numbers that stand along an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_STEPS_OF_TIME = (
    *(MINUTE * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR * n for n in (1, 2, 3, 6, 12)),
    *(DAY * n for n in (1, 2, 4, 7, 14, 28, 56, 91, 182, 364, 728, 1820)),
)


@dataclass(frozen=True, slots=True)
class Linear:
    """`low` stands at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def widened(low: float, high: float) -> tuple[float, float]:
    """The same span, or one around a single value; what nobody could tell apart counts as that."""
    if high - low > 1e-9 * max(1.0, abs(low), abs(high)):
        return low, high
    half = abs(low) * 0.05 if abs(low) > 1e-6 else 0.5
    return low - half, low + half


def widened_time(low: float, high: float) -> tuple[float, float]:
    """The same span of time, but of some minutes at least; around a single moment its day."""
    middle, least = (low + high) / 2, DAY if low == high else 10 * MINUTE
    half = max(high - low, least) / 2
    return middle - half, middle + half


def ticks(low: float, high: float, about: int = 5) -> tuple[float, ...]:
    """Round numbers from `low` to `high`, about so many: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / (max(1, about) + 1.5)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 5, 10) if power * n >= rough * (1 - 1e-9))
    return _multiples(low, high, step)


def time_ticks(low: float, high: float, about: int = 5) -> tuple[float, ...]:
    """Full minutes, hours, midnights or the like (in UTC) from `low` to `high`, about so many at most."""
    wanted = (high - low) / max(1, about)
    step = next((step for step in _STEPS_OF_TIME if step >= wanted), _STEPS_OF_TIME[-1])
    return _multiples(low, high, step)


def decimals(values: tuple[float, ...]) -> int:
    """How many decimals tell these evenly spaced numbers apart."""
    if len(values) < 2:
        return 2
    return max(0, -math.floor(math.log10(values[1] - values[0]) + 1e-9))


def _multiples(low: float, high: float, step: float) -> tuple[float, ...]:
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return tuple(number * step for number in range(first, last + 1))
