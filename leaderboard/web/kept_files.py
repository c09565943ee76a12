"""Files that are kept, as downloads: under their own name, and in parts where a broken download goes on."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from flask import Response, send_file

BYTES = "application/octet-stream"

PRIVATE = "private, no-cache"
"""What lies between may keep no copy of a file that not everybody may have."""

PUBLIC = "no-cache"
"""Copies of a file for everybody may be kept, and are looked up anew at each request."""


def kept_file(
    path: Path,
    name: str,
    file_hash: str,
    cached: str,
    mimetype: str | None = BYTES,
    since: datetime | None = None,
) -> Response:
    """A kept file, called so, known by its SHA-256 and, where that is told, by when it was installed.

    `cached` is one of the two above; without a `mimetype` the name's ending decides.
    """
    response = send_file(
        path,
        mimetype=mimetype,
        as_attachment=True,
        download_name=name,
        etag=file_hash,
        last_modified=since,
    )
    response.headers["Cache-Control"] = cached
    return response
