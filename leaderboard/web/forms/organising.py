"""Forms of what organisers do to teams, and of what they tell."""

from __future__ import annotations

from datetime import UTC, datetime

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import BooleanField, DateTimeLocalField, RadioField, SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import Optional

from leaderboard.contract import TaskSpec
from leaderboard.services import announcements, questions
from leaderboard.services.announcements import LONGEST_TEXT, LONGEST_TITLE
from leaderboard.services.moderation import LONGEST_REASON
from leaderboard.services.references import LONGEST_SOURCE
from leaderboard.services.team_moderation import LONGEST_LETTER, LONGEST_SUBJECT
from leaderboard.web.filters import text
from leaderboard.web.forms.once import OnceForm
from leaderboard.web.forms.runs import SubmitForm


class ReasonForm(FlaskForm):
    """Why something is done."""

    reason = StringField(_("Reason"), render_kw={"maxlength": LONGEST_REASON, "autocomplete": "off"})


class NoteForm(FlaskForm):
    """What came of looking at a finding."""

    note = StringField(_("Note"), render_kw={"maxlength": LONGEST_REASON, "autocomplete": "off"})


class LetterForm(OnceForm):
    """A letter to a team."""

    subject = StringField(_("Subject"), render_kw={"maxlength": LONGEST_SUBJECT, "autocomplete": "off"})
    letter = TextAreaField(_("Text"), render_kw={"rows": 8, "maxlength": LONGEST_LETTER})


class MergeForm(FlaskForm):
    """Into which team another one is joined."""

    target = SelectField(_("Join it to"), coerce=int)
    sure = BooleanField(_("Yes, join these two teams"))

    def offer(self, teams: tuple[tuple[int, str], ...]) -> MergeForm:
        """Gives the teams to choose from."""
        self.target.choices = [SelectChoice(number, name) for number, name in teams]
        return self


class OnBehalfForm(SubmitForm):
    """A run that an organiser submits for a team."""

    team = SelectField(_("Team"), coerce=int)
    kind = RadioField(
        _("What it is for"),
        choices=[
            SelectChoice("ordinary", _("It counts for the ranking.")),
            SelectChoice("contrastive", _("It is for comparison only and takes no place.")),
            SelectChoice("baseline", _("It is a baseline of the organisers.")),
        ],
        default="ordinary",
    )
    submitted_at = DateTimeLocalField(
        _("Submitted at (UTC)"),
        format=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
        validators=[Optional()],
    )
    within_limits = BooleanField(_("Hold it to the quota of the team"))

    def offer(self, teams: tuple[tuple[int, str], ...]) -> OnBehalfForm:
        """Gives the teams to choose from."""
        self.team.choices = [SelectChoice(number, name) for number, name in teams]
        return self

    @property
    def moment(self) -> datetime | None:
        """When it counts as submitted; None: now."""
        given: datetime | None = self.submitted_at.data
        return None if given is None else given.replace(tzinfo=UTC)


class ReferencesForm(FlaskForm):
    """Published results of others, as CSV."""

    file = FileField(_("The CSV file"), validators=[FileRequired(_("Choose a file."))])
    source = StringField(_("Where they were published"), render_kw={"maxlength": LONGEST_SOURCE})
    track = SelectField(_("Track"))

    def offer(self, spec: TaskSpec) -> ReferencesForm:
        """Gives the tracks to choose from."""
        self.track.choices = [SelectChoice("", _("the whole task"))]
        self.track.choices += [SelectChoice(track.name, text(track.title)) for track in spec.tracks]
        return self


class AnnouncementForm(OnceForm):
    """What is to be told, where, and to whom."""

    title_en = StringField(_("Title in English"), render_kw={"maxlength": LONGEST_TITLE})
    text_en = TextAreaField(_("Text in English"), render_kw={"rows": 8, "maxlength": LONGEST_TEXT})
    title_ru = StringField(_("Title in Russian"), render_kw={"maxlength": LONGEST_TITLE, "lang": "ru"})
    text_ru = TextAreaField(
        _("Text in Russian"), render_kw={"rows": 8, "maxlength": LONGEST_TEXT, "lang": "ru"}
    )
    public = BooleanField(_("On the task's page and in its feed"), default=True)
    mail = RadioField(
        _("By mail"),
        choices=[
            SelectChoice("none", _("to nobody")),
            SelectChoice("all", _("to all teams")),
            SelectChoice("some", _("to the teams ticked below")),
        ],
        default="none",
    )

    def wanted(self, all_teams: tuple[int, ...], ticked: tuple[int, ...]) -> announcements.Wanted:
        """What was filled in."""
        teams = {"all": all_teams, "some": ticked}.get(self.mail.data, ())
        return announcements.Wanted(
            {"en": self.title_en.data or "", "ru": self.title_ru.data or ""},
            {"en": self.text_en.data or "", "ru": self.text_ru.data or ""},
            bool(self.public.data),
            teams,
        )


class QuestionForm(FlaskForm):
    """A question to the organisers."""

    text = TextAreaField(_("Your question"), render_kw={"rows": 5, "maxlength": questions.LONGEST})


class AnswerForm(OnceForm):
    """An answer to a question."""

    answer = TextAreaField(_("Answer"), render_kw={"rows": 6, "maxlength": questions.LONGEST})
    public = BooleanField(_("Answer for all: question and answer stand on the task's page, without a name"))
