"""Forms of archives and resources."""

from __future__ import annotations

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import BooleanField, FileField, RadioField, SelectField


class ArchiveForm(FlaskForm):
    """What an archive is to have."""

    names = RadioField(
        _("Names of teams"),
        choices=[
            ("public", _("As the public reads them: aliases, until names are revealed")),
            ("own", _("As teams call themselves")),
        ],
        default="public",
    )
    with_gold = BooleanField(_("With the hidden benchmarks"))


class ImportForm(FlaskForm):
    """An archive that is brought in."""

    file = FileField(_("Archive"))


class BuildForm(FlaskForm):
    """Which runs go into a resource, and how they are weighed."""

    phase = SelectField(_("Phase"))
    weights = RadioField(
        _("Weights"),
        choices=[
            ("rank", _("weights by rank")),
            ("exp", _("exponential weights")),
            ("sqrt", _("weights by the root of the rank")),
        ],
        default="rank",
    )
