"""Forms of judging campaigns, for organisers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from typing import Any

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import (
    BooleanField,
    DecimalField,
    IntegerField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.fields.choices import SelectChoice
from wtforms.validators import DataRequired, InputRequired, Length, NumberRange, Optional

from leaderboard.contract import TaskSpec
from leaderboard.services.judging_admission import LONGEST_LIFETIME, MOST_USES
from leaderboard.services.judging_pages import View
from leaderboard.services.judging_plans import HIGHEST_SEED, Plan, Settings
from leaderboard.services.judging_preparing import DEEPEST, PoolWanted
from leaderboard.web.filters import text
from leaderboard.web.forms.benchmarks import LONGEST_NOTE

LONGEST_TITLE = 200
LONGEST_TEXT = 10_000
LONGEST_REASON = 500
MOST = 10_000_000

KINDS = {
    "tournament": _("Preferences of dedicated judges: a tournament for the top k"),
    "two-stage": _("Preferences of a crowd: two stages, the second of all pairs"),
    "grade": _("Grades of single passages, from 0 to 4"),
    "relatedness": _("Relatedness of two words, from 0 to 3"),
    "negative": _("Pairs of words that are to be confirmed as unrelated"),
}
"""What can be chosen: of preferences also the procedure."""

JUDGMENTS = {"tournament": 1, "two-stage": 1, "grade": 1, "relatedness": 10, "negative": 2}
"""So many judgments of everything are wanted if nothing is said."""


def whole(label: Any, least: int, most: int, **options: Any) -> IntegerField:
    """A whole number from least to most, with what is said if it is not."""
    optional = options.pop("optional", False)
    checks: list[Any] = [Optional() if optional else InputRequired(_("Enter a number."))]
    message = _("Enter a whole number from %(min)s to %(max)s.")
    checks.append(NumberRange(least, most, message=message))
    return IntegerField(label, checks, render_kw={"min": least, "max": most}, **options)


def language_text(label: Any, language: str, rows: int) -> TextAreaField:
    """A text in one language."""
    shown = {"rows": rows, "maxlength": LONGEST_TEXT, "lang": language}
    too_long = Length(max=LONGEST_TEXT, message=_("This is too long."))
    return TextAreaField(label, [too_long], render_kw=shown)


class CampaignForm(FlaskForm):
    """A campaign as an organiser asks for it."""

    title = StringField(
        _("Title"),
        [DataRequired(_("Enter a title.")), Length(max=LONGEST_TITLE, message=_("This is too long."))],
        render_kw={"maxlength": LONGEST_TITLE, "autocomplete": "off"},
    )
    kind = RadioField(
        _("What is judged"),
        choices=[SelectChoice(name, words) for name, words in KINDS.items()],
        default="tournament",
    )
    track = SelectField(_("Track"))
    k = whole(_("Best items wanted (k)"), 1, 1000, default=5)
    finalists = whole(_("Finalists of two stages at most (F)"), 1, 1000, default=9)
    pairings = whole(_("Pairs of each candidate in a round (P)"), 1, 1000, default=7)
    redundancy = whole(_("Judgments of each pair or item"), 1, 1000, optional=True)
    seed = whole(_("Seed"), 0, HIGHEST_SEED, default=1)
    open_to = RadioField(
        _("Who may judge"),
        choices=[
            SelectChoice("invited", _("who has an invitation link, or the right to judge on this task")),
            SelectChoice("accounts", _("everybody with an account")),
            SelectChoice("anyone", _("everybody, also without an account")),
        ],
        default="invited",
    )
    price = DecimalField(
        _("Price of a judgment"),
        [Optional(), NumberRange(0, MOST, message=_("Enter an amount that is not below 0."))],
        places=2,
        default=Decimal(0),
        render_kw={"min": 0, "step": "0.01", "inputmode": "decimal"},
    )
    budget = whole(_("Judgments at most, in all"), 1, MOST, optional=True)
    test_every = whole(_("One test in so many judgments"), 0, 1000, default=0)
    tests_needed = whole(_("Tests before a judge is measured"), 1, 1000, default=4)
    threshold = whole(_("Right answers needed, percent"), 0, 100, default=75)
    lease = whole(_("Minutes that a pair stays with a judge"), 1, 7 * 24 * 60, default=30)
    consent_en = language_text(_("What judges agree to, in English"), "en", 5)
    consent_ru = language_text(_("What judges agree to, in Russian"), "ru", 5)
    instructions_en = language_text(_("Instructions in English"), "en", 6)
    instructions_ru = language_text(_("Instructions in Russian"), "ru", 6)

    def offer(self, spec: TaskSpec) -> CampaignForm:
        """Gives the tracks to choose from."""
        self.track.choices = [SelectChoice("", _("none: the result becomes no benchmark"))]
        self.track.choices += [SelectChoice(track.name, text(track.title)) for track in spec.tracks]
        return self

    def fill(self, view: View) -> None:
        """Puts in what a campaign is now."""
        settings = view.settings
        self.title.data, self.track.data, self.seed.data = view.title, view.track or "", view.seed
        self.kind.data = settings.procedure if view.kind == "preference" else view.kind
        for name in ("k", "finalists", "pairings", "redundancy", "test_every", "tests_needed"):
            self[name].data = getattr(settings, name)
        self.threshold.data = round(100 * settings.threshold)
        self.lease.data = int(settings.lease.total_seconds() // 60)
        self.open_to.data, self.budget.data = view.open_to, view.budget
        self.price.data = Decimal(view.price) / 100
        for name, texts in (("consent", view.consent), ("instructions", view.instructions)):
            for language in ("en", "ru"):
                self[f"{name}_{language}"].data = texts.by_language.get(language, "") if texts else ""

    def wanted(self) -> Plan:
        """What was filled in. Raises CampaignRefused."""
        kind = self.kind.data
        preferred = kind in ("tournament", "two-stage")
        settings = Settings(
            procedure=kind if preferred else "two-stage",
            k=self.k.data,
            finalists=max(self.finalists.data, self.k.data) if kind != "two-stage" else self.finalists.data,
            pairings=self.pairings.data,
            redundancy=self.redundancy.data or JUDGMENTS[kind],
            test_every=self.test_every.data,
            tests_needed=self.tests_needed.data,
            threshold=self.threshold.data / 100,
            lease=timedelta(minutes=self.lease.data),
        )
        return Plan(
            title=self.title.data or "",
            kind="preference" if preferred else kind,
            track=self.track.data or None,
            settings=settings,
            seed=self.seed.data,
            consent=self._texts("consent"),
            instructions=self._texts("instructions"),
            open_to=self.open_to.data,
            price=int(100 * (self.price.data or 0)),
            budget=self.budget.data,
        )

    def _texts(self, name: str) -> Mapping[str, str]:
        return {language: self[f"{name}_{language}"].data or "" for language in ("en", "ru")}


class PoolForm(FlaskForm):
    """Where candidates are taken from."""

    source = RadioField(
        _("Candidates"),
        choices=[
            SelectChoice("grades", _("the items with the best grades of a track, until there are k")),
            SelectChoice("runs", _("items without a grade that ranked runs of a track have at the top")),
        ],
        default="grades",
    )
    track = SelectField(_("Track"))
    depth = whole(_("Items of each run"), 1, DEEPEST, default=10)
    phase = SelectField(_("Phase"))

    def offer(self, spec: TaskSpec, phases: Mapping[str, str], phase: str) -> PoolForm:
        """Gives the tracks and phases to choose from, and says which phase is meant at first."""
        self.track.choices = [SelectChoice(track.name, text(track.title)) for track in spec.tracks]
        self.phase.choices = [SelectChoice(name, title) for name, title in phases.items()]
        self.phase.data = self.phase.data or phase
        return self

    def wanted(self) -> PoolWanted:
        """What was filled in."""
        return PoolWanted(self.source.data, self.track.data, self.depth.data, self.phase.data)


class TextsForm(FlaskForm):
    """The texts of candidates."""

    file = FileField(_("The file of texts"), [FileRequired(_("Choose a file."))])
    as_pool = BooleanField(_("Every text of the file is a candidate; there is no other pool"))
    track = SelectField(_("Track whose grades stay below the levels"))

    def offer(self, spec: TaskSpec) -> TextsForm:
        """Gives the tracks to choose from."""
        self.track.choices = [SelectChoice("", _("none"))]
        self.track.choices += [SelectChoice(track.name, text(track.title)) for track in spec.tracks]
        return self


class WordsForm(FlaskForm):
    """Pairs of words."""

    file = FileField(_("The file of pairs"), [FileRequired(_("Choose a file."))])
    positives = BooleanField(_("These pairs are related: they are kept for balance and judged by nobody"))


class FileForm(FlaskForm):
    """A file alone."""

    file = FileField(_("The file"), [FileRequired(_("Choose a file."))])


class LinkForm(FlaskForm):
    """An invitation link for judges."""

    people = whole(_("For so many people"), 1, MOST_USES, default=1)
    days = whole(_("Works for so many days"), 1, LONGEST_LIFETIME.days, default=14)


class SetAsideForm(FlaskForm):
    """Why the work of a judge does not count."""

    reason = StringField(
        _("Reason"),
        [DataRequired(_("Say why.")), Length(max=LONGEST_REASON, message=_("This is too long."))],
        render_kw={"maxlength": LONGEST_REASON, "autocomplete": "off"},
    )


class ResultForm(FlaskForm):
    """Which of a campaign's files becomes a draft of the benchmark."""

    file = SelectField(_("File"))
    note = TextAreaField(
        _("Note"),
        [Length(max=LONGEST_NOTE, message=_("This is too long."))],
        render_kw={"rows": 2, "maxlength": LONGEST_NOTE},
    )

    def offer(self, files: tuple[str, ...]) -> ResultForm:
        """Gives the files to choose from."""
        self.file.choices = [SelectChoice(name, name) for name in files]
        return self


class ReleaseForm(FlaskForm):
    """A file that was judged elsewhere, as a draft of the benchmark."""

    kind = RadioField(
        _("What it holds"),
        choices=[
            SelectChoice("preferences", _("preferences (.pref): topic docno1 docno2 preferred")),
            SelectChoice("gold", _("the benchmark itself: qrels, or pairs of words")),
        ],
        default="preferences",
    )
    file = FileField(_("The file"), [FileRequired(_("Choose a file."))])
    track = SelectField(_("Benchmark of the track"))
    graded = SelectField(_("For preferences: the track whose grades stay below the levels"))
    k = whole(_("Best items wanted (k)"), 1, 1000, default=5)
    finalists = whole(_("Finalists of two stages at most (F)"), 1, 1000, default=9)
    note = TextAreaField(
        _("Note"),
        [Length(max=LONGEST_NOTE, message=_("This is too long."))],
        render_kw={"rows": 2, "maxlength": LONGEST_NOTE},
    )

    def offer(self, spec: TaskSpec) -> ReleaseForm:
        """Gives the tracks to choose from."""
        for field in (self.track, self.graded):
            field.choices = [SelectChoice(track.name, text(track.title)) for track in spec.tracks]
        return self
