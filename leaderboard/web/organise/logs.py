"""What the pages of the log share: of a task for its organisers, of the site for administrators."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from flask import Response, abort, request, stream_with_context

from leaderboard.services import audit_log
from leaderboard.services.audit_log import Log, Wanted
from leaderboard.web.installation import site


def asked() -> Wanted:
    """The lines that the address asks for; a word it may not hold is not found."""
    given = request.args
    person, page = given.get("person", ""), given.get("page", "1")
    if not all(word.isascii() and word.isdigit() and len(word) < 10 for word in (person or "0", page)):
        abort(404)
    return Wanted(
        person=int(person) if person else None,
        action=given.get("action", ""),
        kind=given.get("kind", ""),
        subject=given.get("subject", "").strip(),
        since=_day(given.get("since", "")),
        until=_day(given.get("until", "")),
        page=max(1, int(page)),
    )


def listing(task: str | None) -> dict[str, Any]:
    """What a page of the log shows."""
    wanted = asked()
    with site().database.reading() as session:
        found: Log = audit_log.listing(session, task, wanted)
    return {"log": found, "wanted": wanted}


def export(task: str | None, ending: str, name: str) -> Response:
    """The lines that are asked for as a file, a piece at a time."""
    writers = {"csv": audit_log.as_csv, "jsonl": audit_log.as_json_lines}
    if ending not in writers:
        abort(404)
    wanted = asked()

    def pieces() -> Iterator[str]:
        with site().database.reading() as session:
            yield from writers[ending](audit_log.every(session, task, wanted))

    response = Response(
        stream_with_context(pieces()),
        mimetype="text/csv" if ending == "csv" else "application/x-ndjson",
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{name}-log.{ending}"'
    response.headers["Cache-Control"] = "no-store"
    return response


def _day(word: str) -> date | None:
    if not word:
        return None
    try:
        return date.fromisoformat(word)
    except ValueError:
        abort(404)
