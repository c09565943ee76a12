from __future__ import annotations

import os
import time

from leaderboard.services import job_pages, queue, rescoring
from leaderboard.site import opened, utc_now
from leaderboard.store.files import ORPHAN_AGE
from tests.cli.installation import Installation


def enqueue(toy: Installation, kind: str) -> None:
    with opened(toy.settings) as site, site.database.writing() as session:
        queue.enqueue(session, kind, "toy", {}, utc_now(), site.jobs.deliver)


def states(toy: Installation) -> list[str]:
    with opened(toy.settings) as site, site.database.reading() as session:
        return [job.state for job in job_pages.listing(session)]


def test_a_worker_rescores(toy: Installation) -> None:
    toy.submit("a", 0.1, 0.5, 0.9)
    enqueue(toy, rescoring.JOB)
    assert toy.done("worker", "--drain") == "1 job done.\n"
    with opened(toy.settings) as site, site.database.reading() as session:
        (job,) = job_pages.listing(session)
    assert (job.state, job.result) == ("done", {"scored": 1, "failed": []})


def test_a_worker_takes_up_jobs_that_the_queue_has_lost(toy: Installation) -> None:
    with opened(toy.settings) as site, site.database.writing() as session:
        queue.enqueue(session, rescoring.JOB, "toy", {}, utc_now())
    assert toy.done("worker", "--drain") == "1 job done.\n"
    assert states(toy) == ["done"]


def test_a_job_of_an_unknown_kind_fails_and_stops_nobody(toy: Installation) -> None:
    enqueue(toy, "dance")
    enqueue(toy, rescoring.JOB)
    assert toy.done("worker", "--drain") == "2 jobs done.\n"
    assert sorted(states(toy)) == ["done", "failed"]


def test_with_nothing_to_do_a_draining_worker_stops(toy: Installation) -> None:
    assert toy.done("worker", "--drain") == "0 jobs done.\n"


def test_a_worker_removes_what_a_killed_process_left_a_day_ago_and_no_upload_of_now(
    toy: Installation,
) -> None:
    with opened(toy.settings) as site:
        old, new = site.files.kept.draft(), site.files.kept.draft()
        then = time.time() - ORPHAN_AGE - 1
        os.utime(old, (then, then))
        for chore in site.jobs.chores.values():
            chore()
        assert [path for path in (old, new) if path.exists()] == [new]
