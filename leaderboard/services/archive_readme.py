"""The page at the front of an archive, which says what lies where."""

from __future__ import annotations

from leaderboard.contract import TaskSpec
from leaderboard.services.archive_records import VERSION, Scope

_TEXT = """# {title}

The archive of the shared task `{task}` (format version {version}): its rankings, runs, settings and files.

{table}

In CSV files a cell that a spreadsheet would take for a formula begins with an apostrophe.

{gold}

{names} No accounts, addresses or other data of persons are in this archive.
It also has the runs that teams withdrew and organisers hid, marked as such, and the values by topic of all
runs: look whether all of this is for the public before you publish it. What organisers deleted is not in it,
but for runs that machine judgments were made from (`deleted_at` in `runs.csv`).

To bring it into another installation that has this task's folder:

```
python -m leaderboard archive import FILE.zip
```
"""

_CONTENTS = (
    (
        "standings/<phase>/<stage>/",
        "every ranking: of each track under each version of its benchmark, and overall; `.csv` and `.json` "
        "have every value at full precision, `.tex` and `.md` are for papers and pages; `final/` is on the "
        "private part of a benchmark, where that was revealed",
    ),
    (
        "runs.csv",
        "the runs, with what the teams say of their methods; `counts_on` names the tracks on which a run "
        "holds its team's place, `file` where it lies",
    ),
    ("runs/", "the files that were submitted, byte for byte, each once, named by their SHA-256"),
    (
        "per-topic/",
        "a line a run, a column a topic, for each track, benchmark version and measure that has such values",
    ),
    ("teams.csv", "the teams"),
    ("settings.json", "texts, tracks, phases and rules"),
    ("announcements.md", "what the organisers told everybody, and the answers they gave to all"),
    ("inputs/", "the files that participants were given"),
    ("mj/", "the machine judgments that were built"),
    ("records/", "the same as rows of tables, for `archive import`"),
    ("manifest.json", "size and SHA-256 of every file here"),
)

_GOLD = ("gold/", "**the hidden benchmarks**, by track and version")

_WITH_GOLD = (
    "**This archive has the hidden benchmarks, in `gold/`.** Whoever has it can score runs, and can tune "
    "systems to the benchmarks: do not publish it while they are to stay hidden."
)
_WITHOUT_GOLD = (
    "The hidden benchmarks are not in this archive, nor hashes of their files. Where it is imported, scores "
    "and rankings are as they were, and new runs cannot be scored until somebody installs the benchmarks, "
    "which are known again by scoring the runs as before. For the same reason somebody who has guessed a "
    "whole benchmark could make sure of it with the runs and their exact values: think of that before you "
    "publish them while it is to stay hidden."
)


def readme(spec: TaskSpec, scope: Scope) -> str:
    """The page, in Markdown."""
    contents = (*_CONTENTS, _GOLD) if scope.with_gold else _CONTENTS
    rows = ["| where | what |", "| --- | --- |", *(f"| `{where}` | {what} |" for where, what in contents)]
    return _TEXT.format(
        title=spec.title,
        task=spec.name,
        version=VERSION,
        table="\n".join(rows),
        gold=_WITH_GOLD if scope.with_gold else _WITHOUT_GOLD,
        names="Teams are called as they call themselves."
        if scope.own_names
        else "Teams are called as the public read it: by their alias where they hid behind one.",
    )
