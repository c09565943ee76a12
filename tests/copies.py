"""Folders that take long to fill: filled once in a test process, and copied from then on."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Hashable
from pathlib import Path

_originals: dict[Hashable, Path] = {}
_root: list[Path] = []


def keep_originals_in(folder: Path) -> None:
    """Where originals lie; the tests' conftest names it once a process."""
    _root.append(folder)


def original_folder() -> Path:
    """A new folder for an original."""
    return Path(tempfile.mkdtemp(dir=_root[-1]))


def copied(what: Hashable, folder: Path, fill: Callable[[Path], object]) -> None:
    """Puts into `folder` what `fill` puts into one.

    `what` names everything that the content depends on: a value that can be a key. `fill` closes what it
    opens, or the copy of a database would lack its newest pages.
    """
    if what not in _originals:
        original = original_folder()
        fill(original)
        _originals[what] = original
    shutil.copytree(_originals[what], folder, dirs_exist_ok=True)
