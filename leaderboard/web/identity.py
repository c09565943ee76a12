"""Who is signed in. The only file that joins Flask-Security to our accounts (docs/decisions/0005-*.md).

Flask-Security's own views (register, confirm, sign in, reset, second factor) work on one session a request:
a writing one where they change something, committed when the answer is made. Every other view sees a `Person`
and works through services with a transaction of its own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, cast

from flask import Flask, Response, after_this_request, current_app, g, request
from flask import session as cookie
from flask_login import user_logged_out
from flask_security import (
    MailUtil,
    RoleMixin,
    Security,
    SQLAlchemySessionUserDatastore,
    UserMixin,
    current_user,
    hash_password,
)
from flask_security import user_authenticated as signed_in
from flask_security.totp import Totp
from passlib.totp import TotpMatch
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, relationship
from werkzeug.exceptions import Conflict
from werkzeug.local import LocalProxy

from leaderboard.contract import say
from leaderboard.services import accounts, letters, sign_ins, tokens
from leaderboard.services.accounts import Person
from leaderboard.services.errors import ServiceError
from leaderboard.site import Site, utc_now
from leaderboard.store.models import Role, User
from leaderboard.web.installation import site

BLUEPRINT = "security"

_TOKEN = "sign_in"  # noqa: S105 - the name of a place, not what is in it
_LETTERS = "letters_written"


class Right(RoleMixin, Role):
    """A right as Flask-Security knows roles. It asks each for permissions, of which ours have none: the rules
    of access say who may do what."""


class Account(UserMixin, User):  # type: ignore[misc] # the library describes columns that ours refine
    """An account as Flask-Security knows it: the same row, with its verbs."""

    tf_phone_number = None

    # mypy: the library has a list of its own kind of roles here.
    roles: Mapped[list[Right]] = relationship(foreign_keys=Role.user_id, viewonly=True)  # type: ignore[assignment]

    @property
    def is_active(self) -> bool:
        """Whether the person may sign in."""
        return self.active and self.frozen_at is None

    def verify_and_update_password(self, password: str) -> bool:
        """Whether this is the password. A hash by settings of before is renewed in a transaction of its own:
        signing in only reads, and would wait for itself if its session wrote as well."""
        kept = self.password
        verified: bool = super().verify_and_update_password(password)
        renewed = self.password
        if renewed != kept and renewed is not None and not _writes():
            _session().expire(self, ["password"])
            with _writing() as session:
                accounts.renew_hash(session, self.id, kept, renewed)
        return verified


class PasswordRefused(ServiceError):
    """This cannot be a password here."""


class Accounts(SQLAlchemySessionUserDatastore):
    """The accounts, as Flask-Security reads and writes them."""

    def __init__(self) -> None:
        # The library wants a session of its own kind and gets, at every use, that of the request.
        super().__init__(cast(Any, LocalProxy(_session)), Account, cast(Any, Right))

    def commit(self) -> None:
        """Nothing: what a request did is committed together when its answer is made."""

    def create_user(self, **columns: Any) -> Account:
        """A new account, whose owner has agreed to the terms of today."""
        now = utc_now()
        account = super().create_user(
            **columns, created_at=now, consent_version=accounts.TERMS, consented_at=now
        )
        try:
            _session().flush()
        except IntegrityError as error:
            # Somebody registered the same address in this very moment.
            raise Conflict from error
        return cast(Account, account)

    def set_uniquifier(self, user: UserMixin, uniquifier: str | None = None) -> None:
        """Signs the person out everywhere and revokes all tokens, as after every change of the password."""
        super().set_uniquifier(user, uniquifier)
        sign_ins.end_all(_session(), user.id, utc_now())
        # Whoever knew the password could have made one.
        tokens.revoke_all(_session(), user.id, utc_now())

    def mf_delete_recovery_code(self, user: UserMixin, idx: int) -> bool:
        """Takes out a code that was used. The list is made anew, or nobody would notice its change."""
        codes = list(user.mf_recovery_codes or ())
        if idx >= len(codes):
            return False
        user.mf_recovery_codes = codes[:idx] + codes[idx + 1 :]
        return True


class Codes(Totp):
    """Codes of authenticator apps, each of which works once."""

    def get_last_counter(self, user: UserMixin) -> int | None:
        return cast(Account, user).tf_last_counter

    def set_last_counter(self, user: UserMixin, tmatch: TotpMatch) -> None:
        cast(Account, user).tf_last_counter = tmatch.counter


class Letters(MailUtil):
    """Letters of Flask-Security go the way of all letters: with the transaction, then by the postman."""

    def send_mail(
        self,
        template: str,  # noqa: ARG002 - given by Flask-Security
        subject: str,
        recipient: str | tuple[str, str],
        sender: object,  # noqa: ARG002 - given by Flask-Security
        body: str | None,
        html: str | None,  # noqa: ARG002 - given by Flask-Security
        **context: Any,
    ) -> None:
        user = context.get("user")
        address = recipient if isinstance(recipient, str) else recipient[1]
        letters.write(_session(), address, str(subject), body or "", utc_now(), user.id if user else None)
        letters_were_written()

    def normalize(self, email: str) -> str:
        return accounts.normal_address(super().normalize(email))

    def validate(self, email: str) -> str:
        return accounts.normal_address(super().validate(email))


def init_identity(app: Flask, **options: Any) -> Security:
    """Lets people register and sign in; `options` are Flask-Security's (forms)."""
    # Registered first, so that it comes last: after Flask-Security has done what is to be committed.
    app.after_request(_settle)
    app.teardown_request(_forget)
    security = Security(
        app, Accounts(), mail_util_cls=Letters, totp_cls=Codes, register_blueprint=True, **options
    )
    # A page asks and gets a page; there is no second way of signing in to be guarded.
    security.want_json(lambda _request: False)
    find = app.login_manager._user_callback  # type: ignore[attr-defined] # noqa: SLF001
    app.login_manager.user_loader(lambda name: _recognise(find(name)))  # type: ignore[attr-defined]
    signed_in.connect(_begin, app)
    user_logged_out.connect(_end, app)
    app.add_template_global(viewer)
    return security


def viewer() -> Person | None:
    """Who is signed in, None where nobody is."""
    if "viewer" not in g:
        known = current_user.is_authenticated
        g.viewer = accounts.person(_session(), current_user.id) if known else None
    found: Person | None = g.viewer
    return found


def sign_in_token() -> str:
    """What the cookie of this browser holds, by which its sign-in is known; empty where nobody signed in."""
    return str(cookie.get(_TOKEN, ""))


def knows_password(password: str) -> bool:
    """Whether this is the password of who is signed in."""
    return bool(current_user.is_authenticated and current_user.verify_and_update_password(password))


def hashed(password: str) -> str:
    """How a password is kept. Raises PasswordRefused where it is too short."""
    normal = unicodedata.normalize(current_app.config["SECURITY_PASSWORD_NORMALIZE_FORM"], password)
    shortest = current_app.config["SECURITY_PASSWORD_LENGTH_MIN"]
    if len(normal) < shortest:
        raise PasswordRefused(say("The password needs at least {least} characters.", least=shortest))
    kept: str = hash_password(normal)
    return kept


def letters_were_written() -> None:
    """Has the letters that wait sent once this request is answered."""
    g.setdefault(_LETTERS, True)


def _session() -> Session:
    if "accounts_session" not in g:
        database = site().database
        g.accounts_end = ExitStack()
        transaction = database.writing() if _writes() else database.reading()
        g.accounts_session = g.accounts_end.enter_context(transaction)
    found: Session = g.accounts_session
    return found


def _writes() -> bool:
    """Whether this request's session is a writing one. Checking a password takes long, and nobody could write
    meanwhile on SQLite, so that signing in reads and notes the sign-in by itself."""
    return (
        request.blueprint == BLUEPRINT
        and request.method == "POST"
        and request.endpoint != f"{BLUEPRINT}.login"
    )


@contextmanager
def _writing() -> Iterator[Session]:
    """The request's own session where that writes, else a transaction for itself."""
    if _writes():
        yield _session()
        return
    with site().database.writing() as session:
        yield session


def _settle(response: Response) -> Response:
    if "accounts_session" in g:
        if response.status_code >= 400:
            g.accounts_session.rollback()
        g.pop("accounts_session")
        g.pop("accounts_end").close()
    if g.get(_LETTERS) and response.status_code < 400:
        # A mail server may be slow; nobody waits for it, and nobody learns by waiting who has an account.
        response.call_on_close(site().deliver_letters)
    return response


def _forget(_error: BaseException | None) -> None:
    """For a request that broke off before its answer was made, or looked again afterwards."""
    if "accounts_session" in g:
        g.pop("accounts_session").rollback()
        g.pop("accounts_end").close()


def _recognise(account: Account | None) -> Account | None:
    """The account of the cookie, where its sign-in has not been ended."""
    if account is None:
        return None
    found = sign_ins.recognise(_session(), sign_in_token(), utc_now())
    if found is None or found.user_id != account.id:
        return None
    if found.stale:
        _note_seen(site(), found.sign_in_id)
    return account


def _note_seen(installation: Site, sign_in_id: int) -> None:
    def note() -> None:
        with installation.database.writing() as session:
            sign_ins.note_seen(session, sign_in_id, utc_now())

    @after_this_request
    def later(response: Response) -> Response:
        response.call_on_close(note)
        return response


def _begin(_app: Flask, user: Account, **_more: Any) -> None:
    """Each sign-in, and each change of the password, gives the browser a new cookie."""
    g.pop("viewer", None)
    now = utc_now()
    browser, address = request.user_agent.string, request.remote_addr or ""
    with _writing() as session:
        if cookie.get(_TOKEN):
            sign_ins.end_token(session, cookie[_TOKEN], now)
        cookie[_TOKEN] = sign_ins.begin(session, user.id, browser, address, now)
    cookie.permanent = True
    # A token for forms that somebody saw, or planted, before is of no use after.
    cookie.pop("csrf_token", None)


def _end(_app: Flask, **_more: Any) -> None:
    g.pop("viewer", None)
    token = cookie.pop(_TOKEN, "")
    if token:
        with _writing() as session:
            sign_ins.end_token(session, token, utc_now())
