"""Nobody is sent what they have already, and everything goes out small."""

from __future__ import annotations

import gzip
import re

import brotli  # type: ignore[import-untyped]  # it ships no types
import pytest
from flask.testing import FlaskClient

from tests.web.installation import Installation

ADDRESSES = ("/", "/tasks/russe", "/tasks/russe/board?track=hj", "/tasks/russe/runs/8", "/tasks/russe/mj")


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_that_has_not_changed_is_not_sent_again(client: FlaskClient, address: str) -> None:
    first = client.get(address)
    again = client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]


def test_a_board_is_sent_again_once_it_has_changed(own: Installation) -> None:
    reader = own.app().test_client()
    own.submit("russe", "random.csv", "Onega")
    before = reader.get("/tasks/russe/board?track=hj").headers["ETag"]
    own.submit("russe", "embeddings.csv", "Angara")
    after = reader.get("/tasks/russe/board?track=hj", headers={"If-None-Match": before})
    assert after.status_code == 200
    assert "Angara" in after.text


@pytest.mark.parametrize("address", ADDRESSES)
def test_each_language_and_appearance_has_a_tag_of_its_own(client: FlaskClient, address: str) -> None:
    english = client.get(address, headers={"Accept-Language": "en"}).headers["ETag"]
    russian = client.get(address, headers={"Accept-Language": "ru"}).headers["ETag"]
    client.set_cookie("theme", "dark")
    dark = client.get(address, headers={"Accept-Language": "en"}).headers["ETag"]
    assert len({english, russian, dark}) == 3


def test_caches_know_what_a_page_depends_on(client: FlaskClient) -> None:
    answer = client.get("/tasks/russe")
    assert {"Accept-Language", "Cookie", "Accept-Encoding"} <= set(answer.vary)
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(("coding", "unpack"), [("br", brotli.decompress), ("gzip", gzip.decompress)])
def test_pages_and_assets_are_compressed(client: FlaskClient, coding: str, unpack: object) -> None:
    page = client.get("/")
    style = re.findall(r'href="([^"]+site\.css)"', page.text)[0]
    for address in ("/tasks/russe", style):
        plain = client.get(address).data
        packed = client.get(address, headers={"Accept-Encoding": coding})
        assert packed.headers["Content-Encoding"] == coding
        assert unpack(packed.data) == plain  # type: ignore[operator]  # two functions without types
        assert len(packed.data) < len(plain) / 2


def test_assets_are_kept_for_ever_under_their_digest_only(client: FlaskClient) -> None:
    address = re.findall(r'src="([^"]+site\.js)"', client.get("/").text)[0]
    assert "immutable" in client.get(address).headers["Cache-Control"]
    other = re.sub(r"/assets/[0-9a-f]+/", "/assets/another/", address)
    assert client.get(other).headers["Cache-Control"] == "public, max-age=60"


def test_an_asset_that_has_not_changed_is_not_sent_again(client: FlaskClient) -> None:
    address = re.findall(r'href="([^"]+site\.css)"', client.get("/").text)[0]
    tag = client.get(address).headers["ETag"]
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304


def test_downloads_that_have_not_changed_are_not_sent_again(client: FlaskClient) -> None:
    for address in ("/tasks/russe/inputs/pairs", "/tasks/russe/board.csv", "/tasks/russe/mj/1/long.csv"):
        tag = client.get(address).headers["ETag"]
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
