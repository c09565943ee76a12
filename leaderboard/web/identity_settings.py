"""How Flask-Security is set up: addresses, times, templates, words."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from flask import Flask
from flask_security.utils import aware_utcnow

from leaderboard.services import sign_ins
from leaderboard.site import Site


def _(words: str) -> str:
    """Marks words for translation; Flask-Security translates them when it says them."""
    return words


MESSAGES: Mapping[str, tuple[str, str]] = {
    "GENERIC_AUTHN_FAILED": (
        _("E-mail address and password do not go together, or the address is not confirmed yet."),
        "error",
    ),
    "CONFIRM_REGISTRATION": (
        _("Almost done: we have sent a letter to %(email)s. Open the link in it to confirm your address."),
        "success",
    ),
    "EMAIL_CONFIRMED": (_("Your address is confirmed. You can sign in now."), "success"),
    "ALREADY_CONFIRMED": (_("This address was confirmed before. You can sign in."), "info"),
    "INVALID_CONFIRMATION_TOKEN": (
        _("This link does not work. Perhaps a part is missing; ask for a new one here."),
        "error",
    ),
    "CONFIRMATION_REQUEST": (
        _("If %(email)s waits to be confirmed, a new letter is on its way."),
        "info",
    ),
    "CONFIRMATION_EXPIRED": (
        _("This link was good for %(within)s, which are over. Ask for a new one here."),
        "error",
    ),
    "EMAIL_NOT_PROVIDED": (_("Enter your e-mail address."), "error"),
    "INVALID_EMAIL_ADDRESS": (_("This is not an e-mail address. Check how it is written."), "error"),
    "PASSWORD_NOT_PROVIDED": (_("Enter a password."), "error"),
    "PASSWORD_INVALID_LENGTH": (_("Use at least %(length)s characters."), "error"),
    "RETYPE_PASSWORD_MISMATCH": (_("The two passwords differ. Type both again."), "error"),
    "INVALID_PASSWORD": (_("This is not your password."), "error"),
    "PASSWORD_IS_THE_SAME": (_("This is your password already. Choose another one."), "error"),
    "PASSWORD_RESET_REQUEST": (
        _("If there is an account for %(email)s, a letter with a link is on its way."),
        "info",
    ),
    "PASSWORD_RESET_EXPIRED": (
        _("This link was good for %(within)s, which are over. Ask for a new one here."),
        "error",
    ),
    "INVALID_RESET_PASSWORD_TOKEN": (
        _("This link does not work, or was used before. Ask for a new one here."),
        "error",
    ),
    "PASSWORD_RESET_NO_LOGIN": (
        _("You have a new password. Sign in with it. Tokens for scripts were revoked; make new ones."),
        "success",
    ),
    "PASSWORD_CHANGE": (
        _("You have a new password. All other browsers were signed out, and your tokens were revoked."),
        "success",
    ),
    "REAUTHENTICATION_REQUIRED": (_("Enter your password again to go on."), "info"),
    "REAUTHENTICATION_SUCCESSFUL": (_("Thank you. You can go on."), "info"),
    "UNAUTHENTICATED": (_("Sign in to see this page."), "info"),
    "INVALID_REDIRECT": (_("The address to go on to is not on this site."), "error"),
    "INVALID_CODE": (_("This code is not right."), "error"),
    "TWO_FACTOR_INVALID_TOKEN": (
        _("The code was not right, or was used before. Wait for the next one and try again."),
        "error",
    ),
    "TWO_FACTOR_LOGIN_SUCCESSFUL": (_("You are signed in."), "success"),
    "TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL": (
        _("The second factor is on. Now keep recovery codes, in case you lose your device."),
        "success",
    ),
    "TWO_FACTOR_PERMISSION_DENIED": (_("Sign in with your password first."), "info"),
    "TWO_FACTOR_DISABLED": (_("The second factor is off."), "success"),
    "TWO_FACTOR_SETUP_EXPIRED": (_("Setting up took longer than %(within)s. Begin again."), "error"),
    "INVALID_RECOVERY_CODE": (_("This recovery code is not right, or was used before."), "error"),
    "NO_RECOVERY_CODES_SETUP": (_("You have no recovery codes yet."), "info"),
    "ANONYMOUS_USER_REQUIRED": (_("You are signed in already."), "info"),
    "DISABLED_ACCOUNT": (_("This account is closed."), "error"),
    "CONFIRMATION_REQUIRED": (
        _("This address is not confirmed yet. Open the link in our letter first."),
        "error",
    ),
    "TWO_FACTOR_METHOD_NOT_AVAILABLE": (_("There is no second factor of this kind."), "error"),
    "API_ERROR": (_("This value is not of the kind that is expected here."), "error"),
}

ADDRESSES = {
    "REGISTER_URL": "/register",
    "CONFIRM_URL": "/confirm",
    "LOGIN_URL": "/sign-in",
    "LOGOUT_URL": "/sign-out",
    "RESET_URL": "/reset",
    "CHANGE_URL": "/account/password",
    "VERIFY_URL": "/account/verify",
    "TWO_FACTOR_SETUP_URL": "/account/second-factor",
    "TWO_FACTOR_TOKEN_VALIDATION_URL": "/sign-in/code",
    "TWO_FACTOR_RESCUE_URL": "/sign-in/rescue",
    "TWO_FACTOR_SELECT_URL": "/sign-in/select",
    "MULTI_FACTOR_RECOVERY_CODES_URL": "/account/recovery-codes",
    "MULTI_FACTOR_RECOVERY_URL": "/sign-in/recovery",
    "POST_REGISTER_VIEW": "security.login",
    "POST_CONFIRM_VIEW": "security.login",
    "POST_LOGIN_VIEW": "accounts.arrive",
    "POST_LOGOUT_VIEW": "tasks.index",
    "POST_CHANGE_VIEW": "accounts.show",
    "POST_VERIFY_VIEW": "accounts.show",
    "TWO_FACTOR_POST_SETUP_VIEW": "security.mf_recovery_codes",
}

TEMPLATES = {
    "REGISTER_USER_TEMPLATE": "accounts/register.html",
    "SEND_CONFIRMATION_TEMPLATE": "accounts/send_confirmation.html",
    "LOGIN_USER_TEMPLATE": "accounts/sign_in.html",
    "FORGOT_PASSWORD_TEMPLATE": "accounts/forgot.html",
    "RESET_PASSWORD_TEMPLATE": "accounts/reset.html",
    "CHANGE_PASSWORD_TEMPLATE": "accounts/password.html",
    "VERIFY_TEMPLATE": "accounts/verify.html",
    "TWO_FACTOR_SETUP_TEMPLATE": "accounts/second_factor.html",
    "TWO_FACTOR_VERIFY_CODE_TEMPLATE": "accounts/code.html",
    "MULTI_FACTOR_RECOVERY_CODES_TEMPLATE": "accounts/recovery_codes.html",
    "MULTI_FACTOR_RECOVERY_TEMPLATE": "accounts/recovery.html",
    "REGISTER_EMAIL_TEMPLATE": "letters/welcome",
    "REGISTER_EMAIL_EXISTING_TEMPLATE": "letters/registered_before",
    "EMAIL_TEMPLATE_CONFIRM": "letters/confirm",
    "EMAIL_TEMPLATE_PASSWORD_RESET": "letters/reset",
    "EMAIL_TEMPLATE_PASSWORD_RESET_NOTICE": "letters/password_changed",
    "EMAIL_TEMPLATE_PASSWORD_CHANGE_NOTICE": "letters/password_changed",
}

SUBJECTS = {
    "EMAIL_SUBJECT_REGISTER": _("Your registration at Leaderboard"),
    "EMAIL_SUBJECT_CONFIRM": _("Confirm your e-mail address"),
    "EMAIL_SUBJECT_PASSWORD_RESET": _("Choose a new password"),
    "EMAIL_SUBJECT_PASSWORD_NOTICE": _("Your password was changed"),
    "EMAIL_SUBJECT_PASSWORD_CHANGE_NOTICE": _("Your password was changed"),
}

CHOICES: Mapping[str, Any] = {
    "REGISTERABLE": True,
    "CONFIRMABLE": True,
    "RECOVERABLE": True,
    "CHANGEABLE": True,
    "TWO_FACTOR": True,
    "TWO_FACTOR_ENABLED_METHODS": ["authenticator"],
    # A letter would make the mailbox the only factor.
    "TWO_FACTOR_RESCUE_EMAIL": False,
    # A code changes every 30 seconds; clocks may differ by one of them.
    "TWO_FACTOR_AUTHENTICATOR_VALIDITY": 30,
    "MULTI_FACTOR_RECOVERY_CODES": True,
    "MULTI_FACTOR_RECOVERY_CODES_N": 8,
    "TOTP_ISSUER": "Leaderboard",
    "CONFIRM_EMAIL_WITHIN": timedelta(days=2),
    "RESET_PASSWORD_WITHIN": timedelta(hours=2),
    "FRESHNESS": timedelta(minutes=30),
    "FRESHNESS_GRACE_PERIOD": timedelta(minutes=15),
    "PASSWORD_HASH": "argon2",
    "PASSWORD_SCHEMES": ["argon2"],
    # Argon2id alone: with the site's secret mixed in, a new secret would lose all passwords.
    "PASSWORD_SINGLE_HASH": {"argon2"},
    "PASSWORD_LENGTH_MIN": 10,
    "PASSWORD_NORMALIZE_FORM": "NFKC",
    "INPUT_NORMALIZE_FORM": "NFC",
    # For noticing in a signed link that address or password have changed since; the default takes a second.
    "HASHING_SCHEMES": ["hex_sha256"],
    "DEPRECATED_HASHING_SCHEMES": [],
    "RETURN_GENERIC_RESPONSES": True,
    "API_ENABLED_METHODS": ["session"],
    "LOGOUT_CSRF": True,
    "EMAIL_HTML": False,
    "EMAIL_VALIDATOR_ARGS": {"check_deliverability": False},
    "DATETIME_FACTORY": aware_utcnow,
    "JOIN_USER_ROLES": False,
    "I18N_DOMAIN": "messages",
}


def configure(app: Flask, site: Site, translations: Path) -> None:
    """Writes all of it, and how cookies are kept, into the application's settings."""
    secret = site.secret_key
    behind_tls = site.settings.behind_tls
    app.config.update(
        SECRET_KEY=secret,
        # Browsers take a name with this prefix only from the host itself and over TLS.
        SESSION_COOKIE_NAME="__Host-leaderboard" if behind_tls else "leaderboard",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=behind_tls,
        PERMANENT_SESSION_LIFETIME=sign_ins.LIFETIME,
        # The token of a form is good as long as the session it belongs to.
        WTF_CSRF_TIME_LIMIT=None,
    )
    security: dict[str, Any] = {**CHOICES, **ADDRESSES, **TEMPLATES, **SUBJECTS}
    security |= {f"MSG_{name}": message for name, message in MESSAGES.items()}
    security |= {
        "I18N_DIRNAME": [str(translations)],
        "TOTP_SECRETS": {"1": _derived(secret, "second factors").hex()},
        "MULTI_FACTOR_RECOVERY_CODES_KEYS": [base64.urlsafe_b64encode(_derived(secret, "recovery codes"))],
    }
    app.config.update({f"SECURITY_{name}": value for name, value in security.items()})


def _derived(secret: str, purpose: str) -> bytes:
    """A secret of its own for each purpose, made from the one that is kept."""
    key = hashlib.sha256(secret.encode()).digest()
    return hashlib.blake2b(purpose.encode(), key=key, digest_size=32).digest()
