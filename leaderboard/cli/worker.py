"""``worker``: works through the queue."""

from __future__ import annotations

import os

import click

from leaderboard.cli.metrics_port import serve_metrics
from leaderboard.cli.sites import ready, wait_option
from leaderboard.config import Settings
from leaderboard.contract import say, say_count
from leaderboard.jobs import JobConsumer
from leaderboard.telemetry import exposition, logs

PATIENCE = 20.0
"""Seconds that a job has to end by itself when the consumer is told to stop."""


@click.command()
@click.option("--threads", type=click.IntRange(1, 64), default=1, show_default=True, help="Jobs at once.")
@click.option("--drain", is_flag=True, help="Stop once no job is waiting.")
@wait_option()
@click.option("--metrics-port", type=click.IntRange(0, 65535), help="Serve its metrics at this port.")
@click.option("--metrics-host", default="127.0.0.1", show_default=True, help="The address to do so at.")
@click.pass_obj
def worker(
    settings: Settings, threads: int, drain: bool, wait: int, metrics_port: int | None, metrics_host: str
) -> None:
    """Do the jobs of the queue until told to stop: rescoring, building resources.

    `serve` has one beside it already; more may run, on as many machines as reach database, files and queue.
    A job whose worker dies or is stopped is done by another one.
    """
    logs.set_up(settings.log)
    if os.environ.get(exposition.FOLDER):
        # `serve` shows them together with its own.
        exposition.start()
    with ready(settings, wait) as site:
        jobs = site.jobs
        if metrics_port is not None:
            serve_metrics(settings.metrics_token, metrics_host, metrics_port)
        jobs.sweep()
        if drain:
            click.echo(str(say_count("{count} job done.", "{count} jobs done.", jobs.drain())))
            return
        site.warm_up()
        click.echo(str(say("Waiting for jobs; Ctrl-C stops.")))
        logs.write_nothing_else()
        JobConsumer(jobs, threads, PATIENCE).run(site.stop_scoring)
