"""A team's own runs: listed, shown, topic by topic, and what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flask import Response
from flask_babel import gettext

from leaderboard.contract import TaskSpec
from leaderboard.services import (
    accounts,
    queue_pages,
    run_actions,
    run_pages,
    scoring_jobs,
    submissions,
    team_runs,
    teams,
)
from leaderboard.services.methods import Method
from leaderboard.services.run_actions import Description
from leaderboard.services.teams import TeamPage
from leaderboard.site import utc_now
from leaderboard.web import uploads
from leaderboard.web.api import documents
from leaderboard.web.api.blueprint import READ, SUBMIT, blueprint, holder, operation, own_team
from leaderboard.web.api.paging import paged, part
from leaderboard.web.api.problems import Problem
from leaderboard.web.api.run_schemas import OneTrack, OwnRuns, Quota, Run, Runs, Topics, Words
from leaderboard.web.api.schemas import Me
from leaderboard.web.api.words import later as _
from leaderboard.web.installation import public_tasks, site
from leaderboard.web.kept_files import PRIVATE, kept_file

_RUNS = ["Own runs"]
_ONE = "/tasks/<task>/runs/<int(max=2147483647):run_id>"


@blueprint.route("/me", tags=["Token"])
@blueprint.response(200, Me)
@operation(READ, _("Whose token this is, what it may do, and your teams."))
def show_me() -> Any:
    grant = holder()
    with site().database.reading() as session:
        person = accounts.person(session, grant.user_id)
        memberships = [
            {"task": spec.name, "team": team.name}
            for spec in public_tasks(session)
            if (team := teams.of_person(session, spec, grant.user_id, utc_now())) is not None
        ]
    return {
        "name": person.name if person else "",
        "token": grant.name,
        "scope": grant.scope,
        "expires_at": documents.moment(grant.expires_at),
        "teams": memberships,
    }


@blueprint.route("/tasks/<task>/quota", tags=_RUNS)
@blueprint.response(200, Quota)
@operation(READ, _("What your team may still send, and when."))
def show_quota(task: str) -> Any:
    spec, team = own_team(task)
    with site().database.reading() as session:
        state = submissions.state(session, spec, team.team_id, utc_now(), holder().user_id)
    return documents.quota(spec, team.name, state)


@blueprint.route("/tasks/<task>/runs", tags=_RUNS)
@blueprint.arguments(OwnRuns, location="query")
@blueprint.response(200, Runs)
@operation(READ, _("The runs of your team, in the order of submission."))
def list_runs(asked: dict[str, Any], task: str) -> Any:
    spec, team = own_team(task)
    with site().database.reading() as session:
        found = run_pages.listing(session, spec, team.name)
    wanted = {name: asked[name] for name in ("phase", "state") if name in asked}
    runs = [run for run in found if all(getattr(run, name) == value for name, value in wanted.items())]
    return paged([documents.summary(spec, run) for run in part(runs, asked)], len(runs), asked)


@blueprint.route(_ONE, tags=_RUNS)
@blueprint.response(200, Run)
@operation(READ, _("A run of your team: its state, scores, places, and what was found in the file."))
def show_run(task: str, run_id: int) -> Any:
    spec, team = own_team(task)
    return found_run(spec, team, run_id)


@blueprint.route(_ONE, methods=["PATCH"], tags=_RUNS)
@blueprint.arguments(Words(partial=True))
@blueprint.response(200, Run)
@operation(SUBMIT, _("Gives a run other words."), _("What is not named stays as it is."))
def describe_run(words: dict[str, Any], task: str, run_id: int) -> Any:
    spec, team = own_team(task)
    with site().database.writing() as session:
        page = team_runs.show(session, spec, team.team_id, run_id, utc_now()).page
        old = page.method
        method = Method(*(words.get(name, getattr(old, name)) for name in _METHOD))
        wanted = Description(
            words.get("name", page.summary.name), words.get("description", page.description), method
        )
        run_actions.describe(session, spec, team.team_id, run_id, wanted)
    return found_run(spec, team, run_id)


_METHOD = ("system", "resources", "manner", "link")


@blueprint.route(f"{_ONE}/topics", tags=_RUNS)
@blueprint.arguments(OneTrack, location="query")
@blueprint.response(200, Topics)
@operation(
    READ,
    _("The values of a run topic by topic, where the phase reveals them."),
    _("Beside them, where the phase shows its ranking, median and best of the runs that have a place."),
)
def show_topics(asked: dict[str, Any], task: str, run_id: int) -> Any:
    spec, team = own_team(task)
    with site().database.reading() as session:
        run = team_runs.show(session, spec, team.team_id, run_id, utc_now())
        if not team_runs.shows_own_topics(run.phase):
            raise Problem("not-shown", gettext("This phase does not show values topic by topic."))
        tracks = [track for track in spec.tracks if asked.get("track", track.name) == track.name]
        if not tracks:
            raise Problem("not-found", gettext("The task has no such track."))
        shown = [
            documents.topics(
                track.name,
                own,
                {m: team_runs.topic_field(session, spec, run, track, m) for m in own.values},
            )
            for track in tracks
            if (own := run.per_topic.get(track.name)) is not None
        ]
    return {"run": run_id, "tracks": shown}


@blueprint.route(f"{_ONE}/file", tags=_RUNS)
@blueprint.response(
    200,
    {"type": "string", "format": "binary"},
    content_type="application/octet-stream",
    description=_("The file."),
)
@blueprint.alt_response(
    206, schema={"type": "string", "format": "binary"}, content_type="application/octet-stream"
)
@operation(READ, _("The file of a run as it was sent."))
def download_run(task: str, run_id: int) -> Response:
    spec, team = own_team(task)
    with site().database.reading() as session:
        run = team_runs.show(session, spec, team.team_id, run_id, utc_now())
        path = run_pages.path_of(session, site().files, spec, run_id)
    return kept_file(path, run.page.file_name, run.page.summary.file_hash, PRIVATE)


@blueprint.route(
    f"{_ONE}/<any(withdraw, restore, choose, unchoose, count, compare, 'put-forward', 'hold-back'):action>",
    methods=["POST"],
    tags=_RUNS,
)
@blueprint.response(200, Run)
@operation(
    SUBMIT,
    _("Does what moves the ranking, until the phase closes."),
    _(
        "withdraw and restore a run; choose the one that counts, in a task whose teams choose, or "
        "unchoose it; let it count for the ranking or only compare; put-forward for the final standing, "
        "where the phase has one, and hold-back. What may be done now is among the "
        "actions of the run."
    ),
)
def act_on_run(task: str, run_id: int, action: str) -> Any:
    spec, team = own_team(task)
    do = _ACTIONS[action]
    with site().database.writing() as session:
        do(session, spec, site().scorer(spec).VERSION, team.team_id, run_id, uploads.arrived_at())
    return found_run(spec, team, run_id)


_ACTIONS: Mapping[str, Callable[..., None]] = {
    "withdraw": run_actions.withdraw,
    "restore": run_actions.restore,
    "choose": run_actions.choose,
    "unchoose": run_actions.unchoose,
    "count": run_actions.count,
    "compare": run_actions.compare,
    "put-forward": run_actions.put_forward,
    "hold-back": run_actions.hold_back,
}


@blueprint.route(f"{_ONE}/score-again", methods=["POST"], tags=_RUNS)
@blueprint.response(202, Run)
@operation(SUBMIT, _("Has a run scored once more whose scoring failed."))
def score_run_again(task: str, run_id: int) -> Any:
    spec, team = own_team(task)
    with site().database.writing() as session:
        now = utc_now()
        run_actions.score_again(session, spec, team.team_id, run_id, now)
        scoring_jobs.request(session, spec.name, run_id, now, site().jobs.deliver)
    return found_run(spec, team, run_id)


def found_run(spec: TaskSpec, team: TeamPage, run_id: int) -> dict[str, Any]:
    """The document of a run."""
    with site().database.reading() as session:
        now = utc_now()
        found = team_runs.show(session, spec, team.team_id, run_id, now)
        waits = found.page.summary.state == "received"
        return documents.run(spec, found, queue_pages.place_of(session, run_id, now) if waits else None)
