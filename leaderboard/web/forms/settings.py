"""Forms of what organisers set for a task and its phases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask_babel import gettext
from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import BooleanField, FloatField, IntegerField, RadioField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import NumberRange, Optional

from leaderboard.contract import MOST_FINAL_RUNS, PhaseSpec, SplitSpec, Text
from leaderboard.services.phase_rows import LONGEST_NAME, MOST
from leaderboard.services.settings import LONGEST_LINE, Openness, Setting
from leaderboard.web.forms.moments import MomentField

_LINE = {"maxlength": LONGEST_LINE, "autocomplete": "off"}


class SettingsForm(FlaskForm):
    """What the task's page says in short, and which run counts."""

    title_en = StringField(_("Title in English"), render_kw=_LINE)
    title_ru = StringField(_("Title in Russian"), render_kw={**_LINE, "lang": "ru"})
    summary_en = TextAreaField(_("Summary in English"), render_kw={"rows": 2, **_LINE})
    summary_ru = TextAreaField(_("Summary in Russian"), render_kw={"rows": 2, "lang": "ru", **_LINE})
    counting = RadioField(
        _("Which run of a team counts"),
        choices=[
            SelectChoice("best", _("the best on each track")),
            SelectChoice("latest", _("the last one submitted")),
            SelectChoice("selected", _("the one that the team chooses; the last one until it does")),
        ],
    )
    citation = TextAreaField(_("What to cite"), render_kw={"rows": 3})
    bibtex = TextAreaField(_("The same as BibTeX"), render_kw={"rows": 6, "data-code": "y"})

    def fill(self, settings: Mapping[str, Setting]) -> None:
        """Puts in what is set now."""
        for name in ("title", "summary"):
            for language in ("en", "ru"):
                self[f"{name}_{language}"].data = settings[name].value.get(language, "")
        for name in ("counting", "citation", "bibtex"):
            self[name].data = settings[name].value

    @property
    def wanted(self) -> Mapping[str, Any]:
        """What was filled in, by the name of the setting."""
        texts = {
            name: {language: self[f"{name}_{language}"].data or "" for language in ("en", "ru")}
            for name in ("title", "summary")
        }
        return {**texts, **{name: self[name].data or "" for name in ("counting", "citation", "bibtex")}}


class TextForm(FlaskForm):
    """The text of the task's page, as Markdown."""

    text_en = TextAreaField(_("Text in English"), render_kw={"rows": 24, "data-code": "y"})
    text_ru = TextAreaField(_("Text in Russian"), render_kw={"rows": 24, "data-code": "y", "lang": "ru"})

    @property
    def texts(self) -> Mapping[str, str]:
        """What was written, by language."""
        return {"en": self.text_en.data or "", "ru": self.text_ru.data or ""}


class OpennessForm(FlaskForm):
    """Who may see the task, and when the names of teams are told."""

    visibility = RadioField(
        _("Who sees the task"),
        choices=[
            SelectChoice("public", _("everybody")),
            SelectChoice("organisers", _("its organisers only")),
        ],
    )
    names = RadioField(
        _("Names of teams that gave an alias"),
        choices=[
            SelectChoice("never", _("not yet: the alias is shown")),
            SelectChoice("now", _("shown from now on")),
            SelectChoice("date", _("shown from the date below on")),
        ],
    )
    names_at = MomentField(_("Date"))

    def fill(self, openness: Openness) -> None:
        """Puts in what holds now."""
        self.visibility.data = openness.visibility
        self.names.data = "never" if openness.names_revealed_at is None else "date"
        self.names_at.data = openness.names_revealed_at

    def validate(self, extra_validators: Mapping[str, Any] | None = None) -> bool:
        """A date is needed where one is to count, and only there."""
        good = super().validate(extra_validators)
        if good and self.names.data == "date" and self.names_at.data is None:
            self.names_at.errors = [gettext("Enter the date.")]
            return False
        return bool(good)


class PhaseForm(FlaskForm):
    """A phase of a task."""

    name = StringField(_("Name"), render_kw={"maxlength": LONGEST_NAME, "autocomplete": "off"})
    title_en = StringField(_("Title in English"), render_kw=_LINE)
    title_ru = StringField(_("Title in Russian"), render_kw={**_LINE, "lang": "ru"})
    opens_at = MomentField(_("Opens (UTC)"))
    closes_at = MomentField(_("Closes (UTC)"))
    runs_per_day = IntegerField(_("Runs a day"), [Optional(), NumberRange(0, MOST)], render_kw={"min": 0})
    runs_in_all = IntegerField(_("Runs in all"), [Optional(), NumberRange(0, MOST)], render_kw={"min": 0})
    rejected_per_day = IntegerField(
        _("Faulty files a day"), [Optional(), NumberRange(0, MOST)], render_kw={"min": 0}
    )
    own = BooleanField(_("To each team the scores of its own runs"))
    board = BooleanField(_("To everybody the ranking and the scores on it"))
    per_topic = BooleanField(_("Values topic by topic, to whoever sees the scores"))

    parted = BooleanField(
        _("Part the benchmark: values on a public part are shown, the final standing is on the rest")
    )
    public = FloatField(
        _("Share of the public part"), [Optional()], render_kw={"min": 0.01, "max": 0.99, "step": "any"}
    )
    seed = IntegerField(_("Seed"), [Optional(), NumberRange(0, MOST)], render_kw={"min": 0})
    final_runs = IntegerField(
        _("Runs a team may put forward"), [Optional(), NumberRange(1, MOST_FINAL_RUNS)], render_kw={"min": 1}
    )
    reveal = RadioField(
        _("The final standing is shown"),
        choices=[
            SelectChoice("closing", _("when the phase has closed for all teams")),
            SelectChoice("organisers", _("when organisers reveal it")),
        ],
        default="closing",
    )

    def fill(self, phase: PhaseSpec) -> None:
        """Puts in what the phase is now."""
        self.name.data = phase.name
        for language in ("en", "ru"):
            self[f"title_{language}"].data = phase.title.by_language.get(language, "")
        for name in ("opens_at", "closes_at", "runs_per_day", "runs_in_all", "rejected_per_day"):
            self[name].data = getattr(phase, name)
        self.own.data, self.board.data = "own" in phase.reveals, "board" in phase.reveals
        self.per_topic.data = "per-topic" in phase.reveals
        self.parted.data = phase.split is not None
        self._fill_split(phase.split or SplitSpec(0.5))

    def _fill_split(self, split: SplitSpec) -> None:
        for name in ("public", "seed", "final_runs", "reveal"):
            self[name].data = getattr(split, name)

    @property
    def split(self) -> SplitSpec | None:
        """How the phase is to part its gold."""
        if not self.parted.data:
            return None
        usual = SplitSpec(0.5)
        given = {name: self[name].data for name in ("public", "seed", "final_runs", "reveal")}
        return replace(usual, **{name: value for name, value in given.items() if value is not None})

    def wanted(self, before: PhaseSpec | None = None) -> PhaseSpec:
        """What was filled in; `before` is the phase as it was, None for a new one."""
        titles = {"en": (self.title_en.data or "").strip(), "ru": (self.title_ru.data or "").strip()}
        ticked = {"own": self.own.data, "board": self.board.data, "per-topic": self.per_topic.data}
        # In the order of before, where the same are ticked: that is no change.
        order = before.reveals if before else ()
        reveals = tuple(word for word in (*order, *(w for w in ticked if w not in order)) if ticked[word])
        return PhaseSpec(
            before.name if before else (self.name.data or "").strip(),
            Text({language: title for language, title in titles.items() if title}),
            self.opens_at.or_as_before(before.opens_at if before else None),
            self.closes_at.or_as_before(before.closes_at if before else None),
            self.runs_per_day.data,
            self.runs_in_all.data,
            self.rejected_per_day.data,
            reveals,
            self.split,
        )
