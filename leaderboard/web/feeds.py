"""What changes in a task, as an Atom feed (RFC 4287)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

from flask import Blueprint, Response, make_response, render_template, request, url_for
from flask_babel import gettext, ngettext

from leaderboard.contract import TaskSpec
from leaderboard.services import news
from leaderboard.services.news import Item
from leaderboard.site import utc_now
from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.filters import iso, text
from leaderboard.web.installation import public_task, site
from leaderboard.web.letters import public
from leaderboard.web.preferences import language

blueprint = Blueprint("feeds", __name__)

_ATOM = "http://www.w3.org/2005/Atom"
_BEGAN = "2026"
"""A year in which this site's host was ours, as tag addresses (RFC 4151) want one."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@blueprint.get("/tasks/<task>/changes.atom")
@allow(EVERYBODY)
def show(task: str) -> Response:
    """New counted runs, changes of places, versions of the benchmark, resources; the newest first."""
    now = utc_now()
    with site().database.reading() as session:
        spec = public_task(session, task)
        items = news.listing(session, spec, now)
        began = news.began(session, spec)
    response = make_response(tostring(_feed(spec, items, began), "utf-8", xml_declaration=True))
    response.mimetype = "application/atom+xml"
    response.headers["Cache-Control"] = "no-cache"
    response.vary.update(("Accept-Language", "Cookie"))
    response.add_etag(weak=True)
    response.make_conditional(request)
    return response


def _feed(spec: TaskSpec, items: Sequence[Item], began: datetime) -> Element:
    feed = Element("feed", {"xmlns": _ATOM, "xml:lang": language()})
    home = public(url_for("boards.show", task=spec.name, _external=True))
    _add(feed, "id", _tag(home, spec.name))
    _add(feed, "title", gettext("%(task)s: what has changed", task=text(spec.title)))
    _add(feed, "updated", iso(items[0].happened_at if items else began))
    SubElement(feed, "link", {"rel": "alternate", "type": "text/html", "href": home})
    own = public(url_for("feeds.show", task=spec.name, _external=True))
    SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": own})
    _add(SubElement(feed, "author"), "name", "Leaderboard")
    for item in items:
        feed.append(_entry(spec, item, home))
    return feed


def _entry(spec: TaskSpec, item: Item, home: str) -> Element:
    entry = Element("entry")
    _add(entry, "id", _tag(home, f"{spec.name}/{item.number}"))
    _add(entry, "title", _title(item))
    _add(entry, "updated", iso(item.happened_at))
    _add(entry, "published", iso(item.happened_at))
    address = public(_address(spec, item))
    SubElement(entry, "link", {"rel": "alternate", "type": "text/html", "href": address})
    html = render_template("feeds/entry.html", spec=spec, item=item, public=public)
    _add(entry, "content", html, type="html")
    return entry


def _title(item: Item) -> str:
    if item.kind == "gold":
        return str(gettext("The benchmark has a new version"))
    if item.kind == "resource":
        return str(gettext("Machine judgments number %(number)s are published", number=item.resource_number))
    if item.kind == "settings":
        return _settings_title(item)
    if item.kind == "announcement" and item.said:
        return text(item.said.title)
    if item.kind == "answer":
        return str(gettext("The organisers answered a question"))
    fresh = {(change.team, change.run) for change in item.changes if change.new_run}
    if len(fresh) > 1:
        return str(ngettext("%(num)s new counted run", "%(num)s new counted runs", len(fresh)))
    for team, run in fresh:
        if run is not None:
            return str(gettext("New counted run “%(run)s” of %(team)s", run=run, team=team))
        return str(gettext("New counted run of %(team)s", team=team))
    return str(gettext("Places have changed"))


def _settings_title(item: Item) -> str:
    deadlines = {text(each.phase) for each in item.settings if each.what == "closes_at" and each.phase}
    if len(deadlines) == 1 == len(item.settings):
        return str(gettext("Another deadline: %(phase)s", phase=deadlines.pop()))
    return str(gettext("The organisers changed settings"))


def _address(spec: TaskSpec, item: Item) -> str:
    if item.kind == "resource":
        return url_for("resources.show", task=spec.name, _external=True)
    if item.kind == "settings":
        return url_for("tasks.show", task=spec.name, _external=True)
    if item.kind == "announcement":
        return url_for("announcements.show", task=spec.name, _external=True)
    if item.kind == "answer":
        return url_for("questions.show", task=spec.name, _external=True)
    phase = item.phase.name if item.phase else None
    return url_for("boards.show", task=spec.name, phase=phase, _external=True)


def _tag(home: str, specific: str) -> str:
    return f"tag:{urlsplit(home).hostname},{_BEGAN}:leaderboard/{specific}"


def _add(parent: Element, name: str, words: str, **attributes: str) -> None:
    # What XML cannot hold would make the whole feed unreadable.
    SubElement(parent, name, attributes).text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", words)
