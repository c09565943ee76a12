"""The form in which organisers say how much of the values of runs everybody is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flask_babel import lazy_gettext as _
from flask_wtf import FlaskForm
from wtforms import FloatField, SelectField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import NumberRange, Optional

from leaderboard.contract import TaskSpec, TrackSpec


class PublicValuesForm(FlaskForm):
    """A choice and a number for each track; `public_values_form` makes it."""

    tracks: tuple[TrackSpec, ...] = ()

    def fill(self, rules: Mapping[str, str]) -> None:
        """Puts in what holds now, as rules are written."""
        for track, kind, number in self.of_tracks():
            word, _space, given = rules[track.name].partition(" ")
            kind.data = "ladder-step" if word == "ladder" and given else word
            number.data = float(given) if given else None

    def of_tracks(self) -> Iterator[tuple[TrackSpec, Any, Any]]:
        """Each track with its two fields."""
        for track in self.tracks:
            yield track, self[f"kind_{track.name}"], self[f"number_{track.name}"]

    @property
    def wanted(self) -> Mapping[str, str]:
        """What was filled in, as rules are written; where a number lacks, as none is."""
        return {track.name: _rule(kind.data, number.data) for track, kind, number in self.of_tracks()}


def public_values_form(spec: TaskSpec, **options: Any) -> PublicValuesForm:
    """The form for the tracks of a task."""
    fields: dict[str, Any] = {"tracks": spec.tracks}
    for track in spec.tracks:
        fields[f"kind_{track.name}"] = SelectField(
            _("What everybody is told"),
            choices=[
                SelectChoice("exact", _("exact values")),
                SelectChoice("rounded", _("rounded values")),
                SelectChoice("ladder-step", _("a Ladder with a step")),
                SelectChoice("ladder", _("a Ladder by standard errors")),
            ],
        )
        fields[f"number_{track.name}"] = FloatField(
            _("Decimals, or the step"), [Optional(), NumberRange(0, 15)], render_kw={"min": 0, "step": "any"}
        )
    made: PublicValuesForm = type("PublicValuesForm", (PublicValuesForm,), fields)(**options)
    return made


def _rule(kind: str, number: float | None) -> str:
    if kind in ("exact", "ladder"):
        return kind
    # Without its number a word that needs one is no rule; "ladder" alone would be another.
    if kind == "rounded":
        return "rounded ?" if number is None else f"rounded {number:g}"
    return "ladder ?" if number is None else f"ladder {number!r}"
