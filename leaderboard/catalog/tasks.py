"""Finds the tasks of an installation and loads their scorers by path."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import cast

from leaderboard.catalog.declaration import DECLARATION, load_task
from leaderboard.catalog.tables import CatalogError, UnknownTask
from leaderboard.contract import Message, Scorer, TaskSpec, say

_OFFERED = ("VERSION", "check", "template", "read_gold", "score")


class Catalog:
    """The tasks in some folders. Each folder holds a folder a task, or is one itself.

    Declarations are read once, when first asked for.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = tuple(folders)
        self._tasks: dict[str, TaskSpec] = {}
        self._broken: dict[str, CatalogError] = {}
        self._is_read = False

    def tasks(self) -> tuple[TaskSpec, ...]:
        """Every task, by name. Raises CatalogError when one of them is not in order."""
        self._read()
        for error in self._broken.values():
            raise error
        return tuple(self._tasks[name] for name in sorted(self._tasks))

    def find(self, name_or_path: str | Path) -> TaskSpec:
        """The task of that name, or the one in that folder; another task's faults do not stand in its way.

        Raises UnknownTask when there is none, CatalogError when it is not in order.
        """
        folder = Path(name_or_path)
        if (folder / DECLARATION).is_file():
            return load_task(folder)
        self._read()
        name = str(name_or_path)
        if name in self._tasks:
            return self._tasks[name]
        if name in self._broken:
            raise self._broken[name]
        raise UnknownTask(name, self._unknown(name))

    def _unknown(self, name: str) -> Message:
        names = sorted({*self._tasks, *self._broken})
        if not names:
            folders = ", ".join(map(str, self._folders)) or "any folder"
            return say(
                "There is no such task, nor another in {folders}; LEADERBOARD_TASKS says where tasks lie.",
                folders=folders,
            )
        near = get_close_matches(name, names, 1)
        if near:
            return say("There is no such task; did you mean {near}?", near=near[0])
        return say(
            "There is no such task; give the path of a folder with a task.toml, or one of: {names}.",
            names=", ".join(names),
        )

    def _read(self) -> None:
        if self._is_read:
            return
        for folder in self._task_folders():
            try:
                self._add(load_task(folder))
            except CatalogError as error:
                self._broken[folder.name] = error
        self._is_read = True

    def _add(self, spec: TaskSpec) -> None:
        other = self._tasks.setdefault(spec.name, spec)
        if other is not spec:
            message = say(
                '"{name}" is also the name of the task in {folder}; rename one of them.',
                name=spec.name,
                folder=str(other.folder),
            )
            raise CatalogError(spec.folder / DECLARATION, message)

    def _task_folders(self) -> Iterator[Path]:
        for folder in self._folders:
            candidates = [folder] if (folder / DECLARATION).is_file() else sorted(folder.glob("*/"))
            yield from (candidate for candidate in candidates if (candidate / DECLARATION).is_file())


def load_scorer(spec: TaskSpec) -> Scorer:
    """The task's scorer, loaded once from its file however many tasks share it.

    Raises CatalogError when the file fails to load or does not offer what a scorer must.
    """
    return _load(spec.scorer.resolve())


@cache
def _load(file: Path) -> Scorer:
    # The name must be unique, since many tasks call their file scorer.py, and registered, since
    # dataclasses and pickles look their module up.
    name = "leaderboard_scorer_" + sha256(str(file).encode()).hexdigest()[:16]
    found = importlib.util.spec_from_file_location(name, file)
    if found is None or found.loader is None:
        raise CatalogError(file, say("A scorer is a Python file; its name ends in .py."))
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        reason = f"{type(error).__name__}: {error}"
        raise CatalogError(file, say("The scorer cannot be loaded: {reason}", reason=reason)) from error
    return _checked(file, module)


def _checked(file: Path, module: ModuleType) -> Scorer:
    lacking = [name for name in _OFFERED if not hasattr(module, name)]
    if lacking:
        message = say(
            "The scorer lacks {names}; leaderboard/contract.py says what a scorer offers.",
            names=", ".join(lacking),
        )
        raise CatalogError(file, message)
    return cast(Scorer, module)
