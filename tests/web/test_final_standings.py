"""A phase with a private part, as participants see it: nothing of it before, both parts after."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import pytest
from flask import Flask
from sqlalchemy import select

from leaderboard.services.score_rows import PER_TOPIC
from leaderboard.store.models import PRIVATE, SHOWN_SPLITS, Score
from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.marked import crawl, texts_of
from tests.web.members import Clock, Member, app_of
from tests.web.organisers import Organiser
from tests.web.phased import PHASE, evaluated

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
PARTED = f"""{PHASE.replace('"board"]', '"board", "per-topic"]')}[phases.split]
public = 0.5
seed = 987123
final_runs = 1
"""


@dataclass
class Parted:
    installation: Installation
    app: Flask
    carla: Member
    bob: Member
    olga: Organiser
    clock: Clock
    run: int

    def values(self, *splits: str) -> set[str]:
        """Values of runs on these parts as files and pages write them, those by topic too."""
        with self.installation.site.database.reading() as session:
            scores = session.scalars(
                select(Score).where(Score.split.in_(splits), Score.value.is_not(None))
            ).all()
            whole = [score.value for score in scores if score.value is not None]
            packed = [np.frombuffer(score.per_topic, PER_TOPIC) for score in scores if score.per_topic]
        by_topic = [float(value) for array in packed for value in array]
        return {*map(repr, whole), *(f"{value:.4f}" for value in (*whole, *by_topic))}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, tasks_folder: object) -> Iterator[Parted]:
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock(MORNING).install(patch)
        made = evaluated(tmp_path_factory.mktemp("parted"), tasks_folder, "cast", phase=PARTED)  # type: ignore[arg-type]
        app = app_of(made)
        carla, bob = Member(app, "carla", "Foxes", "cast"), Member(app, "bob", "Owls", "cast")
        samples = made.spec("cast").folder / "sample" / "runs"
        carla.submit(samples / "bm25_resolved.run", name="resolved")
        run = carla.run
        bob.submit(samples / "fused.run", name="fused")
        olga = Organiser(app, "olga", "cast")
        yield Parted(made, app, carla, bob, olga, clock, run)
        made.site.close()


def test_nobody_reads_a_private_value_before_the_phase_has_closed(site: Parted) -> None:
    secrets = site.values(PRIVATE) - site.values(*SHOWN_SPLITS)
    assert len(secrets) > 20
    told, answered = [], 0
    people = (("nobody", Browser(site.app)), ("captain", site.carla), ("organiser", site.olga))
    for kind, browser in people:
        starts = (
            "/tasks/cast",
            "/api/v1/tasks/cast/board?track=graded",
            f"/api/v1/tasks/cast/runs/{site.run}",
        )
        for start in (*starts, "/tasks/cast/final"):
            for address, answer in crawl(browser, start, 30 if start == "/tasks/cast" else 2):
                answered += answer.status_code == 200
                texts = list(texts_of(answer))
                told += [
                    (kind, address, secret) for secret in secrets if any(secret in text for text in texts)
                ]
                if kind != "organiser":
                    told += [(kind, address, "seed") for text in texts if "987123" in text]
    assert told == []
    assert answered > 60
    assert Browser(site.app).client.get("/tasks/cast/final.csv").status_code == 404


def test_a_team_puts_a_run_forward_on_its_page(site: Parted) -> None:
    page = site.carla.act(site.run, "put-forward")
    assert "put forward" in page
    assert "Hold back from the final standing" in page


def test_after_the_phase_both_parts_are_there_for_everybody(site: Parted) -> None:
    site.clock.moment = datetime(2026, 3, 5, 13, tzinfo=UTC)
    reader = Browser(site.app)
    page = reader.open("/tasks/cast/final?track=graded")
    assert "Foxes" in page
    assert "Private part" in page
    found = list(csv.DictReader(io.StringIO(reader.client.get("/tasks/cast/final.csv?track=graded").text)))
    assert {row["team"] for row in found} == {"Foxes", "Owls"}
    assert {row["private_value"] for row in found} <= site.values(PRIVATE)
    assert "/tasks/cast/final" in reader.open("/tasks/cast/board?track=graded")
