"""Boards show intervals and groups as they are stored: nothing is computed while a page is served."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

import leaderboard.analysis
from leaderboard.measures import resampled
from leaderboard.services import analysing, board_samples, gold, standings
from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.store import queries
from leaderboard.store.models import Run, Score, Team
from tests.web.installation import NOON, Installation

TEAMS = 200
BOARD = "/tasks/cast/board?track=graded"


def fill(made: Installation) -> None:
    """A scored run of each of 200 teams, written as scoring writes them, on all tracks."""
    spec = made.spec("cast")
    dice = np.random.default_rng(1)
    with made.site.database.writing() as session:
        versions = gold.active(session, spec)
        for number in range(TEAMS):
            run = add_run(session, number)
            for version in versions:
                values = np.clip(dice.normal(number / 250, 0.2, len(version.topics)), 0, 1)
                add_score(session, run, version, spec.track(version.track).primary, values)
        session.flush()
        standings.refresh(session, spec, made.site.scorer(spec).VERSION, NOON)


def add_run(session: Session, number: int) -> Run:
    task = queries.task_named(session, "cast")
    assert task is not None
    team = Team(task_id=task.id, name=f"Team {number}", created_at=NOON)
    session.add(team)
    session.flush()
    run = Run(
        task_id=task.id,
        phase_id=queries.phases_of(session, task.id)[0].id,
        team_id=team.id,
        name=f"run {number}",
        file_hash=f"{number:064x}",
        file_name="x.run",
        size=1,
        submitted_at=NOON,
        received_at=NOON,
        state="scored",
        kind="ordinary",
        late=False,
        warnings=(),
        notes=(),
        left_out=(),
        faults=[],
        scored_at=NOON,
    )
    session.add(run)
    session.flush()
    return run


def add_score(session: Session, run: Run, version: gold.Version, measure: str, values: np.ndarray) -> None:
    session.add(
        Score(
            run_id=run.id,
            gold_version_id=version.id,
            track=version.track,
            measure=measure,
            value=float(values.mean()),
            per_topic=values.astype(PER_TOPIC).tobytes(),
            answered=1,
            total=1,
            scorer_version="1",
            file_hash=run.file_hash,
            scored_at=NOON,
        )
    )


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory, tasks_folder: Path) -> Iterator[Installation]:
    made = Installation.make(tmp_path_factory.mktemp("crowded"), tasks_folder)
    made.install("cast")
    fill(made)
    made.analyse("cast")
    yield made
    made.site.close()


class ComputedError(Exception):
    """Something computed statistics."""


@contextmanager
def nothing_computed() -> Iterator[None]:
    """Whatever calls a function of these files, by whatever name, gets an error."""
    folders = {str(Path(leaderboard.analysis.__file__).parent)}
    files = {str(module.__file__) for module in (resampled, analysing, board_samples)}

    def watched(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and (name in files or str(Path(name).parent) in folders):
            raise ComputedError(f"{name}: {frame.f_code.co_qualname}")

    before = sys.getprofile()
    sys.setprofile(watched)
    try:
        yield
    finally:
        sys.setprofile(before)


@pytest.fixture
def reader(crowded: Installation) -> Iterator[FlaskClient]:
    """A reader of pages to whom every function that computes statistics would be an error."""
    client = crowded.app().test_client()
    with nothing_computed():
        yield client


def test_a_page_that_computes_would_be_noticed(reader: FlaskClient) -> None:
    with pytest.raises(ComputedError, match="analysis"):
        reader.get("/tasks/cast/study")


def test_a_board_of_200_teams_shows_what_is_stored(reader: FlaskClient) -> None:
    found = "".join(reader.get(f"{BOARD}&page={number}").text for number in (1, 2))

    rows = re.findall(r'<tr role="row"[^>]*>.*?</tr>', found, flags=re.DOTALL)
    lines = [row for row in rows if 'class="name"' in row]
    assert len(lines) == TEAMS
    assert all('class="interval"' in line for line in lines)
    assert all('class="groups"' in line for line in lines)


@pytest.mark.parametrize("ending", ["csv", "json", "tex", "md"])
def test_downloads_have_it_too(reader: FlaskClient, ending: str) -> None:
    assert reader.get(f"/tasks/cast/board.{ending}?track=graded").status_code == 200


def test_full_precision_ends_where_the_shown_digits_end(reader: FlaskClient) -> None:
    document = json.loads(reader.get("/tasks/cast/board.json?track=graded").text)

    for row in document["rows"]:
        for end in row["interval"]:
            assert end == round(end, 4)
        assert row["interval"][0] <= row["value"] <= row["interval"][1]


def test_a_board_that_has_yet_to_be_analysed_is_shown_without(own: Installation) -> None:
    own.submit("russe", "thesaurus.csv", "a")
    reader = own.app().test_client()
    before = reader.get("/tasks/russe/board?track=hj").text
    own.analyse("russe")
    after = reader.get("/tasks/russe/board?track=hj").text

    assert 'class="interval"' not in before
    assert 'class="interval"' in after
    assert "cannot be told apart" in after
