"""Whether an installation can work with the settings it has: every part is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal
from urllib.parse import urlsplit

from limits.errors import ConfigurationError
from limits.storage import storage_from_string
from sqlalchemy.exc import SQLAlchemyError

from leaderboard.catalog import Catalog, CatalogError
from leaderboard.config import Settings, to_environment
from leaderboard.contract import Message, say, say_count
from leaderboard.services import installation
from leaderboard.services.errors import ServiceError
from leaderboard.services.letters import Postman
from leaderboard.services.outages import QueueAway
from leaderboard.services.postmen import MailServer
from leaderboard.store.files import Files
from leaderboard.store.objects import ObjectStore
from leaderboard.store.session import Database
from leaderboard.strength import is_guessable

Grade = Literal["good", "worth a look", "wrong"]

NEAR = 0.85
"""How alike two names are that are told apart by a slip: 1 for the same."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about a setting, named as the environment names it."""

    setting: str
    grade: Grade
    words: Message


def check(
    settings: Settings,
    catalog: Catalog,
    database: Database,
    files: Files,
    postman: Postman,
    try_queue: Callable[[], None],
) -> tuple[Finding, ...]:
    """Tries all that the settings name, and judges the rest. Changes nothing but for a small file that is
    written and removed, and sends no letter. `try_queue` raises what keeps the queue from working."""
    return (
        _tasks(catalog),
        _database(settings, database),
        _queue(settings, try_queue),
        _storage(settings, files),
        _public_url(settings),
        _secret_key(settings),
        _proxies(settings),
        _rate_limits(settings),
        _mail(settings, postman),
        _log(settings),
        _metrics(settings),
    )


def mistyped(names: Iterable[str]) -> tuple[Finding, ...]:
    """The variables among `names` that are none of ours and nearly the name of one."""
    ours = to_environment(Settings())
    return tuple(
        Finding(name, "worth a look", say("It is no setting. Is {setting} meant?", setting=near[0]))
        for name in sorted(names)
        if name not in ours and (near := get_close_matches(name, ours, 1, NEAR))
    )


def is_shared(settings: Settings) -> bool:
    """Whether the installation may run on several hosts."""
    return not settings.database_url.startswith("sqlite")


def _tasks(catalog: Catalog) -> Finding:
    try:
        count = len(catalog.tasks())
    except CatalogError as error:
        return Finding("LEADERBOARD_TASKS", "wrong", say("A task cannot be read: {why}", why=str(error)))
    if not count:
        return Finding("LEADERBOARD_TASKS", "wrong", say("There is no task in any of its folders."))
    words = say_count("{count} task can be read.", "{count} tasks can be read.", count)
    return Finding("LEADERBOARD_TASKS", "good", words)


def _database(settings: Settings, database: Database) -> Finding:
    try:
        installation.require(database)
    except ServiceError as error:
        return Finding("DATABASE_URL", "wrong", error.message)
    except SQLAlchemyError as error:
        return Finding("DATABASE_URL", "wrong", say("It cannot be used: {why}", why=str(error)))
    kind = database.url.get_backend_name()
    words = say("{kind} answers and is of the right version.", kind=kind)
    if not is_shared(settings):
        words = say("SQLite answers and is of the right version; all processes must be on one host.")
    return Finding("DATABASE_URL", "good", words)


def _queue(settings: Settings, try_queue: Callable[[], None]) -> Finding:
    try:
        try_queue()
    except (ServiceError, QueueAway) as error:
        return Finding("QUEUE_URL", "wrong", error.message)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return Finding("QUEUE_URL", "wrong", say("The queue does not answer: {why}", why=why))
    if is_shared(settings) and settings.queue_url.startswith("sqlite"):
        return Finding(
            "QUEUE_URL",
            "worth a look",
            say("It is a file of this host; consumers on others hear of jobs late. Leave it unset."),
        )
    return Finding("QUEUE_URL", "good", say("The queue answers."))


def _storage(settings: Settings, files: Files) -> Finding:
    try:
        for store in (files.kept, files.gold):
            if isinstance(store, ObjectStore):
                store.probe()
            store.draft().unlink()
    except OSError as error:
        why = error.strerror or str(error)
        return Finding("STORAGE_URL", "wrong", say("Files cannot be written and read: {why}", why=why))
    if is_shared(settings) and not settings.storage_url:
        return Finding(
            "STORAGE_URL",
            "worth a look",
            say("Files lie in the instance folder; with several hosts it must be the same one for all."),
        )
    return Finding("STORAGE_URL", "good", say("Files can be written and read."))


def _public_url(settings: Settings) -> Finding:
    if not settings.public_url:
        return Finding(
            "PUBLIC_URL",
            "worth a look",
            say("It is not set: links in letters lead to this host, and any host name is answered."),
        )
    host = urlsplit(settings.public_url).hostname or ""
    if not settings.behind_tls and host not in ("localhost", "127.0.0.1", "::1"):
        return Finding(
            "PUBLIC_URL",
            "worth a look",
            say("It begins with http: passwords would travel unencrypted. Use https."),
        )
    return Finding("PUBLIC_URL", "good", say("People reach the site at {url}.", url=settings.public_url))


def _secret_key(settings: Settings) -> Finding:
    if settings.secret_key:
        if is_guessable(settings.secret_key):
            grade: Grade = "worth a look" if settings.is_tried_out else "wrong"
            return Finding("SECRET_KEY", grade, say("It is short or easy to guess; make a long random one."))
        return Finding("SECRET_KEY", "good", say("It is set and long."))
    if settings.behind_tls:
        return Finding("SECRET_KEY", "wrong", say("It is not set; a public site needs a long random one."))
    if is_shared(settings):
        return Finding(
            "SECRET_KEY",
            "worth a look",
            say(
                "It is not set: each instance folder has its own, so that hosts sign each other's users out."
            ),
        )
    return Finding("SECRET_KEY", "good", say("It is made in the instance folder."))


def _proxies(settings: Settings) -> Finding:
    count = settings.guards.trusted_proxies
    if settings.behind_tls and not count:
        return Finding(
            "TRUSTED_PROXIES",
            "worth a look",
            say("It is 0: behind the proxy with TLS, all people seem to come from one address."),
        )
    if not count:
        return Finding("TRUSTED_PROXIES", "good", say("What proxies write is not believed."))
    words = say_count("{count} proxy is believed.", "{count} proxies are believed.", count)
    return Finding("TRUSTED_PROXIES", "good", words)


def _log(settings: Settings) -> Finding:
    words = {
        "": say("Log lines are text in a terminal, else JSON."),
        "text": say("Log lines are text."),
        "json": say("Log lines are JSON."),
    }
    return Finding("LOG_FORMAT", "good", words[settings.log.form])


def _metrics(settings: Settings) -> Finding:
    if not settings.metrics_token:
        return Finding("METRICS_TOKEN", "good", say("It is not set: there are no metrics at /metrics."))
    return Finding("METRICS_TOKEN", "good", say("Metrics are at /metrics, for who shows it."))


def _rate_limits(settings: Settings) -> Finding:
    url = settings.rate_limit_storage_url
    if url.startswith("memory"):
        return Finding(
            "RATELIMIT_STORAGE_URL",
            "worth a look" if settings.public_url else "good",
            say("Each process counts its own: with several, limits are so many times as high."),
        )
    try:
        answers = storage_from_string(url).check()
    except (ConfigurationError, ValueError) as error:
        # No such kind of storage, no such address, or its package is not installed.
        return Finding(
            "RATELIMIT_STORAGE_URL", "wrong", say("It cannot be used: {why}", why=str(error).strip())
        )
    if not answers:
        return Finding(
            "RATELIMIT_STORAGE_URL", "wrong", say("It does not answer: nothing is counted or limited.")
        )
    return Finding("RATELIMIT_STORAGE_URL", "good", say("All processes count together."))


def _mail(settings: Settings, postman: Postman) -> Finding:
    if not isinstance(postman, MailServer):
        return Finding(
            "MAIL_SERVER",
            "worth a look" if settings.public_url else "good",
            say("It is not set: letters stay in the folder outbox and reach nobody."),
        )
    server = f"{postman.host}:{postman.port}"
    try:
        postman.probe()
    except OSError as error:
        why = str(error)
        return Finding(
            "MAIL_SERVER", "wrong", say("{server} takes no letters: {why}", server=server, why=why)
        )
    return Finding("MAIL_SERVER", "good", say("Letters go through {server}.", server=server))
