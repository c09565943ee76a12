"""The settings of an installation, read once from the environment.

``LEADERBOARD_TASKS``
    Folders that hold tasks, separated as in ``PATH``; a folder may also be one task.
    Default: ``tasks`` beside the package.
``LEADERBOARD_DATA``
    Where ``data fetch`` puts files: a folder per task with ``inputs`` and ``gold`` in it.
    Default: ``data`` in the current folder.
``LEADERBOARD_INSTANCE``
    Everything that this installation keeps: database, runs, gold. Never served by the web.
    Default: ``instance`` in the current folder.
``DATABASE_URL``
    The database: ``sqlite:///FILE`` or ``postgresql+psycopg://USER:PASSWORD@HOST/NAME`` (needs the package
    psycopg). Default: SQLite in the instance folder.
``QUEUE_URL``
    What carries background work: ``sqlite:///FILE``, ``redis://…`` or ``postgresql://…``; the latter two
    need the package redis or psycopg, and let consumers run on many machines.
    Default: the database, where that is PostgreSQL; else SQLite in the instance folder.
``STORAGE_URL``
    Where runs, benchmarks and everything else that is a file is kept: ``s3://BUCKET/PREFIX`` (needs the
    package s3fs; who we are and where it is say the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
    AWS_ENDPOINT_URL), or ``file:///FOLDER``. Default: the instance folder.
``PUBLIC_URL``
    Where people reach the site, as ``https://tasks.example.org``: links in mail begin so, and with https
    cookies travel over TLS only. Without it the site takes itself for one that is tried out.
``SECRET_KEY``
    What signs cookies and links and encrypts second factors; long and random, the same for all processes.
    Whoever changes it signs everybody out and makes second factors useless. Needed where PUBLIC_URL begins
    with https. Elsewhere one is made in the instance folder.
``MAX_UPLOAD_MB``
    How large a file may be that is sent through a page, in megabytes. Default: 64.
``API_RATE_LIMIT``, ``RATELIMIT_STORAGE_URL``
    How many requests the API answers to one token, or to one address without a token, as ``300 per minute``
    (the default), and where the count is kept: ``redis://…`` for all processes together (needs the package
    redis); by default each process counts its own in memory.
``SIGN_IN_RATE_LIMIT``, ``ADDRESS_RATE_LIMIT``, ``LETTER_RATE_LIMIT``
    How often a wrong password or code may be tried for one account (``10 per 15 minutes``) and from one
    network address (``100 per 15 minutes``), and how often one network address may ask for letters by
    registering or resetting a password (``30 per hour``). Counted where API requests are.
``JUDGING_RATE_LIMIT``
    How many people without an account may begin to judge from one network address (``60 per hour``).
``SECOND_FACTOR``
    ``organisers`` lets organisers and administrators work only with a second factor. Default: ``optional``.
``TRUSTED_PROXIES``
    How many proxies stand before the site and write X-Forwarded-For and X-Forwarded-Proto. Default: 0, and
    these headers are not believed.
``SCORING_SECONDS``, ``SCORING_MEMORY_MB``
    What scoring one run may take, in seconds (default: 120) and in megabytes of memory (default: 2000). A run
    that needs more fails, and harms no other.
``MAIL_SERVER``, ``MAIL_PORT``, ``MAIL_ENCRYPTION``, ``MAIL_USER``, ``MAIL_PASSWORD``, ``MAIL_FROM``
    The SMTP server for letters, its port, how to speak to it (``starttls`` by default, ``tls`` or ``none``),
    an account there if it asks for one, and the address that letters come from. Without a server, letters go
    to the folder ``outbox`` in the instance folder.
``LOG_FORMAT``, ``LOG_LEVEL``
    How ``serve`` and ``worker`` write their log lines to the standard error output: ``text`` for people or
    ``json``, a document a line (text in a terminal, else json), and from which grade on: ``debug``, ``info``
    (the default), ``warning`` or ``error``.
``METRICS_TOKEN``
    Who shows it (``Authorization: Bearer …``) reads the metrics at ``/metrics``; at least 32 random
    characters. Without it there are none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast, get_args

from leaderboard.strength import LEAST_SECRET, is_guessable
from leaderboard.variables import BadSetting, address, database_address, rate, whole_number

__all__ = [
    "ENCRYPTIONS",
    "OWN_TASKS",
    "BadSetting",
    "Encryption",
    "Guards",
    "Limits",
    "LogForm",
    "LogLevel",
    "LogSettings",
    "MailSettings",
    "Settings",
    "from_environment",
    "inside",
    "to_environment",
]

OWN_TASKS = Path(__file__).resolve().parent.parent / "tasks"


Encryption = Literal["starttls", "tls", "none"]
ENCRYPTIONS: Mapping[str, tuple[Encryption, int]] = {
    "starttls": ("starttls", 587),
    "tls": ("tls", 465),
    "none": ("none", 25),
}
"""How to speak to a mail server, with the port where that is usual."""
SENDER = "Leaderboard <leaderboard@localhost>"


@dataclass(frozen=True, slots=True)
class MailSettings:
    """Who carries letters; no `server` means the log and the outbox folder."""

    server: str = ""
    port: int = 587
    encryption: Encryption = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = SENDER


@dataclass(frozen=True, slots=True)
class Limits:
    """What scoring one run may take: so many seconds, and so many megabytes of memory."""

    seconds: int = 120
    memory_mb: int = 2000


@dataclass(frozen=True, slots=True)
class Guards:
    """How often things may be tried, who needs a second factor, and how many proxies are believed."""

    account_limit: str = "10 per 15 minutes"
    address_limit: str = "100 per 15 minutes"
    letter_limit: str = "30 per hour"
    judging_limit: str = "60 per hour"
    second_factor: bool = False
    trusted_proxies: int = 0


LogForm = Literal["", "text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class LogSettings:
    """How log lines look (no form: as suits who reads), and from which grade on there are any."""

    form: LogForm = ""
    level: LogLevel = "info"


@dataclass(frozen=True, slots=True)
class Settings:
    """What an installation may choose; the variables above say what each means."""

    tasks: tuple[Path, ...] = (OWN_TASKS,)
    data: Path = Path("data")
    instance: Path = Path("instance")
    database_url: str = "sqlite:///instance/leaderboard.db"
    queue_url: str = "sqlite:///instance/queue.db"
    storage_url: str = ""
    public_url: str = ""
    secret_key: str = field(default="", repr=False)
    mail: MailSettings = MailSettings()
    max_upload_mb: int = 64
    api_rate_limit: str = "300 per minute"
    rate_limit_storage_url: str = "memory://"
    guards: Guards = Guards()
    log: LogSettings = LogSettings()
    metrics_token: str = field(default="", repr=False)
    scoring: Limits | None = None
    """None scores in the process itself, without limits."""

    @property
    def behind_tls(self) -> bool:
        """Whether browsers reach the site by https alone."""
        return self.public_url.startswith("https://")

    @property
    def is_tried_out(self) -> bool:
        """Whether it has no address for others yet, and no proxy that would bring them."""
        return not self.public_url and not self.guards.trusted_proxies


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings that the environment asks for; an empty variable counts as not set."""
    folders = tuple(
        Path(folder) for folder in environment.get("LEADERBOARD_TASKS", "").split(os.pathsep) if folder
    )
    instance = Path(environment.get("LEADERBOARD_INSTANCE") or "instance")
    database = database_address(environment, "DATABASE_URL") or _sqlite(instance / "leaderboard.db")
    return Settings(
        tasks=folders or (OWN_TASKS,),
        data=Path(environment.get("LEADERBOARD_DATA") or "data"),
        instance=instance,
        database_url=database,
        queue_url=environment.get("QUEUE_URL") or _queue_of(database, instance),
        storage_url=environment.get("STORAGE_URL", ""),
        public_url=_public_url(environment),
        secret_key=environment.get("SECRET_KEY", ""),
        mail=_mail(environment),
        max_upload_mb=whole_number(environment, "MAX_UPLOAD_MB", 64),
        api_rate_limit=rate(environment, "API_RATE_LIMIT", "300 per minute"),
        rate_limit_storage_url=address(environment, "RATELIMIT_STORAGE_URL", "memory", "redis", "rediss")
        or "memory://",
        guards=_guards(environment),
        log=_log(environment),
        metrics_token=_metrics_token(environment),
        scoring=Limits(
            whole_number(environment, "SCORING_SECONDS", Limits().seconds),
            whole_number(environment, "SCORING_MEMORY_MB", Limits().memory_mb),
        ),
    )


def _queue_of(database_url: str, instance: Path) -> str:
    """With PostgreSQL alone everything works on many machines."""
    return database_url if database_url.startswith("postgresql") else _sqlite(instance / "queue.db")


def _public_url(environment: Mapping[str, str]) -> str:
    url = environment.get("PUBLIC_URL", "").rstrip("/")
    if url and not url.startswith(("https://", "http://")):
        raise BadSetting(f"PUBLIC_URL is {url!r}; it begins with https:// or http://")
    return url


def _guards(environment: Mapping[str, str]) -> Guards:
    factor = environment.get("SECOND_FACTOR") or "optional"
    if factor not in ("optional", "organisers"):
        raise BadSetting(f"SECOND_FACTOR is {factor!r}; it may be optional or organisers")
    proxies = environment.get("TRUSTED_PROXIES") or "0"
    if proxies not in "0123456789":
        raise BadSetting(f"TRUSTED_PROXIES is {proxies!r}; it is a number from 0 to 9")
    usual = Guards()
    return Guards(
        account_limit=rate(environment, "SIGN_IN_RATE_LIMIT", usual.account_limit),
        address_limit=rate(environment, "ADDRESS_RATE_LIMIT", usual.address_limit),
        letter_limit=rate(environment, "LETTER_RATE_LIMIT", usual.letter_limit),
        judging_limit=rate(environment, "JUDGING_RATE_LIMIT", usual.judging_limit),
        second_factor=factor == "organisers",
        trusted_proxies=int(proxies),
    )


def _log(environment: Mapping[str, str]) -> LogSettings:
    form, level = environment.get("LOG_FORMAT") or "", environment.get("LOG_LEVEL") or "info"
    if form not in get_args(LogForm):
        raise BadSetting(f"LOG_FORMAT is {form!r}; it may be text or json")
    if level not in get_args(LogLevel):
        raise BadSetting(f"LOG_LEVEL is {level!r}; it may be debug, info, warning or error")
    return LogSettings(cast(LogForm, form), cast(LogLevel, level))


def _metrics_token(environment: Mapping[str, str]) -> str:
    token = environment.get("METRICS_TOKEN") or ""
    if token and is_guessable(token):
        raise BadSetting(f"METRICS_TOKEN is short or easy to guess; {LEAST_SECRET} random characters will do")
    return token


def _mail(environment: Mapping[str, str]) -> MailSettings:
    asked = environment.get("MAIL_ENCRYPTION") or "starttls"
    if asked not in ENCRYPTIONS:
        raise BadSetting(f"MAIL_ENCRYPTION is {asked!r}; it may be starttls, tls or none")
    encryption, usual = ENCRYPTIONS[asked]
    port = environment.get("MAIL_PORT") or str(usual)
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadSetting(f"MAIL_PORT is {port!r}; it is a number from 1 to 65535")
    return MailSettings(
        server=environment.get("MAIL_SERVER", ""),
        port=int(port),
        encryption=encryption,
        user=environment.get("MAIL_USER", ""),
        password=environment.get("MAIL_PASSWORD", ""),
        sender=environment.get("MAIL_FROM") or SENDER,
    )


def inside(instance: Path, settings: Settings) -> Settings:
    """The same tasks and data, with everything that is kept in another instance folder."""
    return replace(
        settings,
        instance=instance,
        database_url=_sqlite(instance / "leaderboard.db"),
        queue_url=_sqlite(instance / "queue.db"),
        storage_url="",
    )


def to_environment(settings: Settings) -> dict[str, str]:
    """The variables that give another process, in whatever folder it starts, these settings."""
    return {
        "LEADERBOARD_TASKS": os.pathsep.join(str(folder.resolve()) for folder in settings.tasks),
        "LEADERBOARD_DATA": str(settings.data.resolve()),
        "LEADERBOARD_INSTANCE": str(settings.instance.resolve()),
        "DATABASE_URL": _absolute(settings.database_url),
        "QUEUE_URL": _absolute(settings.queue_url),
        "STORAGE_URL": settings.storage_url,
        "PUBLIC_URL": settings.public_url,
        "SECRET_KEY": settings.secret_key,
        "MAX_UPLOAD_MB": str(settings.max_upload_mb),
        "API_RATE_LIMIT": settings.api_rate_limit,
        "RATELIMIT_STORAGE_URL": settings.rate_limit_storage_url,
        "SIGN_IN_RATE_LIMIT": settings.guards.account_limit,
        "ADDRESS_RATE_LIMIT": settings.guards.address_limit,
        "LETTER_RATE_LIMIT": settings.guards.letter_limit,
        "JUDGING_RATE_LIMIT": settings.guards.judging_limit,
        "SECOND_FACTOR": "organisers" if settings.guards.second_factor else "optional",
        "TRUSTED_PROXIES": str(settings.guards.trusted_proxies),
        "SCORING_SECONDS": str(settings.scoring.seconds) if settings.scoring else "",
        "SCORING_MEMORY_MB": str(settings.scoring.memory_mb) if settings.scoring else "",
        "LOG_FORMAT": settings.log.form,
        "LOG_LEVEL": settings.log.level,
        "METRICS_TOKEN": settings.metrics_token,
        "MAIL_SERVER": settings.mail.server,
        "MAIL_PORT": str(settings.mail.port),
        "MAIL_ENCRYPTION": settings.mail.encryption,
        "MAIL_USER": settings.mail.user,
        "MAIL_PASSWORD": settings.mail.password,
        "MAIL_FROM": settings.mail.sender,
    }


_SQLITE = "sqlite:///"


def _sqlite(file: Path) -> str:
    return _SQLITE + file.as_posix()


def _absolute(url: str) -> str:
    return _sqlite(Path(url.removeprefix(_SQLITE)).resolve()) if url.startswith(_SQLITE) else url
