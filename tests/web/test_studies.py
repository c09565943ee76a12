"""The study of measures as a page."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import select, update

from leaderboard.services import freezing
from leaderboard.services.audit import SHELL
from leaderboard.store.models import Phase, Run, Score
from tests.web.installation import NOON, Installation
from tests.web.phased import PHASE, evaluated


def heads(page: str) -> list[str]:
    """The measures of the table, in its order."""
    body = re.search(r'<table class="values study-table">.*?</table>', page, re.DOTALL)
    return re.findall(r'<th scope="row">([^<]+?) <small>', body.group(0)) if body else []


def text(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", page).split())


def rows(client: FlaskClient, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).text, newline="")))


def test_the_study_of_cast_has_the_measures_of_the_paper(client: FlaskClient) -> None:
    page = client.get("/tasks/cast/study").text

    assert heads(page) == ["nDCG@3", *["compat(p=0.8)"] * 4]
    assert "pairs told apart" in page
    assert page.count("<figure") == 5 + 4


@pytest.mark.parametrize(
    ("task", "track", "column"), [("cast", "graded", "graded:nDCG@3"), ("russe", "hj", "hj:spearman")]
)
def test_intervals_are_those_of_the_board_and_say_no_more_of_hidden_labels(
    client: FlaskClient, task: str, track: str, column: str
) -> None:
    board = json.loads(client.get(f"/tasks/{task}/board.json?track={track}").text)["rows"]
    known = {(row["team"], *row["interval"]) for row in board if row["place"] is not None}
    table = rows(client, f"/tasks/{task}/study/runs.csv")

    sure = [row for row in table if row[f"{column} from"]]
    found = {(row["team"], *(float(row[f"{column} {end}"]) for end in ("from", "to"))) for row in sure}

    assert known
    assert known <= found
    ends = [value for row in table for name, value in row.items() if name.endswith((" from", " to"))]
    assert all(float(end) == round(float(end), 4) for end in ends if end)


def test_word_pairs_are_studied_by_what_was_drawn_for_the_boards(client: FlaskClient) -> None:
    assert heads(client.get("/tasks/russe/study").text) == ["spearman", "AveP", "AveP"]


def test_what_was_not_drawn_is_left_out_and_named(client: FlaskClient) -> None:
    page = client.get("/tasks/russe/study?measure=rt:AveP&measure=rt:AUC").text

    assert heads(page) == ["AveP"]
    assert "Runs cannot be compared by AUC on rt" in re.sub(r"<[^>]+>", "", page)


def test_measures_runs_and_baseline_are_chosen_by_the_address(client: FlaskClient) -> None:
    address = "?measure=graded:AP&measure=graded:RR&baseline=graded:RR&runs=all"

    assert heads(client.get(f"/tasks/cast/study{address}").text) == ["RR", "AP"]
    table = rows(client, f"/tasks/cast/study/measures.csv{address}")
    assert [row["measure"] for row in table] == ["RR", "AP"]
    assert float(table[0]["tau_b"]) == pytest.approx(1.0)


@pytest.mark.parametrize("measures", ["", "measure=graded:AP&"])
def test_a_baseline_that_there_is_not_is_named(client: FlaskClient, measures: str) -> None:
    address = f"?{measures}baseline=graded:none"
    page = client.get(f"/tasks/cast/study{address}").text

    assert "graded:none" in page
    assert "Choose another below" in page
    assert heads(page) == []
    assert client.get(f"/tasks/cast/study/measures.csv{address}").status_code == 404


def test_a_baseline_alone_goes_before_the_task_s_own_measures(client: FlaskClient) -> None:
    page = client.get("/tasks/cast/study?baseline=best:compat(p=0.8)").text

    assert heads(page) == ["compat(p=0.8)", "nDCG@3", *["compat(p=0.8)"] * 3]


def test_single_runs_are_chosen_on_the_page_and_stay_in_every_address(client: FlaskClient) -> None:
    page = client.get("/tasks/cast/study").text
    offered = [int(number) for number in re.findall(r'name="run" value="(\d+)"', page)]
    three = offered[:3]
    address = "?" + "&".join(f"run={number}" for number in three)

    page = client.get(f"/tasks/cast/study{address}").text

    assert "3 runs, 3 pairs" in text(page)
    ticked = re.findall(r'name="run" value="(\d+)" checked', page)
    assert [int(number) for number in ticked] == three
    files = [html.unescape(found) for found in re.findall(r'href="([^"]*/study/[^"]*)"', page)]
    assert len(files) == 4 + 3 * (5 + 4)
    assert all(address.removeprefix("?") in file for file in files)
    csv_of_runs = next(file for file in files if "/study/runs.csv" in file)
    assert len(rows(client, csv_of_runs)) == 3


@pytest.mark.parametrize(
    ("also", "why"), [("", "at least two are needed"), ("&run=99999", "There is no run 99999")]
)
def test_a_choice_that_cannot_be_studied_is_answered(client: FlaskClient, also: str, why: str) -> None:
    offered = re.search(r'name="run" value="(\d+)"', client.get("/tasks/cast/study").text)
    assert offered is not None
    address = f"?run={offered.group(1)}{also}"

    assert why in text(client.get(f"/tasks/cast/study{address}").text)
    assert client.get(f"/tasks/cast/study/runs.csv{address}").status_code == 404


def test_what_is_compared_with_is_shown_too(client: FlaskClient) -> None:
    page = client.get("/tasks/cast/study?measure=graded:AP&baseline=graded:RR").text

    assert heads(page) == ["RR", "AP"]


@pytest.mark.parametrize(
    "address", ["?measure=graded:none", "?measure=none", "?runs=some", "?phase=none", "?run=x"]
)
def test_what_there_is_not_is_not_found(client: FlaskClient, address: str) -> None:
    assert client.get(f"/tasks/cast/study{address}").status_code == 404


@pytest.mark.parametrize("part", ["runs/0.svg", "runs/4.csv", "against/1.svg", "runs.csv"])
def test_every_part_is_a_file(client: FlaskClient, part: str) -> None:
    assert client.get(f"/tasks/cast/study/{part}").status_code == 200
    assert client.get("/tasks/cast/study/runs/77.svg").status_code == 404


def test_tables_are_there_for_latex_too(client: FlaskClient) -> None:
    table = client.get("/tasks/cast/study/measures.tex").text

    assert r"\toprule" in table
    assert r"p \textless{} .05, \%" in table
    assert client.get("/tasks/cast/study/measures.odt").status_code == 404


def test_a_hidden_run_has_no_part_in_it_and_one_run_is_too_few(own: Installation) -> None:
    for team in ("a", "b", "c"):
        run = own.submit("russe", "random.csv", team, name=f"run of {team}")
    own.analyse("russe")
    reader = own.app().test_client()
    address = "/tasks/russe/study/runs.csv?runs=all"
    assert {row["run"] for row in rows(reader, address)} == {"run of a", "run of b", "run of c"}

    own.change("russe", run, hidden_at=NOON)

    assert f'name="run" value="{run}"' not in reader.get("/tasks/russe/study").text
    assert f"no run {run}" in text(reader.get(f"/tasks/russe/study?run={run}&run={run - 1}").text)
    assert {row["run"] for row in rows(reader, address)} == {"run of a", "run of b"}
    own.change("russe", run - 1, withdrawn_at=NOON)
    assert "at least two are needed" in reader.get("/tasks/russe/study").text


def test_what_was_scored_since_the_ranking_was_frozen_has_no_part_in_it(own: Installation) -> None:
    for team in ("a", "b", "c"):
        own.submit("russe", "random.csv", team, name=f"run of {team}")
    own.analyse("russe")
    with own.site.database.writing() as session:
        last = session.scalars(select(Run).order_by(Run.id.desc())).first()
        assert last is not None
        spec, phase = own.spec("russe"), session.get_one(Phase, last.phase_id)
        version = own.site.scorer(spec).VERSION
        freezing.freeze(session, spec, version, phase.name, SHELL, NOON)
        later = update(Score).where(Score.run_id == last.id)
        session.execute(later.values(scored_at=NOON + timedelta(seconds=1)))

    found = rows(own.app().test_client(), "/tasks/russe/study/runs.csv?runs=all")

    assert {row["run"] for row in found} == {"run of a", "run of b"}


def test_a_phase_that_shows_no_board_shows_no_study(tmp_path: Path, tasks_folder: Path) -> None:
    phase = PHASE.replace('reveals = ["own", "board"]', 'reveals = ["own"]').replace(
        "closes_at = 2026-03-05T12:00:00Z", "closes_at = 2999-01-01T00:00:00Z"
    )
    made = evaluated(tmp_path, tasks_folder, "cast", phase=phase)
    for team in ("a", "b"):
        made.submit("cast", "bm25_raw.run", team)
    reader = made.app().test_client()

    page = reader.get("/tasks/cast/study").text

    assert "is shown once the phase has closed" in page
    assert heads(page) == []
    assert reader.get("/tasks/cast/study/runs.csv").status_code == 404
    made.site.close()
