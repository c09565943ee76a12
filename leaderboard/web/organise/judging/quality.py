"""How good the judgments of a campaign are, in numbers and plots."""

from __future__ import annotations

from flask import Response, abort, request
from sqlalchemy.orm import Session

from leaderboard.contract import TaskSpec
from leaderboard.plots import Plot
from leaderboard.services import judging_pages, judging_plots, judging_quality, judging_tables
from leaderboard.services.judging_pages import View
from leaderboard.services.judging_plans import UnknownCampaign
from leaderboard.web import figures
from leaderboard.web.access import allow
from leaderboard.web.identity_rules import ORGANISER
from leaderboard.web.installation import site
from leaderboard.web.organise.judging.shared import ONE, blueprint, campaign, campaign_page, plain_file

MOST_CYCLES = 20
"""So many cycles are shown; the file has all."""


@blueprint.get(f"{ONE}/quality")
@allow(ORGANISER)
def quality(task: str, number: int) -> Response:
    """Agreement, transitivity, and the plots; beside another campaign where one is chosen."""
    spec, view = campaign(task, number)
    other = _other()
    with site().database.reading() as session:
        found = judging_quality.quality(session, spec, number)
        others = [
            each
            for each in judging_pages.listing(session, spec)
            if each.number != number and each.kind == view.kind == "preference"
        ]
        if other is not None and other not in {each.number for each in others}:
            abort(404)
        plots = _plots(session, spec, view, other)
    every = [(topic, cycle) for topic, of_topic in found.cycles.items() for cycle in of_topic]
    return campaign_page(
        "quality",
        spec,
        view,
        quality=found,
        others=others,
        other=other,
        drawn={name: figures.figure(plot) for name, plot in plots.items()},
        cycles=every[:MOST_CYCLES],
        cycle_count=len(every),
    )


@blueprint.get(f"{ONE}/quality/<any(sources, grades, pool):name>.<ending>")
@allow(ORGANISER)
def plot(task: str, number: int, name: str, ending: str) -> Response:
    """One of the plots as a file."""
    spec, view = campaign(task, number)
    with site().database.reading() as session:
        try:
            found = _plots(session, spec, view, _other()).get(name)
        except UnknownCampaign:
            abort(404)
    return figures.download(found, ending, f"campaign-{number}-{name}")


@blueprint.get(f"{ONE}/quality/<any(agreement, cycles):name>.csv")
@allow(ORGANISER)
def quality_file(task: str, number: int, name: str) -> Response:
    """The numbers, or the cycles of preferences, as CSV."""
    spec, _ = campaign(task, number)
    with site().database.reading() as session:
        found = judging_quality.quality(session, spec, number)
    content = judging_tables.quality(found) if name == "agreement" else judging_tables.cycles(found)
    return plain_file(f"campaign-{number}-{name}.csv", content)


def _other() -> int | None:
    """The number of the campaign that the address names beside this one."""
    given = request.args.get("beside", "")
    if given and not (given.isascii() and given.isdigit() and len(given) < 10):
        abort(404)
    return int(given) if given else None


def _plots(session: Session, spec: TaskSpec, view: View, other: int | None) -> dict[str, Plot]:
    """The plots that there are something for."""
    if view.kind != "preference":
        return {}
    found: dict[str, Plot] = {}
    steps = judging_quality.pool_steps(session, spec, view.number)
    if steps:
        found["pool"] = judging_plots.steps_plot(steps)
    chosen = judging_quality.chosen_grades(session, site().files, spec, view.number)
    if any(step is not None for step in chosen.all):
        found["grades"] = judging_plots.grades_plot(chosen)
    if other is not None:
        sources = judging_quality.beside_campaign(session, spec, view.number, other)
        if sources.among or sources.absent:
            found["sources"] = judging_plots.sources_plot(sources)
    return found
