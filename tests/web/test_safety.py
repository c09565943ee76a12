"""What a browser is told, what hostile names do (nothing), and what no page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.web.installation import NOON, Installation
from tests.web.test_pages import PAGES

HOSTILE = "<script>alert(1)</script>\"' onload=x {0.__class__} %(x)s {{7*7}}"


@pytest.mark.parametrize(
    "address", [*PAGES, "/nothing", "/tasks/russe/inputs/pairs", "/tasks/russe/board.json"]
)
def test_every_answer_forbids_scripts_and_styles_that_are_not_ours(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("address", [*PAGES, "/nothing"])
def test_no_page_has_scripts_or_styles_within_or_loads_from_elsewhere(
    client: FlaskClient, address: str
) -> None:
    page = client.get(address).text
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))
    loaded = re.findall(r'<(?:link|script|img|source|iframe)[^>]*(?:href|src)="([^"]*)"', page)
    assert loaded
    assert all(each.startswith("/") and not each.startswith("//") for each in loaded)


def test_hostile_names_are_only_text(own: Installation) -> None:
    run_id = own.submit("russe", "embeddings.csv", HOSTILE, name=HOSTILE, description=HOSTILE)
    own.change("russe", run_id, disqualified_at=NOON, disqualified_for=HOSTILE)
    reader = own.app().test_client()
    for address in ("/", "/tasks/russe/board?track=hj", f"/tasks/russe/runs/{run_id}"):
        page = reader.get(address).text
        assert "<script>alert" not in page
        assert "49" not in re.findall(r"onload=x[^<]*", page)
    board = reader.get("/tasks/russe/board?track=hj").text
    assert board.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 3


def test_a_hostile_address_is_only_text(client: FlaskClient) -> None:
    for address in ("/tasks/russe/mj", "/tasks/russe/board"):
        page = client.get(address, query_string={"word": HOSTILE, "x": HOSTILE}).text
        assert "<script>alert" not in page


def test_names_keep_their_own_direction_of_writing(own: Installation) -> None:
    own.submit("russe", "embeddings.csv", "مجموعة القدس")
    page = own.app().test_client().get("/tasks/russe/board?track=hj").text
    assert '<bdi class="name">مجموعة القدس</bdi>' in page


def test_no_page_says_anything_of_the_gold(own: Installation, tmp_path: Path) -> None:
    folder = own.copied_gold("russe", tmp_path / "marked")
    for track, line in (
        ("hj-test", "канареечник,желтопузик,0.123454321"),
        ("rt-test", "канареечник,желтопузик,1"),
        ("ae2-test", "канареечник,желтопузик,1"),
    ):
        with (folder / f"{track}.csv").open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    own.install_gold("russe", folder)
    own.enter_samples("russe")
    own.build_mj(publish=False)
    hashes = [path.name for path in (own.settings.instance / "gold").rglob("*") if len(path.name) == 64]
    assert len(hashes) >= 3
    reader = own.app().test_client()
    addresses = [each for each in PAGES if "cast" not in each]
    addresses += [f"/tasks/russe/runs/{number}" for number in range(1, 12)]
    addresses += [f"/tasks/russe/board.{ending}?track=hj" for ending in ("csv", "json", "tex", "md")]
    addresses += [f"/tasks/russe/inputs/{name}" for name in ("pairs", "training", "instructions")]
    opened = 0
    for address in addresses:
        answer = reader.get(address)
        opened += answer.status_code == 200
        for secret in ("канареечник", "желтопузик", "0.123454321", *hashes):
            assert secret not in answer.text
    assert opened > 20
