"""``worker``: works through the queue."""

from __future__ import annotations

import logging

import click

from leaderboard.cli.sites import ready
from leaderboard.config import Settings
from leaderboard.contract import say, say_count
from leaderboard.jobs import JobConsumer

PATIENCE = 20.0
"""Seconds that a job has to end by itself when the consumer is told to stop."""


@click.command()
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Jobs at once.")
@click.option("--drain", is_flag=True, help="Stop once no job is waiting.")
@click.pass_obj
def worker(settings: Settings, threads: int, drain: bool) -> None:
    """Do the jobs of the queue until told to stop: rescoring, building resources.

    `serve` has one beside it already; more may run, on as many machines as reach database, files and queue.
    A job whose worker dies or is stopped is done by another one.
    """
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    with ready(settings) as site:
        jobs = site.jobs
        jobs.sweep()
        if drain:
            click.echo(str(say_count("{count} job done.", "{count} jobs done.", jobs.drain())))
            return
        click.echo(str(say("Waiting for jobs; Ctrl-C stops.")))
        JobConsumer(jobs, threads, PATIENCE).run(site.stop_scoring)
