"""Comparing two runs: what everybody may see of both, and nothing that depends on a hidden label."""

from __future__ import annotations

import csv
import io
import random
import re
from pathlib import Path

import numpy as np
import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.store.models import Score
from tests.web.installation import NOON, Installation
from tests.web.phased import evaluated


def runs(client: FlaskClient, task: str) -> dict[str, int]:
    """The runs that the form offers, by name."""
    found = re.findall(
        r'<option value="(\d+)"[^>]*>[^<]*: ([^<]*) \(\d+\)</option>',
        client.get(f"/tasks/{task}/compare").text,
    )
    return {name: int(number) for number, name in found}


def two(client: FlaskClient, task: str) -> tuple[int, int]:
    first, second, *_ = dict.fromkeys(runs(client, task).values())
    return first, second


def text(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_retrieval_runs_are_compared_by_topic_with_tests_and_questions(client: FlaskClient) -> None:
    first, second = two(client, "cast")
    page = client.get(f"/tasks/cast/compare?a={first}&b={second}").text

    assert "paired t" in page
    assert "Wilcoxon signed-rank" in page
    assert "randomisation" in page
    assert "Where they differ most" in page
    assert 'class="question"' in page
    assert page.count("<svg") >= 2


def test_what_is_the_same_on_every_topic_has_no_bound_and_says_so(own: Installation) -> None:
    """Two runs with the same ranks but one document less on each topic differ alike everywhere."""
    own.install("cast")
    first, second = (own.submit("cast", "bm25_raw.run", team) for team in "ab")
    with own.site.database.writing() as session:
        for row in session.scalars(select(Score).where(Score.run_id == second, Score.track == "graded")):
            packed = np.frombuffer(row.per_topic or b"", PER_TOPIC) + 0.1
            row.per_topic = packed.astype(PER_TOPIC).tobytes()

    page = text(own.app().test_client().get(f"/tasks/cast/compare?a={first}&b={second}").text)

    assert "Cohen's d −∞" in page
    assert "Here the difference is the same on every topic" in page


def test_another_track_and_measure_may_be_asked_for(client: FlaskClient) -> None:
    first, second = two(client, "cast")
    address = f"/tasks/cast/compare?a={first}&b={second}"

    assert "difference of compat(p=0.95)" in client.get(f"{address}&track=best&measure=compat(p=0.95)").text
    assert client.get(f"{address}&track=none").status_code == 404
    assert client.get(f"{address}&measure=none").status_code == 404


def test_word_runs_are_compared_by_what_they_say(client: FlaskClient) -> None:
    first, second = two(client, "russe")
    page = client.get(f"/tasks/russe/compare?a={first}&b={second}").text

    assert "The words they differ on most" in page
    assert "paired t" not in page
    assert 'class="mark-shade-' in page


@pytest.mark.parametrize(("task", "kind"), [("cast", "topics"), ("russe", "ranks"), ("russe", "spread")])
def test_every_plot_is_a_file_too(client: FlaskClient, task: str, kind: str) -> None:
    first, second = two(client, task)
    address = f"/tasks/{task}/compare/{kind}.csv?a={first}&b={second}"

    rows = list(csv.reader(io.StringIO(client.get(address).text, newline="")))

    assert len(rows) > 3
    assert client.get(address.replace(".csv", ".svg")).text.startswith("<?xml")
    assert client.get(address.replace(".csv", ".exe")).status_code == 404


def test_a_kind_of_plot_that_a_task_has_not_is_not_found(client: FlaskClient) -> None:
    first, second = two(client, "cast")
    assert client.get(f"/tasks/cast/compare/ranks.svg?a={first}&b={second}").status_code == 404
    assert client.get(f"/tasks/cast/compare/topics.svg?a={first}").status_code == 404


def test_a_run_that_there_is_not_is_not_found(client: FlaskClient) -> None:
    first, _ = two(client, "cast")
    for address in (f"?a={first}&b=99999", "?a=x&b=1", f"?a=99999&b={first}"):
        assert client.get(f"/tasks/cast/compare{address}").status_code == 404


def test_one_run_alone_leaves_the_other_to_be_chosen(client: FlaskClient) -> None:
    first, _ = two(client, "cast")
    page = client.get(f"/tasks/cast/compare?a={first}").text

    assert re.search(rf'<option value="{first}" selected>', page)
    assert "Topic by topic" not in page


def test_runs_that_are_called_alike_are_told_apart_by_their_numbers(own: Installation) -> None:
    first, second = (own.submit("russe", "random.csv", team, name="run 1") for team in "ab")

    page = own.app().test_client().get(f"/tasks/russe/compare?a={first}&b={second}").text

    assert f"<bdi>run 1 ({first})</bdi>" in page
    assert f"<bdi>run 1 ({second})</bdi>" in page
    # They are the same but for their names.
    assert "The words they differ on most" not in page


def test_hidden_and_withdrawn_runs_are_neither_offered_nor_compared(own: Installation) -> None:
    made = own
    shown, hidden, withdrawn, _ = (made.submit("russe", "random.csv", team) for team in "abcd")
    made.change("russe", hidden, hidden_at=NOON)
    made.change("russe", withdrawn, withdrawn_at=NOON)
    reader = made.app().test_client()

    page = reader.get("/tasks/russe/compare").text
    offered = {int(number) for number in re.findall(r'<option value="(\d+)"', page)}
    assert shown in offered
    assert not offered & {hidden, withdrawn}
    for other in (hidden, withdrawn):
        assert reader.get(f"/tasks/russe/compare?a={shown}&b={other}").status_code == 404


def test_topics_are_not_compared_where_the_phase_does_not_show_them(
    tmp_path: Path, tasks_folder: Path
) -> None:
    made = evaluated(tmp_path, tasks_folder, "cast")
    made.submit("cast", "bm25_raw.run", "a")
    other = sorted((made.spec("cast").folder / "sample" / "runs").glob("*.run"))[-1].name
    made.submit("cast", other, "b")
    reader = made.app().test_client()
    first, second = two(reader, "cast")

    page = reader.get(f"/tasks/cast/compare?a={first}&b={second}").text

    assert "Values by topic are not shown in this phase" in page
    assert "paired t" not in page
    assert reader.get(f"/tasks/cast/compare/topics.csv?a={first}&b={second}").status_code == 404
    made.site.close()


def test_what_word_runs_say_is_the_same_whatever_the_labels_are(own: Installation, tmp_path: Path) -> None:
    first = own.submit("russe", "thesaurus.csv", "a")
    second = own.submit("russe", "embeddings.csv", "b")
    reader = own.app().test_client()
    address = f"/tasks/russe/compare?a={first}&b={second}"
    section = re.compile(r'<section class="topics".*?</section>', re.DOTALL)
    before = section.findall(reader.get(address).text)

    folder = own.copied_gold("russe", tmp_path / "other")
    chance = random.Random(3)
    for path in folder.glob("*.csv"):
        head, *rows = path.read_text("utf-8").splitlines()
        values = [row.rpartition(",")[2] for row in rows]
        chance.shuffle(values)
        lines = [f"{row.rpartition(',')[0]},{value}" for row, value in zip(rows, values, strict=True)]
        path.write_text("\n".join([head, *lines]) + "\n", "utf-8")
    own.install_gold("russe", folder)

    assert before
    assert section.findall(reader.get(address).text) == before
