"""The secret of an installation, where nobody has set one."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

NAME = "secret_key"


def secret_in(folder: Path) -> str:
    """The secret that is kept in a folder, made by whoever asks first; only the owner can read it."""
    file = folder / NAME
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = folder / f".{NAME}.{secrets.token_hex(8)}"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(secrets.token_urlsafe(48))
            stream.flush()
            os.fsync(stream.fileno())
        try:
            # Of several processes that start at once, the first one's secret stays.
            os.link(fresh, file)
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return file.read_text(encoding="ascii")
