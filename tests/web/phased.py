"""The project's tasks with phases of a test's own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tests.copies import copied
from tests.web.installation import Installation

PHASE = """[[phases]]
name = "evaluation"
title.en = "Evaluation"
title.ru = "Оценка"
opens_at = 2026-03-01T00:00:00Z
closes_at = 2026-03-05T12:00:00Z
runs_per_day = 2
runs_in_all = 6
rejected_per_day = 3
reveals = ["own", "board"]
"""


def with_phase(folder: Path, tasks_folder: Path, task: str, phase: str = PHASE, **words: str) -> Path:
    """A copy of the tasks, of which one has this phase alone; `words` replace others in its task.toml."""
    copied = folder / "tasks"
    if not copied.exists():
        shutil.copytree(tasks_folder, copied, ignore=shutil.ignore_patterns("__pycache__"))
    declared = copied / task / "task.toml"
    text = re.sub(r"\[\[phases\]\].*?\n\n", f"{phase}\n", declared.read_text("utf-8"), flags=re.DOTALL)
    for old, new in words.items():
        text = re.sub(rf"^{old} = .*$", new, text, flags=re.MULTILINE)
    declared.write_text(text, "utf-8")
    return copied


def evaluated(
    folder: Path,
    tasks_folder: Path,
    *tasks: str,
    phase: str = PHASE,
    others: Mapping[str, str] = MappingProxyType({}),
) -> Installation:
    """Tasks with that phase, others with phases of their own; installed, with the gold of their samples."""
    phases = dict.fromkeys(tasks, phase) | dict(others)

    def fill(original: Path) -> None:
        for task, its in phases.items():
            copied_tasks = with_phase(original, tasks_folder, task, its)
        made = Installation.make(original, copied_tasks)
        for task in phases:
            made.install(task)
        made.site.close()

    copied(("evaluated", tasks_folder, *phases.items()), folder, fill)
    return Installation.at(folder, folder / "tasks")
