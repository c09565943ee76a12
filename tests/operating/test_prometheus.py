"""What we say, and what the pages have people ask, is read by Prometheus' own program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from leaderboard.telemetry import exposition, meters
from leaderboard.web.probes import gauges
from tests.operating import pages
from tests.operating.test_dashboard import queries
from tests.web.installation import Installation

PROMTOOL = shutil.which("promtool")
INTERVAL = "5m"

pytestmark = pytest.mark.skipif(
    PROMTOOL is None, reason="promtool, of the package prometheus, is not installed"
)


def promtool(*arguments: str | Path, said: bytes = b"") -> str:
    """What it prints, where it finds nothing wrong."""
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, *arguments], input=said, capture_output=True, check=False)
    printed = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, printed
    return printed


def asked(query: str) -> str:
    """A query as Grafana sends it."""
    return query.replace("$__rate_interval", INTERVAL)


def about(metric: str) -> str:
    """The query of the dashboard that asks for a metric and counts what came."""
    (found,) = (query for query in queries() if metric in query and "unless" in query)
    return asked(found)


def answer(folder: Path, query: str, series: Sequence[tuple[str, str]], at: str) -> dict[str, float]:
    """What a query gives at a moment, by labels; `series` has values every minute, by name and labels."""
    written = [{"series": name, "values": values} for name, values in series]
    test = {
        "promql_expr_test": [{"expr": query, "eval_time": at, "exp_samples": []}],
        "input_series": written,
    }
    (folder / "test.json").write_text(json.dumps({"tests": [{"interval": "1m", **test}]}))
    assert PROMTOOL is not None
    # It only compares: told that there is nothing, it says what there is.
    done = subprocess.run(
        [PROMTOOL, "test", "rules", folder / "test.json"], capture_output=True, text=True, check=False
    )
    (got,) = re.findall(r"got:(.*)", done.stdout + done.stderr) or [""]
    return {labels: float(value) for labels, value in re.findall(r"(\{[^}]*\}) ([-+.\w]+)", got)}


def test_what_an_installation_shows_is_written_by_the_rules(
    tmp_path: Path, tasks_folder: Path, counted: None
) -> None:
    for meter in meters.ALL:
        if meter.kind == "counter":
            meter.add(*meter.labels)
        else:
            meter.took(0.1, *meter.labels)
    made = Installation.make(tmp_path, tasks_folder)
    shown = exposition.text(lambda: gauges(made.site))
    made.site.close()
    assert promtool("check", "metrics", said=shown) == ""


def test_the_settings_on_the_page_are_settings(tmp_path: Path) -> None:
    (written,) = pages.of("docs/operating/watching.md", "yaml")
    (tmp_path / "prometheus.yml").write_text(written)
    assert "SUCCESS" in promtool("check", "config", tmp_path / "prometheus.yml")


def test_each_query_of_the_dashboard_can_be_read(tmp_path: Path) -> None:
    rules = [{"record": f"query:{n}", "expr": asked(query)} for n, query in enumerate(queries())]
    (tmp_path / "rules.json").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in promtool("check", "rules", tmp_path / "rules.json")


SERVER = 'job="leaderboard", instance="a"'


@pytest.mark.parametrize(
    ("rejected", "up", "came"),
    [
        # Its series begins with it, at 1: `increase` alone sees none.
        ("_x10 1x10", "1x20", 1),
        ("_x10 1 2 3x10", "1x20", 3),
        ("7x10 8x10", "1x20", 1),
        # The server was started anew.
        ("7x10 1x10", "1x20", 1),
        # Prometheus was; what it finds was there before.
        ("_x10 700x10", "_x10 1x10", 0),
    ],
)
def test_the_first_of_its_kind_is_counted_too(tmp_path: Path, rejected: str, up: str, came: int) -> None:
    series = [
        (f'leaderboard_uploads_rejected_total{{{SERVER}, task="russe", fault="header"}}', rejected),
        (f"up{{{SERVER}}}", up),
    ]
    counted = answer(tmp_path, about("leaderboard_uploads_rejected_total"), series, "13m")
    ((labels, value),) = counted.items() or [("", 0.0)]
    assert labels in ('{fault="header", task="russe"}', "")
    assert round(value) == came


def test_where_nothing_fails_the_share_of_what_fails_is_nought(tmp_path: Path) -> None:
    (query,) = (asked(query) for query in queries() if "5.." in query)
    series = [(f'leaderboard_requests_total{{{SERVER}, status="200"}}', "0+60x20")]
    assert answer(tmp_path, query, series, "10m") == {"{}": 0.0}
