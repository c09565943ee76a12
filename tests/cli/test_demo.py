from __future__ import annotations

import json
import re
import shutil
import socket
from pathlib import Path

import pytest

from leaderboard.app import create_app
from tests.cli.installation import CommandLine, Installation
from tests.web.browser import Browser


@pytest.fixture
def site(tmp_path: Path, tasks_folder: Path) -> CommandLine:
    return CommandLine(tmp_path, tasks_folder)


def demo(site: CommandLine, *arguments: object) -> str:
    return site.done("demo", "--no-serve", "--instance", site.settings.instance, *arguments)


def titles(printed: str) -> list[str]:
    return [line.rpartition(" · ")[2] for line in printed.splitlines() if " · " in line]


def test_the_samples_are_shown_from_submission_to_mj(site: CommandLine) -> None:
    printed = demo(site)
    assert titles(printed) == [
        "Graded relevance",
        "Top-5 preferences above grades",
        "Top-5 preferences alone",
        "The single best answer",
        "HJ: human judgments",
        "RT: synonyms and hypernyms of a thesaurus",
        "AE: associations",
        "overall",
        "MJ, built from the runs with a place",
    ]
    for line in ("best single run ", "MJ, rank ", "MJ, exp ", "MJ, sqrt "):
        assert f"\n{line}" in printed
    (ranked,) = {row["team"] for row in site.rows("russe", "hj") if row["place"] == 1}
    assert f"best single run on hj: Word vectors of {ranked}" in printed
    baselines = [row for row in site.rows("cast", "graded") if row["kind"] == "baseline"]
    assert [row["place"] for row in baselines] == [None] * 3


def test_a_demo_starts_afresh(bare: Installation) -> None:
    sample = bare.tasks / "toy" / "sample"
    shutil.copytree(bare.folder / "gold", sample / "gold")
    run = bare.write("tasks/toy/sample/a.txt", 0.1, 0.5, 0.9)
    bare.write("tasks/toy/sample/runs.csv", "file,team", f"{run.name},A")
    assert "The demo keeps its things in" in demo(bare)
    assert "starts afresh." in demo(bare)
    assert bare.lines("near") == [("A", 1)]
    assert bare.rows("toy", "near")[0]["run"] == 1


def test_a_demo_has_an_organiser_and_somebody_with_a_team(
    bare: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = bare.tasks / "toy" / "sample"
    shutil.copytree(bare.folder / "gold", sample / "gold")
    run = bare.write("tasks/toy/sample/a.txt", 0.1, 0.5, 0.9)
    bare.write(
        "tasks/toy/sample/runs.csv", "file,team,baseline", f"{run.name},Organisers,yes", f"{run.name},A,no"
    )
    monkeypatch.setattr("leaderboard.cli.demo.serve_on", lambda *_arguments: None)
    printed = bare.done("demo", "--port", 0, "--instance", bare.settings.instance)
    found = re.search(r"Sign in as (\S+), who .* as (\S+), who leads .* The password of both: (\S+)", printed)
    assert found is not None
    app = create_app(bare.settings)
    for address, page, seen in (
        (found[1], "/tasks/toy/organise", "At a glance"),
        (found[2], "/tasks/toy/team", "captain"),
    ):
        browser = Browser(app)
        browser.open("/sign-in")
        browser.send("/sign-in", email=address, password=found[3])
        assert seen in browser.open(page)


def test_what_is_no_demo_is_never_deleted(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    printed = toy.refused("demo", "--no-serve", "--instance", toy.settings.instance)
    assert "is not of a demo and will not be deleted" in printed
    assert toy.lines("near") == [("a", 1)]


def test_a_port_that_is_taken_is_named_before_anything_is_done(bare: Installation) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "cannot be had" in bare.refused("demo", "--port", taken.getsockname()[1])
    assert not bare.settings.instance.exists()


def test_without_samples_or_data_there_is_nothing_to_show(bare: Installation) -> None:
    arguments = ("demo", "--no-serve", "--instance", bare.settings.instance)
    assert "No task has a folder `sample`" in bare.refused(*arguments)
    assert "has the benchmark of no task" in bare.refused(*arguments, "--data", bare.folder / "gold")


def test_real_data_is_found_by_its_content(site: CommandLine, shared_data: Path) -> None:
    printed = demo(site, "--data", shared_data)
    assert len(titles(printed)) == 10
    assert [row["place"] for row in site.rows("cast2020", "graded")] == [1, 2, 3, 4]
    russe = site.rows("russe", "rt")
    assert {row["kind"] for row in russe} == {"ordinary"}
    assert {"random", "zeros"} <= {row["team"] for row in russe}
    assert len(site.rows("cast", "graded")) == 17
    best = json.loads(site.done("board", "russe", "--format", "json"))["rows"][0]
    assert (best["team"], best["place"]) == ("ensemble_unsup", 1)
