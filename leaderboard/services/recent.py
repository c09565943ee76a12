"""What was made last, kept in the memory of a process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """At most `most` things by what they were made from; the one not asked for the longest goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[Hashable, Made] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What was made of this key, or is now. Of threads that need the same at once one makes it, and the
        others wait, those too that need something else."""
        with self._lock:
            return self._made_before(key) if key in self._made else self._keep(key, make())

    def get_beside(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The same without waiting for others, where making it twice does no harm."""
        with self._lock:
            if key in self._made:
                return self._made_before(key)
        made = make()
        with self._lock:
            return self._keep(key, made)

    def _made_before(self, key: Hashable) -> Made:
        self._made.move_to_end(key)
        return self._made[key]

    def _keep(self, key: Hashable, made: Made) -> Made:
        self._made[key] = made
        self._made.move_to_end(key)
        if len(self._made) > self._most:
            self._made.popitem(last=False)
        return made
