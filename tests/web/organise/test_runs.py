"""The pages where organisers see all runs and do something to them."""

from __future__ import annotations

from leaderboard.services import mj_plans
from tests.web.installation import NOON, Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser


def filled(own: Installation) -> list[int]:
    samples = ("word_length.csv", "random.csv", "constant.csv")
    return [own.submit("russe", sample, team) for sample, team in zip(samples, "abc", strict=True)]


def test_an_organiser_disqualifies_and_restores_a_run(own: Installation) -> None:
    first, *_ = filled(own)
    olga = Organiser(app_of(own))
    address = olga.at(f"runs/{first}")
    page = olga.open(address)
    assert "word_length" in page
    assert "Say why" in olga.send(address, action="disqualify", reason="")
    assert olga.last.status_code == 422
    page = olga.send(address, action="disqualify", reason="used the <gold>")
    assert "Done, and written to the log." in page
    assert "used the &lt;gold&gt;" in page
    assert "<bdi>Olga</bdi> disqualified the run" in page
    reader = olga.open("/tasks/russe/board?track=hj")
    assert "used the &lt;gold&gt;" in reader
    olga.open(address)
    olga.send(address, action="qualify", reason="")
    assert "disqualified" not in olga.open("/tasks/russe/board?track=hj")


def test_many_runs_are_changed_at_once_from_the_list(own: Installation) -> None:
    first, second, third = filled(own)
    olga = Organiser(app_of(own))
    olga.open(olga.at("runs"))
    list_of = olga.at("runs") + "?"
    page = olga.send(olga.at("runs"), run=[str(first), str(second)], action="hide", reason="")  # type: ignore[arg-type]
    assert "2 runs changed" in page
    assert "1 run matches." in olga.open(f"{list_of}mark=clean")
    page = olga.send(f"{list_of}mark=clean", action="delete", everything="y", reason="spam")
    assert "1 run changed" in page
    assert "0 runs match." in page
    assert f'value="{third}"' in olga.open(f"{list_of}mark=deleted")
    assert olga.client.get(f"/tasks/russe/runs/{third}").status_code == 404


def test_nothing_is_done_where_it_is_not_clear_to_which_runs(own: Installation) -> None:
    filled(own)
    olga = Organiser(app_of(own))
    olga.open(olga.at("runs"))
    assert "Tick the runs" in olga.send(olga.at("runs"), action="hide", reason="")
    own.submit("russe", "edit_similarity.csv", "d", submitted_at=NOON)
    page = olga.send(olga.at("runs"), action="hide", reason="", everything="y", matching="3")
    assert "The runs that match have changed" in page
    assert "4 runs match." in olga.open(olga.at("runs?mark=clean"))


def test_the_list_is_filtered_and_sorted_by_its_address(own: Installation) -> None:
    filled(own)
    olga = Organiser(app_of(own))
    page = olga.open(olga.at("runs?text=random"))
    assert "1 run matches." in page
    for query in ("sort=hj&order=asc", "sort=team", "team=1&state=scored&kind=ordinary"):
        assert olga.open(olga.at(f"runs?{query}")).count("</tr>") >= 1
        assert olga.last.status_code == 200
    for query in ("sort=x", "state=x", "mark=x", "kind=x", "team=x", "page=x"):
        olga.open(olga.at(f"runs?{query}"))
        assert olga.last.status_code == 404


def test_organisers_alone_read_why_scoring_failed_and_download_any_file(own: Installation) -> None:
    first, *_ = filled(own)
    own.change("russe", first, state="failed", failure_detail="KeyError: a pair of the gold")
    olga = Organiser(app_of(own))
    assert "KeyError: a pair of the gold" in olga.open(olga.at(f"runs/{first}"))
    answer = olga.client.get(olga.at(f"runs/{first}/file"), buffered=True)
    assert answer.status_code == 200
    assert answer.data == (own.spec("russe").folder / "sample/runs/word_length.csv").read_bytes()
    assert olga.client.get(olga.at("runs/999")).status_code == 404


def test_mj_is_built_without_hidden_deleted_and_disqualified_runs(own: Installation) -> None:
    samples = ("word_length.csv", "random.csv", "edit_similarity.csv", "common_prefix.csv")
    hidden, deleted, barred, kept = (
        own.submit("russe", sample, team) for sample, team in zip(samples, "abcd", strict=True)
    )
    olga = Organiser(app_of(own))
    for run, action in ((hidden, "hide"), (deleted, "delete"), (barred, "disqualify")):
        olga.open(olga.at(f"runs/{run}"))
        olga.send(olga.at(f"runs/{run}"), action=action, reason="a reason")
    with own.site.database.reading() as session:
        plan = mj_plans.preview(session, own.spec("russe"), "rank", "open")
    assert {run.run_id for track in plan.tracks for run in track.runs} == {kept}
    shown = olga.client.get("/api/v1/tasks/russe/standings?track=hj").get_json()
    teams = {row["team"]: row["place"] for row in shown["items"]}
    assert teams == {"d": 1, "c": None}
