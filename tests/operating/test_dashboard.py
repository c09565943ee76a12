"""The dashboard asks for metrics that there are, with labels that they have."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from leaderboard.telemetry import meters
from leaderboard.web.probes import gauges
from tests.conftest import REPOSITORY
from tests.web.installation import Installation

FOLDER = REPOSITORY / "docs" / "operating"
OWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "counter": {"": ()},
    "histogram": {"_bucket": ("le",), "_count": (), "_sum": ()},
}


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Mapping[str, set[str]]:
    """The labels of each metric, by the name that Prometheus knows it by."""
    counted = {
        meter.name + ending: {*meter.labels, *more}
        for meter in meters.ALL
        for ending, more in OWN[meter.kind].items()
    }
    made = Installation.make(tmp_path_factory.mktemp("gauges"), tasks_folder)
    now = {gauge.name: set(gauge.labels) for gauge in gauges(made.site)}
    made.site.close()
    return counted | now


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
    return found


def queries() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield target["expr"]


def test_each_query_names_metrics_that_there_are(labels: Mapping[str, set[str]]) -> None:
    named = {name for query in queries() for name in re.findall(r"leaderboard_\w+", query)}
    assert len(named) > 8
    assert named - set(labels) == set()


def test_each_metric_is_asked_for_and_explained(labels: Mapping[str, set[str]]) -> None:
    asked = " ".join(queries())
    page = (FOLDER / "watching.md").read_text("utf-8")
    short = {re.sub("_(bucket|count|sum)$", "", name) for name in labels}
    assert {name for name in short if name not in asked} == set()
    assert {name for name in short if f"`{name}`" not in page} == set()


def test_each_query_asks_for_labels_that_its_metric_has(labels: Mapping[str, set[str]]) -> None:
    for query in queries():
        having = set.intersection(*(labels[name] for name in re.findall(r"leaderboard_\w+", query)))
        grouped = {
            label.strip() for group in re.findall(r"by \(([^)]*)\)", query) for label in group.split(",")
        }
        chosen = set(re.findall(r"[{,]\s*(\w+)\s*[=!]", query))
        assert (grouped | chosen) - having == set(), query


def test_each_legend_names_labels_that_are_left() -> None:
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            groups = re.findall(r"by \(([^)]*)\)", target["expr"])
            left = {label.strip() for label in groups[0].split(",")} if groups else set()
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= left, target


def test_panels_have_places_of_their_own() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in dashboard()["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken
        taken |= cells
