"""Archives through the pages of organisers."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser


@pytest.fixture
def olga(own: Installation) -> Organiser:
    own.submit("russe", "embeddings.csv", "Foxes")
    return Organiser(app_of(own))


def archive(olga: Organiser, **ticks: str) -> zipfile.ZipFile:
    olga.open(olga.at("archive"))
    olga.send(olga.at("archive"), **({"names": "public"} | ticks))
    site_of(olga.app).jobs.drain()
    olga.open(olga.at("archive"))
    answer = olga.client.get(olga.at("archive/1.zip"))
    assert answer.status_code == 200
    return zipfile.ZipFile(io.BytesIO(answer.data))


def test_one_click_gives_an_archive(olga: Organiser) -> None:
    names = archive(olga).namelist()
    assert {"README.md", "manifest.json", "runs.csv"} <= set(names)
    assert not [name for name in names if name.startswith("gold/")]


def test_the_page_watches_one_that_is_being_made(olga: Organiser) -> None:
    olga.open(olga.at("archive"))
    page = olga.send(olga.at("archive"), names="own")
    assert f'data-progress="{olga.at("archive/1/progress")}"' in page
    assert olga.client.get(olga.at("archive/1.zip")).status_code == 404
    told = olga.client.get(olga.at("archive/1/progress")).get_json()
    assert (told["state"], told["working"]) == ("working", True)
    site_of(olga.app).jobs.drain()
    assert olga.client.get(olga.at("archive/1/progress")).get_json()["state"] == "done"


def test_gold_comes_only_with_its_tick(olga: Organiser) -> None:
    assert "gold/hj-version-1/hj-test.csv" in archive(olga, with_gold="y").namelist()
    assert "with the benchmarks" in olga.open(olga.at("archive"))


def test_a_download_can_go_on_where_it_stopped(olga: Organiser) -> None:
    archive(olga)
    whole = olga.client.get(olga.at("archive/1.zip"))
    part = olga.client.get(olga.at("archive/1.zip"), headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.data) == (206, whole.data[100:200])
    assert part.headers["ETag"] == whole.headers["ETag"]
    assert whole.headers["Cache-Control"] == "private, no-cache"
