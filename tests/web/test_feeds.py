"""The feed of a task is Atom as RFC 4287 wants it."""

from __future__ import annotations

import re
from datetime import datetime
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, fromstring

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.web.browser import SECRET, make_app, site_of
from tests.web.installation import Installation

FEED = "/tasks/russe/changes.atom"
ATOM = "{http://www.w3.org/2005/Atom}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def parsed(answer: TestResponse) -> Element:
    assert answer.mimetype == "application/atom+xml"
    return fromstring(answer.data)


def text(element: Element, name: str) -> str:
    """The words of the one child of that name."""
    (found,) = element.findall(ATOM + name)
    return found.text or ""


def titles(answer: TestResponse) -> list[str]:
    return [text(entry, "title") for entry in parsed(answer).findall(ATOM + "entry")]


def check(element: Element) -> None:
    """What a feed and an entry must both have: one address of its own, a title, a time, where to read on."""
    assert urlsplit(text(element, "id")).scheme == "tag"
    assert text(element, "title")
    assert TIME.fullmatch(text(element, "updated"))
    (alternate,) = [
        link for link in element.findall(ATOM + "link") if link.get("rel", "alternate") == "alternate"
    ]
    assert urlsplit(alternate.get("href", "")).scheme == "http"


@pytest.mark.parametrize("task", ["russe", "cast"])
def test_the_feed_is_valid_atom(client: FlaskClient, task: str) -> None:
    feed = parsed(client.get(f"/tasks/{task}/changes.atom"))
    assert feed.tag == ATOM + "feed"
    check(feed)
    assert [link.get("href") for link in feed.findall(ATOM + "link") if link.get("rel") == "self"] == [
        f"http://localhost/tasks/{task}/changes.atom"
    ]
    # Entries without an author take the feed's, which then must have one.
    (author,) = feed.findall(ATOM + "author")
    assert text(author, "name")
    entries = feed.findall(ATOM + "entry")
    assert entries
    for entry in entries:
        check(entry)
        (content,) = entry.findall(ATOM + "content")
        assert content.get("type") == "html"
        assert len(content) == 0
    assert len({text(entry, "id") for entry in entries}) == len(entries)
    times = [datetime.fromisoformat(text(entry, "updated")) for entry in entries]
    assert times == sorted(times, reverse=True)
    assert text(feed, "updated") == text(entries[0], "updated")


def test_it_tells_of_runs_places_gold_and_resources(own: Installation) -> None:
    reader = own.app().test_client()
    own.submit("russe", "char_trigrams.csv", "Onega", name="trigrams")
    own.submit("russe", "embeddings.csv", "Angara", name="vectors <b>")
    own.build_mj(publish=True)
    answer = reader.get(FEED)
    assert titles(answer) == [
        "Machine judgments number 1 are published",
        "New counted run “vectors <b>” of Angara",
        "New counted run “trigrams” of Onega",
        "The benchmark has a new version",
    ]
    entry = parsed(answer).findall(ATOM + "entry")[1]
    html = text(entry, "content")
    assert "Onega: from place 1 to 2" in html
    assert "Angara: new on place 1" in html
    assert "vectors &lt;b&gt;" in html
    assert 'href="http://localhost/tasks/russe/runs/2"' in html


def test_every_page_of_the_ranking_names_the_feed(client: FlaskClient) -> None:
    for address in ("/tasks/russe", "/tasks/russe/board"):
        (link,) = re.findall(r'<link rel="alternate"[^>]*>', client.get(address).text)
        assert 'type="application/atom+xml"' in link
        assert f'href="{FEED}"' in link


def test_a_feed_that_did_not_change_is_not_sent_again(client: FlaskClient) -> None:
    etag = client.get(FEED).headers["ETag"]
    assert client.get(FEED, headers={"If-None-Match": etag}).status_code == 304


def test_a_feed_speaks_the_language_asked_for(client: FlaskClient) -> None:
    feed = parsed(client.get(f"{FEED}?lang=ru"))
    assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == "ru"
    assert "RUSSE: семантическая близость" in text(feed, "title")


def test_what_xml_cannot_hold_does_not_break_the_feed(own: Installation) -> None:
    own.submit("russe", "embeddings.csv", "Angara", name="odd \uffff name")
    assert titles(own.app().test_client().get(FEED))[0] == "New counted run “odd \ufffd name” of Angara"


def test_of_a_task_without_news_the_feed_is_empty_and_valid(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = make_app(tmp_path_factory.mktemp("empty"))
    feed = parsed(app.test_client().get(FEED))
    check(feed)
    assert feed.findall(ATOM + "entry") == []
    site_of(app).close()


def test_the_public_address_stands_in_feeds_whatever_a_proxy_calls_the_site(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    app = make_app(tmp_path_factory.mktemp("public"), public_url="https://lb.example", secret_key=SECRET)
    answer = app.test_client().get(FEED, headers={"Host": "127.0.0.1:8000"})
    assert b"127.0.0.1" not in answer.data
    assert b"tag:lb.example,2026:" in answer.data
    site_of(app).close()


def test_a_task_for_organisers_has_no_feed(own: Installation) -> None:
    own.hide_task("russe")
    reader = own.app().test_client()
    assert reader.get(FEED).status_code == 404
    assert reader.get("/tasks/russe/cite.bib").status_code == 404
