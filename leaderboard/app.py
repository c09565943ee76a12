"""The web application."""

from __future__ import annotations

from pathlib import Path

from flask import Flask
from flask_bootstrap import Bootstrap5
from flask_compress import Compress
from flask_wtf import CSRFProtect
from sqlalchemy.exc import ProgrammingError

from leaderboard.config import Settings, from_environment
from leaderboard.services.outages import AWAY
from leaderboard.site import open_site
from leaderboard.web import (
    about,
    access,
    accounts,
    announcements,
    boards,
    comparisons,
    feeds,
    final_standings,
    inputs,
    invitations,
    judging,
    questions,
    resources,
    runs,
    studies,
    submissions,
    tasks,
    team_history,
    team_runs,
    teams,
    tokens,
)
from leaderboard.web.accounts import init_accounts
from leaderboard.web.administration import archives as site_archives
from leaderboard.web.administration import log as site_log
from leaderboard.web.administration import people
from leaderboard.web.answers import init_answers
from leaderboard.web.api.problems import init_problems
from leaderboard.web.api.rates import init_rates
from leaderboard.web.api.reference import blueprint as api_reference
from leaderboard.web.api.setup import init_api
from leaderboard.web.assets import init_assets
from leaderboard.web.browsers import init_browsers
from leaderboard.web.errors import init_errors, unavailable
from leaderboard.web.filters import init_filters
from leaderboard.web.forms.accounts import FORMS
from leaderboard.web.headers import init_headers
from leaderboard.web.identity import init_identity
from leaderboard.web.identity_settings import configure
from leaderboard.web.installation import EXTENSION
from leaderboard.web.kept_pages import init_kept_pages
from leaderboard.web.letters import init_letters
from leaderboard.web.observing import init_observing
from leaderboard.web.organise import (
    allowances,
    benchmarks,
    dashboard,
    editions,
    live_boards,
    on_behalf,
    organisers,
    public_files,
)
from leaderboard.web.organise import announcements as announcing
from leaderboard.web.organise import archives as task_archives
from leaderboard.web.organise import log as task_log
from leaderboard.web.organise import phases as phase_settings
from leaderboard.web.organise import probing as task_probing
from leaderboard.web.organise import questions as answering
from leaderboard.web.organise import queue as task_queue
from leaderboard.web.organise import references as organiser_references
from leaderboard.web.organise import resources as organiser_resources
from leaderboard.web.organise import runs as organiser_runs
from leaderboard.web.organise import settings as task_settings
from leaderboard.web.organise import teams as organiser_teams
from leaderboard.web.organise.judging import blueprint as organiser_judging
from leaderboard.web.organise.pages import init_organise
from leaderboard.web.preferences import init_preferences
from leaderboard.web.probes import init_probes
from leaderboard.web.prose import init_prose
from leaderboard.web.routes import Route
from leaderboard.web.times import init_times
from leaderboard.web.uploads import init_uploads

ROOT = Path(__file__).resolve().parent.parent
TRANSLATIONS = ROOT / "leaderboard" / "translations"

CONFIG = {
    "BABEL_TRANSLATION_DIRECTORIES": str(TRANSLATIONS),
    "BOOTSTRAP_SERVE_LOCAL": True,
    "COMPRESS_ALGORITHM": ["br", "gzip"],
    "COMPRESS_BR_LEVEL": 5,
    # Downloads go out as they lie on the disk, so that a broken one can go on where it stopped.
    "COMPRESS_STREAMS": False,
}

BLUEPRINTS = (
    tasks.blueprint,
    boards.blueprint,
    final_standings.blueprint,
    comparisons.blueprint,
    studies.blueprint,
    feeds.blueprint,
    runs.blueprint,
    inputs.blueprint,
    resources.blueprint,
    about.blueprint,
    accounts.blueprint,
    teams.blueprint,
    submissions.blueprint,
    team_runs.blueprint,
    team_history.blueprint,
    invitations.blueprint,
    judging.blueprint,
    tokens.blueprint,
    organisers.blueprint,
    organiser_runs.blueprint,
    organiser_resources.blueprint,
    task_archives.blueprint,
    task_probing.blueprint,
    task_settings.blueprint,
    phase_settings.blueprint,
    live_boards.blueprint,
    dashboard.blueprint,
    allowances.blueprint,
    editions.blueprint,
    public_files.blueprint,
    benchmarks.blueprint,
    organiser_judging,
    organiser_teams.blueprint,
    on_behalf.blueprint,
    organiser_references.blueprint,
    announcing.blueprint,
    answering.blueprint,
    task_log.blueprint,
    task_queue.blueprint,
    announcements.blueprint,
    questions.blueprint,
    people.blueprint,
    site_log.blueprint,
    site_archives.blueprint,
    api_reference,
)


def create_app(settings: Settings | None = None) -> Flask:
    """The application for one installation: the one that the environment describes, by default."""
    app = Flask(
        "leaderboard",
        root_path=str(ROOT),
        template_folder="templates",
        static_folder=None,
        static_url_path="/static",
    )
    app.url_rule_class = Route
    app.config.update(CONFIG)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    site = app.extensions[EXTENSION] = open_site(settings or from_environment(), in_requests=True)
    site.warm_up()
    configure(app, site, TRANSLATIONS)
    init_kept_pages(app)
    init_headers(app, site.settings)
    Compress(app)
    init_uploads(app)
    init_rates(app, site.settings)
    access.guard(app)
    CSRFProtect(app)
    init_preferences(app)
    init_identity(app, **FORMS)
    init_accounts(app)
    init_letters(app)
    init_browsers(app)
    init_filters(app)
    init_prose(app)
    init_times(app)
    init_assets(app, ROOT / "static")
    init_answers(app, ROOT)
    init_organise(app)
    init_errors(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    init_api(app)
    Bootstrap5(app)
    access.grant(app, "bootstrap.static", access.EVERYBODY)
    # The last says on PostgreSQL that the tables are not there.
    for away in (*AWAY, ProgrammingError):
        app.register_error_handler(away, unavailable)
    init_problems(app)
    init_observing(app, behind_proxies=site.settings.guards.trusted_proxies > 0)
    init_probes(app, site)
    return app
