"""The page where organisers see what waits."""

from __future__ import annotations

from sqlalchemy import update

from leaderboard.contract import say
from leaderboard.store.models import Run
from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Organiser


def test_an_organiser_sees_the_queue_and_has_a_failed_run_scored_again(own: Installation) -> None:
    run_id = own.submit("russe", "random.csv", "a")
    olga = Organiser(app_of(own))
    site = site_of(olga.app)
    with site.database.writing() as session:
        broken = {"state": "failed", "failure": say("It looped."), "failure_detail": "signal <9>"}
        session.execute(update(Run).where(Run.id == run_id).values(broken))
    page = olga.open(olga.at("queue"))
    assert "Nobody does jobs at the moment" in page
    assert "It looped." in page
    assert "signal &lt;9&gt;" in page
    page = olga.send(olga.at(f"queue/runs/{run_id}/again"))
    assert "The run waits to be scored again." in page
    assert "1 job waits" in page
    assert site.jobs.drain() == 1
    page = olga.open(olga.at("queue"))
    assert "Nothing waits." in page
    assert "It looped." not in page
    assert "The last runs took" in page
