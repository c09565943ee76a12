"""Whatever a person reads can be collected for translation."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY

NO_WORDS = {"Leaderboard", "SHA", "CSV", "JSON", "LaTeX", "Atom", "bib"}
"""Names are the same in every language."""


def test_strings_of_pages_views_services_and_scorers_are_collected(tmp_path: Path) -> None:
    catalogue = tmp_path / "messages.pot"
    command = [sys.executable, "-m", "babel.messages.frontend", "extract", "-F", "babel.cfg"]
    command += ["-k", "say", "-k", "say_count:1,2", "-o", str(catalogue), "--no-wrap", "."]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    found = catalogue.read_text(encoding="utf-8")
    for words in (
        "Leading now",
        "There is no such page",
        "A baseline of the organisers has no place in the ranking.",
        "%(num)s teams",
    ):
        assert f'"{words}"' in found
    assert re.search(r"#: tasks/russe/scorer\.py", found)


def test_templates_hold_no_words_outside_gettext() -> None:
    loose = []
    for path in sorted((REPOSITORY / "templates").rglob("*.html")):
        text = re.sub(
            r"{#.*?#}|{%.*?%}|{{.*?}}|<!doctype[^>]*>", "", path.read_text("utf-8"), flags=re.DOTALL
        )
        text = re.sub(r"<(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>", " ", text)
        words = set(re.findall(r"[A-Za-zА-я]{2,}", text)) - NO_WORDS
        if words:
            loose.append((path.name, words))
    assert loose == []
