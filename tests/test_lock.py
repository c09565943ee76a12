"""What is installed by hash is what requirements.txt asks for."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def pinned(name: str) -> dict[str, str]:
    text = (REPOSITORY / name).read_text("utf-8")
    found = re.findall(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^\s;]+)", text, flags=re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in found}


def test_the_lock_has_every_requirement_in_its_version() -> None:
    asked, locked = pinned("requirements.txt"), pinned("requirements.lock")
    assert len(asked) > 25
    assert {package: locked.get(package) for package in asked} == asked


def test_every_line_of_the_lock_has_a_hash() -> None:
    lines = (REPOSITORY / "requirements.lock").read_text("utf-8").splitlines()
    assert all(re.search(r" --hash=sha256:[0-9a-f]{64}$", line) for line in lines if not line.startswith("#"))
