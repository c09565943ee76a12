"""One installation, opened from its settings: the only place where the parts are wired.

The web and the command line both work on a `Site`; neither makes a database or a file store of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import Session

from leaderboard.catalog import Catalog, CatalogError, load_scorer
from leaderboard.config import BadSetting, Settings
from leaderboard.contract import Scorer, TaskSpec
from leaderboard.services import (
    analysing,
    archive_imports,
    archives,
    draft_jobs,
    letters,
    mj,
    mj_again,
    notice_words,
    notices,
    probing,
    rescoring,
    scoring_jobs,
    standing_jobs,
    task_specs,
)
from leaderboard.services.letters import Postman
from leaderboard.services.notices import Wording
from leaderboard.services.postmen import MailServer, Outbox
from leaderboard.services.rescoring import Transactions
from leaderboard.services.scoring_apart import Children, ScorerApart
from leaderboard.store.files import Files
from leaderboard.store.objects import files_at
from leaderboard.store.secret import secret_in
from leaderboard.store.session import Database
from leaderboard.strength import is_guessable

if TYPE_CHECKING:
    from leaderboard.jobs import Jobs


WAITED = 10
"""Whoever submits a small run waits for its scores so many seconds at most; then the queue goes on."""

MOST_AT_ONCE = 64
"""So many runs a process scores at once at most, which is how many threads a worker may have."""

PATIENCE = 2.0
"""So many seconds at most such a run waits for its turn, while others of the same process are scored."""

_MAKE_ONE = (
    "A public site needs a good one: set it to a long random word, for example from "
    "`python -c 'import secrets; print(secrets.token_urlsafe(48))'`."
)


def utc_now() -> datetime:
    """The clock of the site. Services are handed its time; nothing below reads a clock."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Site:
    """The parts of one installation.

    `database` and `files` are where everything is kept, `catalog` has the tasks that could be installed.
    """

    settings: Settings
    catalog: Catalog
    database: Database
    files: Files
    in_requests: bool = False
    """Whether somebody waits while runs are scored: what takes long is left to the queue then."""

    @cached_property
    def transactions(self) -> Transactions:
        """The two kinds of transaction, for services that need many."""
        return Transactions(self.database.reading, self.database.writing)

    @cached_property
    def postman(self) -> Postman:
        """Who carries the site's letters."""
        mail = self.settings.mail
        if not mail.server:
            return Outbox(self.settings.instance / "outbox", mail.sender)
        return MailServer(mail.server, mail.port, mail.encryption, mail.user, mail.password, mail.sender)

    @cached_property
    def secret_key(self) -> str:
        """What signs cookies and links. Raises BadSetting where it must be set and is not, or is easy to
        guess."""
        if self.settings.secret_key:
            if not self.settings.is_tried_out and is_guessable(self.settings.secret_key):
                raise BadSetting(f"SECRET_KEY is short or easy to guess. {_MAKE_ONE}")
            return self.settings.secret_key
        if self.settings.behind_tls:
            raise BadSetting(f"SECRET_KEY is not set. {_MAKE_ONE}")
        return secret_in(self.settings.instance)

    @cached_property
    def wording(self) -> Wording:
        """Who puts notices into words."""
        return notice_words.wording(self._task_or_none, self.settings.public_url)

    def _task_or_none(self, name: str) -> TaskSpec | None:
        try:
            with self.database.reading() as session:
                return self.spec(session, name)
        except CatalogError:
            return None

    def deliver_letters(self) -> None:
        """Sends the letters that wait, those among them that notices turn into."""
        notices.put_into_letters(self.database.writing, self.wording, utc_now())
        letters.deliver(self.database.writing, self.postman, utc_now())

    def request_analyses(self) -> None:
        """Leaves the boards to the queue that have changed since they were analysed."""
        with self.database.writing() as session:
            analysing.request_due(session, utc_now(), self.jobs.deliver)

    def request_probing(self) -> None:
        """Leaves the reports of probing to the queue that are behind."""
        now = utc_now()
        with self.database.reading() as session:
            due = probing.is_any_due(session, now)
        if due:
            with self.database.writing() as session:
                probing.request_due(session, now, self.jobs.deliver)

    @cached_property
    def children(self) -> Children | None:
        """The processes that score; None where that happens here."""
        limits = self.settings.scoring
        if limits is None:
            return None
        if not self.in_requests:
            return Children(limits, most=MOST_AT_ONCE)
        return Children(replace(limits, seconds=min(limits.seconds, WAITED)), most=1, patience=PATIENCE)

    @cached_property
    def jobs(self) -> Jobs:
        """The queue, for who delivers jobs to it and who does them. Raises BadQueue and QueueAway."""
        # Imported where it is used: most commands need no queue, and it takes a while.
        from leaderboard.jobs import Jobs, queue_at

        parts = (self.transactions, self.files, self.task, utc_now)
        queued = (rescoring, scoring_jobs, standing_jobs, mj, mj_again, analysing, archives, probing)
        registry = {each.JOB: each.job(*parts) for each in queued}
        registry[archive_imports.JOB] = archive_imports.job(*parts, find=self.catalog.find)
        registry[draft_jobs.JOB] = draft_jobs.job(*parts, public_url=self.settings.public_url)
        jobs = Jobs(queue_at(self.settings.queue_url), self.transactions, registry, utc_now)
        # A letter that could not be sent at once is tried again from here.
        jobs.every_minute("deliver_letters", self.deliver_letters)
        jobs.every_minute("request_analyses", self.request_analyses)
        jobs.every_minute("request_probing", self.request_probing)
        jobs.every_hour("sweep_files", lambda: self.files.sweep(time.time()))
        return jobs

    def spec(self, session: Session, name: str) -> TaskSpec:
        """A task as it is run here, with what organisers set. Raises CatalogError."""
        return task_specs.spec_of(session, self.catalog.find, name)

    def declared(self, session: Session, name: str) -> TaskSpec:
        """A task as its folder declares it, without what organisers set. Raises CatalogError."""
        return task_specs.declared_of(session, self.catalog.find, name)

    def as_set(self, spec: TaskSpec) -> TaskSpec:
        """A task that is installed here, with what organisers set. Raises UnknownTask."""
        with self.database.reading() as session:
            return task_specs.as_set(session, spec)

    def task(self, name: str) -> tuple[TaskSpec, Scorer]:
        """A task as it is run here, and its scorer, by its name. Raises CatalogError."""
        with self.database.reading() as session:
            spec = self.spec(session, name)
        return spec, self.scorer(spec)

    def scorer(self, spec: TaskSpec) -> Scorer:
        """The scorer of a task. Raises CatalogError."""
        scorer = load_scorer(spec)
        return scorer if self.children is None else ScorerApart(scorer, self.children)

    def warm_up(self) -> None:
        """Starts a process that scores, while others go on, so that nobody who submits waits for that."""
        if self.children is not None:
            threading.Thread(target=self.children.warm, name="warm up", daemon=True).start()

    def stop_scoring(self) -> None:
        """Interrupts the scoring of runs; they go back to the queue."""
        if "children" in self.__dict__ and self.children is not None:
            self.children.stop()

    def close(self) -> None:
        """Ends all connections, and the processes that score."""
        self.stop_scoring()
        self.database.close()


def open_site(settings: Settings, *, in_requests: bool = False) -> Site:
    """The installation that the settings describe. Creates nothing; `init` makes its tables.

    Raises BadSetting where the database's address names none that can be used.
    """
    return Site(
        settings=settings,
        catalog=Catalog(settings.tasks),
        database=_database_at(settings.database_url),
        files=_files_at(settings),
        in_requests=in_requests,
    )


def _files_at(settings: Settings) -> Files:
    try:
        return files_at(settings.storage_url, settings.instance)
    except (ValueError, ImportError) as error:
        raise BadSetting(f"STORAGE_URL cannot be used: {error}") from error


def _database_at(url: str) -> Database:
    try:
        return Database(url)
    except (ArgumentError, ImportError) as error:
        # No address at all, an unknown kind of database, or its package is not installed.
        raise BadSetting(f"DATABASE_URL cannot be used: {error}") from error


@contextmanager
def opened(settings: Settings) -> Iterator[Site]:
    """A site that is closed at the end of the block."""
    site = open_site(settings)
    try:
        yield site
    finally:
        site.close()
