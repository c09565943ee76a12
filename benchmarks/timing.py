"""Medians of several turns, and their table; the peak of memory."""

from __future__ import annotations

import re
import resource
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def medians(ways: Mapping[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """Seconds of each way: the median of `turns`, one of each in rotation, after one turn uncounted."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns + 1):
        for name, way in ways.items():
            started = time.perf_counter()
            way()
            if turn:
                seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def show(title: str, seconds: Mapping[str, float], ours: str) -> None:
    """Prints a line for each way, with the ratio to our own."""
    print(f"\n{title}")
    width = max(map(len, seconds))
    for name, taken in seconds.items():
        print(f"  {name:<{width}}  {taken * 1000:>10.1f} ms  {taken / seconds[ours]:>8.2f} ×")


def each(way: Callable[[Path], object], paths: Sequence[Path]) -> None:
    """Goes one way with every path."""
    for path in paths:
        way(path)


def peak() -> float:
    """The most memory that this process has held, in MB. What the system counts for a child begins with its
    parent's, where /proc does not say better."""
    status = Path("/proc/self/status")
    if status.is_file():
        found = re.search(r"VmHWM:\s+(\d+)", status.read_text())
        if found:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
