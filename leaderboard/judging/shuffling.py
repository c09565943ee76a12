"""Chance that can be repeated anywhere: an order that depends on a seed and on names, and on nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def shuffled(items: Iterable[str], seed: int, *names: str | int) -> tuple[str, ...]:
    """The items in an order drawn by the seed and the names of what it is for.

    It is the order of their hashes, so that a campaign can be replayed with any version of any library, and
    the order in which the items come makes no difference.
    """
    return tuple(sorted(items, key=lambda item: (_number(seed, *names, item), item)))


def coin(seed: int, *names: str | int) -> bool:
    """Heads or tails, drawn by the seed and the names of what it is for."""
    return bool(_number(seed, *names) & 1)


def _number(*parts: str | int) -> int:
    # Each part ends in a character that no name holds, so that no two lists of names run into one.
    text = "".join(f"{part}\0" for part in parts)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())
