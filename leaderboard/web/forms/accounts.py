"""Forms of accounts. Those of Flask-Security have our words and fields; what they check stays its own."""

from __future__ import annotations

from typing import Any

from flask_babel import lazy_gettext as _
from flask_security.forms import (
    ChangePasswordForm,
    ForgotPasswordForm,
    LoginForm,
    RegisterFormV2,
    ResetPasswordForm,
    SendConfirmationForm,
    TwoFactorSetupForm,
    TwoFactorVerifyCodeForm,
    VerifyForm,
    email_required,
    password_required,
    unique_user_email,
    valid_user_email,
)
from flask_security.forms import EmailValidation as IsEmail
from flask_security.forms import EqualToLocalize as EqualTo
from flask_security.recovery_codes import MfRecoveryCodesForm, MfRecoveryForm
from flask_wtf import FlaskForm
from wtforms import (
    BooleanField,
    EmailField,
    Field,
    HiddenField,
    PasswordField,
    SelectField,
    StringField,
    SubmitField,
)
from wtforms.fields.choices import SelectChoice
from wtforms.validators import DataRequired, ValidationError

from leaderboard.services.runs import LONGEST_NAME, NameRefused, clean_name
from leaderboard.web.filters import told
from leaderboard.web.preferences import LANGUAGES

_NEW = {"autocomplete": "new-password"}
_CURRENT = {"autocomplete": "current-password"}
_ADDRESS = {"autocomplete": "username", "inputmode": "email"}
_CODE = {"autocomplete": "one-time-code", "inputmode": "numeric", "maxlength": 8}


def is_a_name(_form: FlaskForm, field: Field) -> None:
    """Takes spaces and look-alike forms out of a name, or says what is wrong with it."""
    try:
        field.data = clean_name(field.data)
    except NameRefused as error:
        raise ValidationError(told(error.message)) from error


def _trimmed(text: str | None) -> str | None:
    return text.strip() if text else text


def _address(checks: list[Any]) -> EmailField:
    """An address, asked for in the same way everywhere."""
    return EmailField(_("E-mail address"), filters=[_trimmed], validators=checks, render_kw=_ADDRESS)


def _name() -> StringField:
    return StringField(
        _("Your name"),
        validators=[DataRequired(_("Enter your name.")), is_a_name],
        render_kw={"autocomplete": "name", "maxlength": LONGEST_NAME},
    )


def _again(other: str) -> PasswordField:
    return PasswordField(
        _("The same password again"),
        validators=[EqualTo(other, message="RETYPE_PASSWORD_MISMATCH"), password_required],
        render_kw=_NEW,
    )


class Register(RegisterFormV2):
    """Makes an account."""

    name = _name()
    email = _address([email_required, IsEmail(verify=True), unique_user_email])
    password = PasswordField(_("Password"), validators=[password_required], render_kw=_NEW)
    password_confirm = _again("password")
    consent = BooleanField(
        _("I agree to the terms and to how my data are used"),
        validators=[DataRequired(_("Without your consent we cannot keep an account for you."))],
    )
    submit = SubmitField(_("Register"))


class SignIn(LoginForm):
    """Asks for address and password."""

    email = _address([email_required, IsEmail(verify=False)])
    # The library would put a link into the description; ours stands below the form.
    password = PasswordField(
        _("Password"), description=" ", validators=[password_required], render_kw=_CURRENT
    )
    remember = None
    submit = SubmitField(_("Sign in"))


class SendConfirmation(SendConfirmationForm):
    """Asks for the letter of confirmation again."""

    email = _address([email_required, IsEmail(verify=True), valid_user_email])
    submit = SubmitField(_("Send the letter again"))


class Forgot(ForgotPasswordForm):
    """Asks for a link that lets one choose a new password."""

    email = _address([email_required, IsEmail(verify=True), valid_user_email])
    submit = SubmitField(_("Send me a link"))


class Reset(ResetPasswordForm):
    """A new password, in place of a forgotten one."""

    password = PasswordField(_("New password"), validators=[password_required], render_kw=_NEW)
    password_confirm = _again("password")
    submit = SubmitField(_("Use this password"))


class ChangePassword(ChangePasswordForm):
    """A new password, in place of the one that is known."""

    password = PasswordField(_("Your password until now"), render_kw=_CURRENT)
    new_password = PasswordField(_("New password"), validators=[password_required], render_kw=_NEW)
    new_password_confirm = _again("new_password")
    submit = SubmitField(_("Change the password"))


class Verify(VerifyForm):
    """Asks for the password again."""

    password = PasswordField(_("Password"), validators=[password_required], render_kw=_CURRENT)
    submit = SubmitField(_("Go on"))


class SecondFactor(TwoFactorSetupForm):
    """Turns the second factor on or off. Two buttons, each with a value of its own."""

    setup = HiddenField()
    phone = HiddenField()


class Code(TwoFactorVerifyCodeForm):
    """The code that an authenticator app shows."""

    code = StringField(
        _("Code of six digits"), validators=[DataRequired(_("Enter the code."))], render_kw=_CODE
    )
    submit = SubmitField(_("Check the code"))


class Recovery(MfRecoveryForm):
    """One of the recovery codes."""

    code = StringField(
        _("Recovery code"),
        validators=[DataRequired(_("Enter a recovery code."))],
        render_kw={"autocomplete": "off", "maxlength": 20},
    )
    submit = SubmitField(_("Sign in"))


class RecoveryCodes(MfRecoveryCodesForm):
    """Makes new recovery codes."""

    show_codes = SubmitField(_("Show the codes"))
    generate_new_codes = SubmitField(_("Make new codes"))


FORMS = {
    "register_form": Register,
    "login_form": SignIn,
    "send_confirmation_form": SendConfirmation,
    "forgot_password_form": Forgot,
    "reset_password_form": Reset,
    "change_password_form": ChangePassword,
    "verify_form": Verify,
    "two_factor_setup_form": SecondFactor,
    "two_factor_verify_code_form": Code,
    "mf_recovery_form": Recovery,
    "mf_recovery_codes_form": RecoveryCodes,
}
"""What Flask-Security is to use, by the names it gives them."""


class Profile(FlaskForm):
    """What a person is called, and the language of letters."""

    name = _name()
    locale = SelectField(
        _("Language"), choices=[SelectChoice(code, name) for code, name in LANGUAGES.items()]
    )


class Delete(FlaskForm):
    """Deletes the account of who knows its password."""

    password = PasswordField(
        _("Your password"), validators=[DataRequired(_("Enter your password."))], render_kw=_CURRENT
    )


class Confirm(FlaskForm):
    """A button."""
