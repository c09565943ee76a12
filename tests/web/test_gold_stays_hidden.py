"""No page or message that a team reads depends on which pairs or topics the gold holds; values alone do."""

from __future__ import annotations

import csv
import random
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.web.installation import Installation
from tests.web.members import Clock, Member, app_of
from tests.web.phased import evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def write(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


def other_pairs(installation: Installation, folder: Path) -> Path:
    """Gold of as many pairs as before for each track, other ones of the public list."""
    sample = installation.spec("russe").folder / "sample"
    listed = [row[:2] for row in rows_of(sample / "inputs" / "pairs.csv")[1:]]
    chance = random.Random(7)
    for name in ("hj-test.csv", "rt-test.csv", "ae2-test.csv"):
        before = rows_of(sample / "gold" / name)
        known = {tuple(row[:2]) for row in before}
        free = [pair for pair in listed if tuple(pair) not in known]
        chosen = chance.sample(free, len(before) - 1)
        values = [
            str(number % 2) if name != "hj-test.csv" else str(number / 100) for number in range(len(chosen))
        ]
        write(
            folder / name, [before[0], *([*pair, value] for pair, value in zip(chosen, values, strict=True))]
        )
    return folder


def other_topics(installation: Installation, folder: Path) -> Path:
    """The gold of every second topic alone."""
    sample = installation.spec("cast").folder / "sample" / "gold"
    folder.mkdir(parents=True)
    for path in sample.glob("*.qrels"):
        lines = path.read_text("utf-8").splitlines()
        topics = sorted({line.split()[0] for line in lines})
        kept = set(topics[::2])
        (folder / path.name).write_text(
            "".join(f"{line}\n" for line in lines if line.split()[0] in kept), "utf-8"
        )
    return folder


def same_gold(installation: Installation, task: str, folder: Path) -> Path:
    """The sample's gold in files of another order: a new version, as the other gold is one, of the same."""
    sample = installation.spec(task).folder / "sample" / "gold"
    folder.mkdir(parents=True)
    for path in sample.iterdir():
        head, *lines = path.read_text("utf-8").splitlines()
        ordered = [head, *reversed(lines)] if task == "russe" else [*reversed(lines), head]
        (folder / path.name).write_text("".join(f"{line}\n" for line in ordered), "utf-8")
    return folder


def odd_pairs(installation: Installation) -> bytes:
    """A run with everything there is to be said about one: pairs that are missing, unknown, twice, empty,
    written otherwise."""
    rows = rows_of(installation.spec("russe").folder / "sample" / "runs" / "embeddings.csv")
    body = rows[1:]
    body = [row for number, row in enumerate(body) if number % 7]
    body[3] = [body[3][0].upper(), *body[3][1:]]
    body[5] = [body[5][1], body[5][0], body[5][2]]
    body[8] = [*body[8][:2], ""]
    body += [["слово", "которого нет", "0.5"], [*body[10][:2], "0.123"]]
    return "\n".join(",".join(row) for row in [rows[0], *body]).encode()


def odd_run(installation: Installation) -> bytes:
    """A run with ties, ranks against scores, topics left out and unknown ones, and ids of another form."""
    path = installation.spec("cast").folder / "sample" / "runs" / "bm25_raw.run"
    lines = [line.split() for line in path.read_text("utf-8").splitlines()]
    left_out = {line[0] for line in lines[:40]}
    lines = [line for line in lines if line[0] not in left_out]
    for line in lines[:200]:
        line[4] = "1.5"
    lines[300][3] = "1"
    lines += [["999_1", "Q0", "MARCO_1", "1", "3", "x"], ["999_1", "Q0", "strange", "2", "2", "y"]]
    return "\n".join(" ".join(line) for line in lines).encode()


def masked(page: str) -> str:
    """A page without its numbers: what is left is its words."""
    page = re.sub(r"<svg.*?</svg>", "<svg>", page, flags=re.DOTALL)
    page = re.sub(r'name="csrf_token"[^>]*>', "", page)
    return re.sub(r"[−-]?\d+(\.\d+)?(e[+-]?\d+)?", "#", page)


def told(installation: Installation, task: str, odd: bytes, name: str) -> dict[str, str]:
    """Every page that a team comes to with a faulty file and an odd run."""
    ann = Member(app_of(installation), "ann", "Foxes", task)
    faulty = b"word1,word2,sim\n\xd0\xb0,b,x\n" if task == "russe" else b"31_1 Q0 MARCO_1 1 nan x\n"
    pages = {"faulty": ann.submit(faulty, name), "sent": ann.submit(odd, name)}
    run = ann.run
    for address in (
        *(f"/tasks/{task}{more}" for more in ("", "/submit", "/board", "/team/runs", "/team/runs.csv")),
        *(f"/tasks/{task}/board?track={track.name}" for track in installation.spec(task).tracks),
        *(f"/tasks/{task}/team/runs/{run}{more}" for more in ("", "/edit", "/file", "/topics.csv")),
        f"/tasks/{task}/team/runs/1",
        f"/tasks/{task}/runs/{run}",
        f"/tasks/{task}/runs/1",
        f"/tasks/{task}/team/over-time.csv",
    ):
        pages[address] = ann.open(address)
    return {address: masked(page) for address, page in pages.items()}


@pytest.mark.parametrize("task", ["russe", "cast"])
def test_other_gold_of_the_same_inputs_changes_numbers_alone(
    tmp_path: Path, tasks_folder: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    Clock(MORNING).install(monkeypatch)
    found = []
    for number, other in enumerate((None, {"russe": other_pairs, "cast": other_topics}[task])):
        installation = evaluated(tmp_path / str(number), tasks_folder, task)
        odd, name = (
            (odd_pairs(installation), "x.csv") if task == "russe" else (odd_run(installation), "x.run")
        )
        installation.install_gold(
            task,
            other(installation, tmp_path / "other")
            if other
            else same_gold(installation, task, tmp_path / "same"),
        )
        found.append(told(installation, task, odd, name))
        installation.site.close()
    first, second = found
    assert "What was noticed" in first["sent"]
    assert first.keys() == second.keys()
    assert {
        address: (first[address], second[address]) for address in first if first[address] != second[address]
    } == {}
