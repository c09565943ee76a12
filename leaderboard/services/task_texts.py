"""The text of a task's page: what organisers wrote, in place of the README of its folder."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.services import task_specs
from leaderboard.services.tasks import known

LANGUAGES = ("en", "ru")

_FILES = {"en": "README.md", "ru": "README.ru.md"}

LONGEST_TEXT = 200_000
"""So many characters a text may have."""


def written(session: Session, spec: TaskSpec) -> Mapping[str, str]:
    """The Markdown that organisers wrote, by language; empty where they wrote none. Raises UnknownTask."""
    found: Mapping[str, str] = task_specs.settings_of(session, known(session, spec.name).id).get("text", {})
    return found


def declared(spec: TaskSpec) -> Mapping[str, str]:
    """The Markdown of the task's folder, by language. An edition without a text of its own has that of the
    task whose scorer it shares."""
    for folder in (spec.folder, spec.scorer.parent):
        paths = {language: folder / _FILES[language] for language in LANGUAGES}
        found = {language: path for language, path in paths.items() if path.is_file()}
        if found:
            return {language: path.read_text(encoding="utf-8-sig") for language, path in found.items()}
    return {}
