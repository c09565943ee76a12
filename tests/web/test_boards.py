"""Every state of a board has an address, and its files hold that state."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from sqlalchemy import update

from leaderboard.services import references
from leaderboard.store.models import Task, Team
from tests.web.installation import Installation
from tests.web.phased import evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
BOARD = "/tasks/russe/board"
STATES = (
    "?track=hj",
    "?track=rt&phase=evaluation",
    "?track=rt&phase=evaluation&show=none",
    "?track=rt&phase=evaluation&show=late,baseline",
    "?track=rt&show=contrastive&sort=hj&order=asc",
    "?track=hj&stage=post-evaluation&show=reference",
    "?track=ae&columns=measures&sort=AUC&order=desc",
    "?track=overall&show=none&sort=team&order=asc",
)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Installation]:
    """RUSSE with a closed evaluation: a line of every kind, and one team that hides its name."""
    made = evaluated(tmp_path_factory.mktemp("boards"), tasks_folder, "russe")
    for hour, (run, team) in enumerate(
        {"thesaurus": "Angara", "associations": "Onega", "char_trigrams": "Hidden Institute"}.items()
    ):
        made.submit("russe", f"{run}.csv", team, name=run, submitted_at=MORNING + timedelta(hours=hour))
    for run, kind in {"random": "baseline", "edit_similarity": "contrastive"}.items():
        made.submit("russe", f"{run}.csv", "Onega", name=run, kind=kind, submitted_at=MORNING)
    made.submit("russe", "embeddings.csv", "Baikal", name="too late", submitted_at=MORNING.replace(day=8))
    published = made.settings.instance / "published.csv"
    published.write_text("run,participant,rho\nCBOW,UCL,0.61\n", "utf-8")
    with made.site.database.writing() as session:
        columns = {"run": "run", "participant": "participant", "rho": "spearman"}
        references.import_csv(session, made.spec("russe"), published, "A paper", columns, "hj")
        session.execute(update(Team).where(Team.name == "Hidden Institute").values(alias="Mister X"))
    yield made
    made.site.close()


@pytest.fixture
def reader(installation: Installation) -> FlaskClient:
    return installation.app().test_client()


def lines(page: str) -> list[str]:
    """What the lines of a ranking are called, in their order."""
    table = page.partition('<tbody role="rowgroup">')[2].partition("</tbody>")[0]
    return [
        unescape(run or team)
        for team, run in re.findall(
            r'<bdi class="name">(.*?)</bdi>(?:(?!</th>).)*?(?:<a class="run"[^>]*><bdi>(.*?)</bdi>|</th>)',
            table,
            re.DOTALL,
        )
    ]


def link(page: str, words: str) -> str:
    """Where the link with these words leads."""
    found = re.search(rf'<a [^>]*href="([^"]*)"[^>]*>(?:(?!</a>).)*{words}', page, re.DOTALL)
    assert found is not None, words
    return unescape(found.group(1))


def test_lines_of_each_kind_are_shown_or_left_out(reader: FlaskClient) -> None:
    track = f"{BOARD}?track=rt"
    assert lines(reader.get(track).text).count("too late") == 0
    assert set(lines(reader.get(f"{track}&show=none").text)) == {"thesaurus", "associations", "char_trigrams"}
    assert "random" in lines(reader.get(f"{track}&show=baseline").text)
    assert "edit_similarity" in lines(reader.get(f"{track}&show=contrastive").text)
    assert "too late" in lines(reader.get(f"{track}&show=late").text)
    assert "Published results of others" in reader.get(f"{BOARD}?track=hj&show=reference").text
    assert "CBOW" not in reader.get(f"{BOARD}?track=hj&show=none").text


def test_each_toggle_is_a_link_that_changes_one_kind_alone(reader: FlaskClient) -> None:
    page = reader.get(f"{BOARD}?track=rt&sort=hj&order=asc").text
    without = link(page, "Baselines")
    page = reader.get(without).text
    assert "random" not in lines(page)
    assert "edit_similarity" in lines(page)
    assert "sort=hj" in without
    again = link(page, "Baselines")
    assert "random" in lines(reader.get(again).text)
    assert "show" not in again


def test_late_runs_have_a_ranking_of_their_own_and_move_no_other(reader: FlaskClient) -> None:
    page = reader.get(f"{BOARD}?track=hj").text
    assert lines(page)[0] == "associations"
    late = reader.get(link(page, "with late runs")).text
    assert lines(late)[0] == "too late"
    assert "ranked here too" in late
    table = reader.get(f"{BOARD}.json?track=hj&phase=evaluation").get_json()
    assert [row["place"] for row in table["rows"] if row["run_name"] == "associations"] == [1]


@pytest.mark.parametrize("state", STATES)
def test_the_permanent_address_says_everything_and_leads_back(reader: FlaskClient, state: str) -> None:
    page = reader.get(BOARD + state).text
    permanent = link(page, "Permanent address")
    for word in ("track=", "phase=evaluation", "show="):
        assert word in permanent
    again = reader.get(permanent).text
    assert lines(again) == lines(page)
    assert link(again, "Permanent address") == permanent


@pytest.mark.parametrize("state", STATES)
def test_the_files_hold_exactly_what_is_shown_in_its_order(reader: FlaskClient, state: str) -> None:
    page = reader.get(BOARD + state).text
    overall = "track=overall" in state
    shown = lines(page)
    key = "team" if overall else "run_name"
    table = json.loads(reader.get(link(page, "JSON")).text)
    assert [row[key] for row in table["rows"]] == shown
    assert bool(table["references"]) == ("Published results of others" in page)
    rows = list(csv.DictReader(reader.get(link(page, "CSV")).text.splitlines()))
    assert [row[key] for row in rows if row["kind"] != "published"] == shown
    for words in ("LaTeX", "Markdown"):
        text = reader.get(link(page, words)).text.replace("\\", "")
        places = [text.index(f" {name} ") for name in shown]
        assert places == sorted(places)


def test_the_tables_for_people_have_the_columns_that_are_shown(reader: FlaskClient) -> None:
    for ending in ("tex", "md"):
        measures = reader.get(f"{BOARD}.{ending}?track=rt&columns=measures").text
        tracks = reader.get(f"{BOARD}.{ending}?track=rt").text
        assert "AUC" in measures
        assert "AUC" not in tracks
        assert "spearman" in tracks


def test_a_file_says_by_its_name_which_ranking_it_holds(reader: FlaskClient) -> None:
    answer = reader.get(f"{BOARD}.csv?track=rt&stage=post-evaluation")
    assert "russe-rt-evaluation-post-evaluation.csv" in answer.headers["Content-Disposition"]
    assert ",post-evaluation," in answer.text


@pytest.mark.parametrize(
    "state", ["show=everything", "stage=none", "show=baseline,none,x", "track=rt&stage=in%20times"]
)
def test_a_state_that_does_not_exist_is_not_found(reader: FlaskClient, state: str) -> None:
    assert reader.get(f"{BOARD}?{state}").status_code == 404
    assert reader.get(f"{BOARD}.csv?{state}").status_code == 404


def test_without_late_runs_there_is_no_ranking_for_them(client: FlaskClient) -> None:
    assert "with late runs" not in client.get(f"{BOARD}?track=hj").text
    assert client.get(f"{BOARD}?track=hj&stage=post-evaluation").status_code == 404


def public_answers(reader: FlaskClient) -> dict[str, str]:
    """What everybody can read about the task."""
    addresses = [
        "/",
        "/tasks/russe",
        "/tasks/russe/changes.atom",
        *(BOARD + state for state in STATES),
        *(f"{BOARD}.{ending}?track=rt" for ending in ("csv", "json", "tex", "md")),
        *(f"/tasks/russe/runs/{number}" for number in range(1, 7)),
        "/tasks/russe/mj",
        "/api/v1/tasks",
        "/api/v1/tasks/russe",
        "/api/v1/tasks/russe/standings?track=rt",
    ]
    return {address: unescape(reader.get(address).text) for address in addresses}


def test_nobody_reads_the_name_of_a_team_that_hides_it_until_names_are_revealed(
    installation: Installation, reader: FlaskClient
) -> None:
    installation.build_mj(publish=True)
    hidden = public_answers(reader)
    assert [address for address, text in hidden.items() if "Hidden Institute" in text] == []
    assert {address for address, text in hidden.items() if "Mister X" in text} >= {
        f"{BOARD}?track=hj",
        f"{BOARD}.csv?track=rt",
        f"{BOARD}.tex?track=rt",
        "/tasks/russe/changes.atom",
        "/tasks/russe/runs/3",
        "/api/v1/tasks/russe/standings?track=rt",
    }
    with installation.site.database.writing() as session:
        session.execute(update(Task).values(names_revealed_at=MORNING))
    try:
        revealed = public_answers(reader)
        assert [address for address, text in revealed.items() if "Mister X" in text] == []
        assert "Hidden Institute" in revealed[f"{BOARD}?track=hj"]
        assert "Hidden Institute" in revealed["/tasks/russe/changes.atom"]
    finally:
        with installation.site.database.writing() as session:
            session.execute(update(Task).values(names_revealed_at=None))


def test_a_task_is_cited_in_bibtex(reader: FlaskClient) -> None:
    answer = reader.get("/tasks/russe/cite.bib")
    assert answer.text.startswith("@inproceedings{panchenko2015russe,")
    assert 'filename="russe.bib"' in answer.headers["Content-Disposition"]
    for address in (BOARD, "/tasks/russe"):
        page = reader.get(address).text
        assert "@inproceedings{panchenko2015russe," in page
        assert 'href="/tasks/russe/cite.bib"' in page
    assert reader.get("/tasks/nothing/cite.bib").status_code == 404
