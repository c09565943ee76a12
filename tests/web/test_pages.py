"""What stands on the pages, and what is not found."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from leaderboard.config import Settings, inside
from tests.web.installation import NOON, Installation

PAGES = (
    "/",
    "/about",
    "/tasks/russe",
    "/tasks/russe/board",
    "/tasks/russe/board?track=hj",
    "/tasks/russe/board?track=rt&columns=measures&sort=AUC&order=asc",
    "/tasks/russe/board?track=rt&sort=team&order=asc",
    "/tasks/russe/board?track=rt&sort=submitted&phase=open",
    "/tasks/russe/board?track=overall&page=99",
    "/tasks/cast/board",
    "/tasks/cast/runs/14",
    "/tasks/cast/runs/14?track=best&measure=compat(p%3D0.95)",
    "/tasks/russe/mj",
    "/tasks/russe/mj?letter=%D0%91",
    "/tasks/russe/mj?word=nonsense",
    "/tasks/russe/mj/runs?track=ae",
    "/tasks/russe/compare?a=5&b=6",
    "/tasks/cast/compare?a=14&b=15&track=best",
    "/tasks/russe/study",
)

MISSING = (
    "/tasks/nothing",
    "/tasks/..",
    "/tasks/cast2020",
    "/tasks/nothing/board",
    "/tasks/russe/board?track=none",
    "/tasks/russe/board?phase=none",
    "/tasks/russe/board?sort=none",
    "/tasks/russe/board?columns=none",
    "/tasks/russe/board?order=none",
    "/tasks/russe/board?page=0",
    "/tasks/russe/board?page=-1",
    "/tasks/russe/board?page=٣",
    "/tasks/russe/board?page=99999999999999999999",
    "/tasks/cast/board?track=overall",
    "/tasks/russe/board.exe",
    "/tasks/russe/board.csv?track=none",
    "/tasks/russe/runs/999",
    "/tasks/russe/runs/99999999999999999999999",
    "/tasks/russe/runs/14",
    "/tasks/cast/runs/14?track=none",
    "/tasks/cast/runs/14?measure=none",
    "/tasks/russe/inputs/none",
    "/tasks/russe/inputs/hj-test.csv",
    "/tasks/russe/inputs/..%2Fgold",
    "/tasks/cast/mj",
    "/tasks/russe/mj/2/unique.csv",
    "/tasks/russe/mj/1/other.csv",
    "/assets/x/../../task.toml",
    "/assets/x/css/none.css",
)


@pytest.mark.parametrize("address", PAGES)
def test_every_page_opens(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200
    assert "<h1" in answer.text
    assert "<title>" in answer.text


@pytest.mark.parametrize("address", MISSING)
def test_what_is_not_there_is_not_found_and_a_page_says_so(client: FlaskClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text


def test_the_list_of_tasks_says_who_leads(client: FlaskClient) -> None:
    page = client.get("/").text
    for words in ("RUSSE: Russian semantic similarity", "5 teams", "Leading now", "Vychegda"):
        assert words in page


def test_a_task_shows_its_text_its_files_and_its_measures(client: FlaskClient) -> None:
    page = client.get("/tasks/russe").text
    for words in ("What you do", "pairs.csv", "SHA-256", "10 runs a day", "AveP_2015", "Panchenko"):
        assert words in page


def test_a_task_hides_neither_its_title_twice_nor_prints_markdown(client: FlaskClient) -> None:
    page = client.get("/tasks/russe").text
    assert page.count("<h1") == 1
    assert "## " not in page


def test_a_file_is_downloaded_under_its_own_name(client: FlaskClient, samples: Installation) -> None:
    answer = client.get("/tasks/russe/inputs/pairs")
    sample = samples.spec("russe").folder / "sample" / "inputs" / "pairs.csv"
    assert answer.data == sample.read_bytes()
    assert "filename=pairs.csv" in answer.headers["Content-Disposition"]


def test_a_broken_download_goes_on_where_it_stopped(client: FlaskClient) -> None:
    whole = client.get("/tasks/russe/inputs/pairs").data
    part = client.get("/tasks/russe/inputs/pairs", headers={"Range": "bytes=100-"})
    assert part.status_code == 206
    assert part.data == whole[100:]


def test_a_board_has_places_baselines_and_reasons(client: FlaskClient) -> None:
    page = client.get("/tasks/russe/board?track=hj").text
    for words in ("Word vectors", "baseline", "no value", "Benchmark version 1", "scorer version"):
        assert words in page
    assert "a constant cannot be correlated" in page


@pytest.mark.parametrize(
    ("ending", "words"),
    [("csv", "place,team,run"), ("json", '"rows"'), ("tex", "\\toprule"), ("md", "| ---")],
)
def test_a_board_is_downloaded_in_each_format(client: FlaskClient, ending: str, words: str) -> None:
    answer = client.get(f"/tasks/russe/board.{ending}?track=hj")
    assert words in answer.text
    assert f"russe-hj-open.{ending}" in answer.headers["Content-Disposition"]


def test_sorting_turns_the_board_round(client: FlaskClient) -> None:
    def order(address: str) -> list[int]:
        page = client.get(address).text
        return [page.index(name) for name in ("Word vectors", "Association network")]

    highest = order("/tasks/russe/board?track=rt&sort=hj&order=desc")
    lowest = order("/tasks/russe/board?track=rt&sort=hj&order=asc")
    assert (highest[0] < highest[1]) != (lowest[0] < lowest[1])


def test_a_run_shows_its_scores_and_why_it_is_not_ranked(client: FlaskClient) -> None:
    page = client.get("/tasks/russe/runs/1").text
    for words in ("spearman", "AveP_2015", "Why it is not ranked", "A baseline of the organisers", "SHA-256"):
        assert words in page


def test_pairs_that_a_run_lacks_on_a_track_are_not_told(client: FlaskClient) -> None:
    assert "answers" not in client.get("/tasks/russe/runs/1").text


def test_a_run_shows_its_topics_drawn_and_as_a_table(client: FlaskClient) -> None:
    page = client.get("/tasks/cast/runs/14?track=combined").text
    assert page.count('class="plot-bar"') == page.count('<tr><th scope="row">') > 10


def test_a_word_is_looked_up_in_the_published_mj(client: FlaskClient) -> None:
    index = client.get("/tasks/russe/mj").text
    word = index.split('<option value="', 1)[1].split('"', 1)[0]
    page = client.get(f"/tasks/russe/mj?word={quote(word)}").text
    assert "Most related to" in page
    assert "best single run" in page
    assert client.get("/tasks/russe/mj/1/unique.csv").text.startswith("word1,word2,mj")


def test_an_unpublished_mj_is_not_found(own: Installation) -> None:
    own.enter_samples("russe")
    number = own.build_mj(publish=False)
    reader = own.app().test_client()
    assert reader.get("/tasks/russe/mj").status_code == 404
    assert reader.get(f"/tasks/russe/mj/{number}/unique.csv").status_code == 404
    assert "Machine judgments</a>" not in reader.get("/tasks/russe").text


@pytest.mark.parametrize(
    "hidden",
    [
        {"hidden_at": NOON},
        {"withdrawn_at": NOON},
        {"state": "rejected"},
        {"state": "failed"},
        {"state": "received"},
    ],
)
def test_a_run_that_is_not_public_is_not_found(own: Installation, hidden: dict[str, object]) -> None:
    run_id = own.submit("russe", "embeddings.csv", "Quiet team")
    reader = own.app().test_client()
    assert reader.get(f"/tasks/russe/runs/{run_id}").status_code == 200
    own.change("russe", run_id, **hidden)
    assert reader.get(f"/tasks/russe/runs/{run_id}").status_code == 404
    assert "Quiet team" not in reader.get("/tasks/russe/board?track=hj").text
    assert "Quiet team" not in reader.get("/").text


def test_a_task_for_organisers_is_not_found(own: Installation) -> None:
    own.submit("russe", "embeddings.csv", "Angara")
    own.hide_task("russe")
    reader = own.app().test_client()
    for address in ("/tasks/russe", "/tasks/russe/board", "/tasks/russe/runs/1", "/tasks/russe/inputs/pairs"):
        assert reader.get(address).status_code == 404
    assert "RUSSE" not in reader.get("/").text


def test_a_board_without_runs_says_so(own: Installation) -> None:
    assert "No run stands here yet" in own.app().test_client().get("/tasks/russe/board?track=hj").text


def test_an_installation_that_is_not_set_up_says_so(tmp_path: Path, tasks_folder: Path) -> None:
    app = Installation.make(tmp_path, tasks_folder).app()
    assert "No task is open to the public yet" in app.test_client().get("/").text
    from leaderboard.app import create_app

    settings = inside(tmp_path / "empty", Settings(tasks=(tasks_folder,)))
    settings.instance.mkdir()
    answer = create_app(settings).test_client().get("/")
    assert answer.status_code == 503
    assert "Retry-After" in answer.headers
    assert "cannot answer just now" in answer.text


def test_a_fault_of_ours_says_nothing_of_itself(
    samples: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the password is tiger")

    monkeypatch.setattr("leaderboard.web.tasks.task_pages.overview", broken)
    app = samples.app()
    app.testing = False
    answer = app.test_client().get("/")
    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.text
    assert "tiger" not in answer.text
