"""A team's own runs, and what everybody may see, through the API."""

from __future__ import annotations

import json

import pytest
from flask import Flask
from sqlalchemy import update

from leaderboard.services import boards, exports
from leaderboard.store.models import Phase
from tests.web.api.scripts import Script, member, sample
from tests.web.installation import Installation
from tests.web.members import Clock


@pytest.fixture
def nobody(app: Flask) -> Script:
    return Script(app, None)


def sent(script: Script, file: str, task: str = "russe", **words: str) -> int:
    answer = script.send(task, sample(task, file), words=words)
    assert answer.status_code == 201, answer.text
    number: int = answer.json["run"]["id"]  # type: ignore[index]
    return number


def test_tasks_say_all_that_is_public_of_them(nobody: Script) -> None:
    assert [task["name"] for task in nobody.get("/tasks")["items"]] == ["russe", "cast"]
    task = nobody.get("/tasks/russe")
    assert [track["name"] for track in task["tracks"]] == ["hj", "rt", "ae"]
    assert task["boards"] == ["hj", "rt", "ae", "overall"]
    (phase,) = task["phases"]
    assert (phase["state"], phase["closes_at"], phase["runs_per_day"]) == ("open", "2026-03-05T12:00:00Z", 2)
    assert task["max_upload_bytes"] == 64_000_000


def test_inputs_are_downloaded_whole_and_in_parts(nobody: Script) -> None:
    listed = {each["name"]: each for each in nobody.get("/tasks/russe/inputs")["items"]}
    pairs = listed["pairs"]
    answer = nobody.ask("GET", "/tasks/russe/inputs/pairs")
    assert len(answer.data) == pairs["size"]
    assert answer.headers["ETag"] == f'"{pairs["sha256"]}"'
    rest = nobody.ask("GET", "/tasks/russe/inputs/pairs", headers={"Range": "bytes=100-"})
    assert (rest.status_code, rest.data) == (206, answer.data[100:])
    nobody.refused(nobody.ask("GET", "/tasks/russe/inputs/gold"), 404, "not-found")


def test_standings_are_the_board_of_the_command_line(
    app: Flask, installation: Installation, nobody: Script
) -> None:
    for name, run in (("Foxes", "embeddings"), ("Bears", "random"), ("Cats", "constant")):
        sent(member(app, installation.site, name=name), f"{run}.csv")
    for track in ("hj", "rt", "ae", "overall"):
        shown = nobody.get("/tasks/russe/standings", track=track)
        spec = installation.spec("russe")
        with installation.site.database.reading() as session:
            board = boards.board(session, spec, None if track == "overall" else track, "evaluation")
        expected = json.loads(exports.render(spec, board, "json"))
        names = ("place", "team", "run", "runs", "value", "values", "places", "reason")
        assert [[row[name] for name in names] for row in shown["items"]] == [
            [row[name] for name in names] for row in expected["rows"]
        ]
        assert (shown["total"], shown["gold_versions"]) == (3, expected["gold_versions"])
    assert nobody.get("/tasks/russe/standings")["track"] is None


def test_a_list_leads_from_page_to_page(app: Flask, installation: Installation, nobody: Script) -> None:
    for name, run in (("Foxes", "embeddings"), ("Bears", "random"), ("Cats", "thesaurus")):
        sent(member(app, installation.site, name=name), f"{run}.csv")
    path, teams, relations = "/tasks/russe/standings?track=hj&per_page=1", [], []
    while path:
        answer = nobody.ask("GET", path)
        teams += [row["team"] for row in answer.json["items"]]  # type: ignore[index]
        links = {
            relation: address.strip("<>")
            for address, relation in (link.split("; rel=", 1) for link in answer.headers["Link"].split(", "))
        }
        relations.append(sorted(name.strip('"') for name in links))
        path = links.get('"next"', "").removeprefix("http://localhost")
    whole = nobody.get("/tasks/russe/standings", track="hj")
    assert teams == [row["team"] for row in whole["items"]]
    assert relations == [
        ["first", "last", "next"],
        ["first", "last", "next", "prev"],
        ["first", "last", "prev"],
    ]
    beyond = nobody.get("/tasks/russe/standings", track="hj", page=99)
    assert (beyond["items"], beyond["total"]) == ([], 3)


def test_a_ranking_that_is_hidden_is_hidden_here_too(
    nobody: Script, app: Flask, installation: Installation, clock: Clock
) -> None:
    with installation.site.database.writing() as session:
        session.execute(update(Phase).values(reveals=["own"]))
    foxes = member(app, installation.site)
    run = sent(foxes, "embeddings.csv")
    nobody.refused(nobody.ask("GET", "/tasks/russe/standings"), 403, "not-shown")
    results = foxes.get(f"/tasks/russe/runs/{run}")["results"]
    assert [result["track"] for result in results] == ["hj", "rt", "ae"]
    assert {(result["place"], result["reason"], result["stand"]) for result in results} == {
        (None, None, None)
    }
    clock.move(days=4)
    assert nobody.get("/tasks/russe/standings")["total"] == 1
    assert {result["place"] for result in foxes.get(f"/tasks/russe/runs/{run}")["results"]} == {1}


@pytest.mark.parametrize(
    "asked", ["track=xx", "phase=xx", "page=0", "page=x", "per_page=201", "per_page=-1", "page=10000000"]
)
def test_what_there_is_not_is_refused(nobody: Script, asked: str) -> None:
    answer = nobody.ask("GET", f"/tasks/russe/standings?{asked}")
    if "page" in asked:
        assert nobody.refused(answer, 422, "invalid")["errors"][0]["field"].startswith("query.")
    else:
        nobody.refused(answer, 404, "not-found")


def test_own_runs_are_listed_by_phase_and_state(foxes: Script) -> None:
    first = sent(foxes, "embeddings.csv", name="Vectors")
    foxes.send("russe", b"word1,word2,sim\na,b,c\n")
    listed = foxes.get("/tasks/russe/runs")
    assert [(run["id"], run["state"]) for run in listed["items"]] == [
        (first, "scored"),
        (first + 1, "rejected"),
    ]
    assert [run["id"] for run in foxes.get("/tasks/russe/runs", state="scored")["items"]] == [first]
    assert foxes.get("/tasks/russe/runs", phase="other")["total"] == 0


def test_values_by_topic_are_beside_those_of_the_field(app: Flask, installation: Installation) -> None:
    foxes = member(app, installation.site, "cast")
    bears = member(app, installation.site, "cast", "Bears")
    run, _ = sent(foxes, "bm25_raw.run", "cast"), sent(bears, "random.run", "cast")
    shown = foxes.get(f"/tasks/cast/runs/{run}/topics", track="graded")
    (track,) = shown["tracks"]
    values = track["measures"]["nDCG@3"]
    assert len(values["values"]) == len(values["median"]) == len(values["best"]) == len(track["topics"])
    assert all(best >= own for own, best in zip(values["values"], values["best"], strict=True))
    mean = sum(values["values"]) / len(values["values"])
    result = next(r for r in foxes.get(f"/tasks/cast/runs/{run}")["results"] if r["track"] == "graded")
    assert mean == pytest.approx(result["values"]["nDCG@3"], abs=1e-12)
    assert len(foxes.get(f"/tasks/cast/runs/{run}/topics")["tracks"]) == 4


def test_values_by_topic_stay_hidden_where_the_phase_hides_them(foxes: Script) -> None:
    run = sent(foxes, "embeddings.csv")
    foxes.refused(foxes.ask("GET", f"/tasks/russe/runs/{run}/topics"), 403, "not-shown")


def test_a_run_is_withdrawn_and_restored(foxes: Script, nobody: Script) -> None:
    run = sent(foxes, "embeddings.csv")
    gone = foxes.ask("POST", f"/tasks/russe/runs/{run}/withdraw").json
    assert gone is not None
    assert (gone["withdrawn"], gone["actions"]) == (True, ["restore"])
    assert nobody.get("/tasks/russe/standings", track="hj")["total"] == 0
    foxes.refused(foxes.ask("POST", f"/tasks/russe/runs/{run}/withdraw"), 409, "not-allowed")
    assert foxes.ask("POST", f"/tasks/russe/runs/{run}/restore").json["withdrawn"] is False  # type: ignore[index]
    assert nobody.get("/tasks/russe/standings", track="hj")["total"] == 1
    foxes.refused(foxes.ask("POST", f"/tasks/russe/runs/{run}/choose"), 409, "not-allowed")
    foxes.refused(foxes.ask("POST", f"/tasks/russe/runs/{run}/score-again"), 409, "not-allowed")


def test_where_teams_choose_a_run_is_selected(
    app: Flask, installation: Installation, nobody: Script, clock: Clock
) -> None:
    declared = installation.spec("russe").folder / "task.toml"
    declared.write_text(declared.read_text().replace('counting = "best"', 'counting = "selected"'))
    foxes = member(app, installation.site)
    first = sent(foxes, "random.csv")
    clock.move(minutes=1)
    second = sent(foxes, "embeddings.csv")
    assert nobody.get("/tasks/russe/standings", track="hj")["items"][0]["run"] == second
    chosen = foxes.ask("POST", f"/tasks/russe/runs/{first}/choose").json
    assert chosen is not None
    assert chosen["selected"] is True
    assert nobody.get("/tasks/russe/standings", track="hj")["items"][0]["run"] == first


def test_other_words_replace_those_that_are_named(foxes: Script) -> None:
    run = sent(foxes, "embeddings.csv", name="Vectors", description="first", system="embeddings")
    answer = foxes.ask(
        "PATCH", f"/tasks/russe/runs/{run}", json={"description": "second", "manner": "manual"}
    )
    assert answer.status_code == 200, answer.text
    changed = answer.json
    assert changed is not None
    assert (changed["name"], changed["description"]) == ("Vectors", "second")
    assert (changed["method"]["system"], changed["method"]["manner"]) == ("embeddings", "manual")
    for body in (b"{", b"[]", b'{"name": "\\ud800"}', b'{"nonsense": 1}', b'{"name": ""}', b"\xff"):
        refused = foxes.ask("PATCH", f"/tasks/russe/runs/{run}", data=body, content_type="application/json")
        assert refused.status_code in (400, 422)
        assert refused.mimetype == "application/problem+json"


def test_the_file_comes_back_as_it_was_sent(foxes: Script) -> None:
    run = sent(foxes, "embeddings.csv")
    assert (
        foxes.ask("GET", f"/tasks/russe/runs/{run}/file").data
        == sample("russe", "embeddings.csv").read_bytes()
    )


def test_words_are_in_the_language_that_is_asked_for(foxes: Script) -> None:
    russian = foxes.ask("GET", "/tasks/russe", headers={"Accept-Language": "ru"}).json
    assert russian is not None
    assert any("а" <= letter <= "я" for letter in russian["title"] + russian["summary"])
