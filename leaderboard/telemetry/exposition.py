"""The metrics as Prometheus reads them.

Several processes of one host keep their numbers in files of one folder, which `PROMETHEUS_MULTIPROC_DIR`
names before any of them starts; whichever of them is asked adds up all. What processes that ended have
counted stays there, or counters would fall; to add up what a thousand of them left takes a tenth of a second.
"""

from __future__ import annotations

import hmac
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from leaderboard.telemetry import meters
from leaderboard.telemetry.meters import Meter

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Gauge:
    """Something that is so large at the moment, by the values of its labels."""

    name: str
    labels: tuple[str, ...]
    words: str
    values: Mapping[tuple[str, ...], float] = field(default_factory=dict)


class _Kept:
    """The numbers in Prometheus' own objects."""

    def __init__(self) -> None:
        import prometheus_client

        self.registry = prometheus_client.CollectorRegistry()
        self._made: dict[Meter, Any] = {}
        for meter in meters.ALL:
            if meter.kind == "counter":
                self._made[meter] = prometheus_client.Counter(
                    meter.name, meter.words, meter.labels, registry=self.registry
                )
            else:
                self._made[meter] = prometheus_client.Histogram(
                    meter.name, meter.words, meter.labels, registry=self.registry, buckets=meter.limits
                )

    def add(self, meter: Meter, labels: tuple[str, ...]) -> None:
        self._made[meter].labels(*labels).inc()

    def took(self, meter: Meter, seconds: float, labels: tuple[str, ...]) -> None:
        self._made[meter].labels(*labels).observe(seconds)


_kept: _Kept | None = None
_starting = threading.Lock()


def start() -> None:
    """Keeps numbers from now on; safe to repeat."""
    global _kept  # noqa: PLW0603 - a process has one
    with _starting:
        if _kept is None:
            _kept = _Kept()
            meters.put_behind(_kept)


def is_shown(token: str, authorization: str) -> bool:
    """Whether a header shows the token; none lets nobody in."""
    scheme, _, shown = authorization.partition(" ")
    return (
        bool(token)
        and scheme.lower() == "bearer"
        and hmac.compare_digest(shown.strip().encode(), token.encode())
    )


def text(now: Callable[[], Iterable[Gauge]] = tuple) -> bytes:
    """All numbers of the host's processes, with what is so at the moment."""
    import prometheus_client
    from prometheus_client.multiprocess import MultiProcessCollector

    start()
    registry = prometheus_client.CollectorRegistry()
    if os.environ.get(FOLDER):
        MultiProcessCollector(registry)
    elif _kept is not None:
        registry = _kept.registry
    return prometheus_client.generate_latest(registry) + _written(now())


def _written(gauges: Iterable[Gauge]) -> bytes:
    import prometheus_client
    from prometheus_client.core import GaugeMetricFamily

    found = list(gauges)

    class Now:
        def collect(self) -> Iterable[GaugeMetricFamily]:
            for gauge in found:
                family = GaugeMetricFamily(gauge.name, gauge.words, labels=gauge.labels)
                for labels, value in gauge.values.items():
                    family.add_metric(labels, value)
                yield family

    registry: CollectorRegistry = prometheus_client.CollectorRegistry()
    registry.register(Now())
    return prometheus_client.generate_latest(registry)
