"""What the documents of the API hold; the OpenAPI document is made from this."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from leaderboard.web.api.words import later as _

LARGEST_PAGE = 200
LAST_PAGE = 1_000_000


def described(words: str, **more: Any) -> dict[str, Any]:
    """The description of a field."""
    return {"description": words, **more}


def time(words: str, **options: Any) -> fields.String:
    """A moment, in UTC."""
    return fields.String(metadata=described(words, format="date-time"), **options)


def number(words: str) -> fields.Float:
    """A value at full precision."""
    return fields.Float(allow_none=True, metadata=described(words))


def word(words: str, **options: Any) -> fields.String:
    """A text."""
    return fields.String(metadata=described(words), **options)


def whole(words: str, **options: Any) -> fields.Integer:
    """A whole number."""
    return fields.Integer(metadata=described(words), **options)


def yes(words: str) -> fields.Boolean:
    """A yes or no."""
    return fields.Boolean(metadata=described(words))


def words_of(words: str) -> fields.List[Any]:
    """Sentences for people."""
    return fields.List(fields.String(), metadata=described(words))


class Fault(Schema):
    line = whole(_("Counts from 1; null where the whole file is meant."), allow_none=True)
    column = whole(_("Counts from 1; null where the whole line is meant."), allow_none=True)
    kind = word(_("A short stable word for programs."))
    message = word(_("What was found and what to do."))


class FieldError(Schema):
    field = word(_("Where in the request."))
    message = word(_("What is wrong with it."))


class Problem(Schema):
    type = fields.String(
        required=True,
        metadata=described(_("Which kind of problem; its page explains all."), format="uri-reference"),
    )
    title = word(_("The same for all problems of this kind."), required=True)
    status = whole(_("The status of HTTP."), required=True)
    detail = word(_("This very case, and what to do."), allow_none=True)
    instance = word(_("The address that was asked for."))
    errors = fields.List(fields.Nested(FieldError), metadata=described(_("What is wrong with the request.")))
    faults = fields.List(fields.Nested(Fault), metadata=described(_("The first fifty faults of the file.")))
    fault_count = whole(_("How many faults the file has in all."))
    warnings = words_of(_("What probably went wrong in the file."))
    notes = words_of(_("What was done with the file."))
    run = whole(_("The number under which the attempt is recorded."))
    next_slot = time(_("When the team may send its next run; null: not in this phase."), allow_none=True)


class Track(Schema):
    name = word(_("Its name, as addresses have it."))
    title = word(_("Its title."))
    measures = fields.List(fields.String(), metadata=described(_("What it measures.")))
    primary = word(_("The measure that ranks."))
    higher_is_better = yes(_("The direction of that measure."))
    digits = whole(_("How many decimals are shown to people."))
    public_values = word(
        _("What everybody is told of values: exact, rounded (with decimals), ladder (with a step or none).")
    )


class Phase(Schema):
    name = word(_("Its name."))
    title = word(_("Its title."))
    state = word(_("Where it is now."), validate=validate.OneOf(("upcoming", "open", "closed")))
    current = yes(_("Whether it is meant where none is named."))
    opens_at = time(_("When it opens; null: always."), allow_none=True)
    closes_at = time(_("When it closes; null: never."), allow_none=True)
    runs_per_day = whole(_("Runs that a team may send in a day (UTC); null: no limit."), allow_none=True)
    runs_in_all = whole(_("Runs that a team may send in the phase; null: no limit."), allow_none=True)
    reveals = fields.List(fields.String(), metadata=described(_("What participants may see.")))
    public_share = number(_("The share of the benchmark that values are shown on; null: all of it."))
    final_runs = whole(
        _("Runs that a team may put forward for the final standing; null: there is none of its own."),
        allow_none=True,
    )


class Input(Schema):
    name = word(_("Its role."))
    title = word(_("Its title."))
    file_name = word(_("What the file is called."))
    size = whole(_("In bytes."))
    sha256 = word(_("Its SHA-256."))
    url = word(_("Where it is downloaded."))


class Task(Schema):
    name = word(_("Its name, as addresses have it."))
    title = word(_("Its title."))
    summary = word(_("What it is about."))
    url = word(_("Its page."))


class WholeTask(Task):
    tracks = fields.List(fields.Nested(Track))
    phases = fields.List(fields.Nested(Phase))
    inputs = fields.List(fields.Nested(Input), metadata=described(_("Its public files.")))
    boards = fields.List(fields.String(), metadata=described(_("The rankings there are.")))
    counting = word(_("Which run of a team counts: best, latest or selected."))
    max_upload_bytes = whole(_("How large a file may be."))


def listed(items: type[Schema], name: str) -> type[Schema]:
    """A page of a list."""
    members = {
        "items": fields.List(fields.Nested(items), required=True),
        "total": whole(_("How many there are on all pages."), required=True),
        "page": whole(_("Counts from 1."), required=True),
        "per_page": whole(_("How many a page has at most."), required=True),
    }
    return Schema.from_dict(members, name=name)  # type: ignore[arg-type]


Tasks = listed(Task, "Tasks")
Inputs = listed(Input, "Inputs")

VALUES = fields.Dict(keys=fields.String(), values=fields.Float(allow_none=True))


class Row(Schema):
    position = whole(_("The line, from 1."))
    place = whole(_("The place; tied runs share one; null: none, and the reason says why."), allow_none=True)
    team = word(_("What the public calls the team."))
    run = whole(_("The number of its run; null in an overall ranking."), allow_none=True)
    run_name = word(_("What the team calls the run."), allow_none=True)
    runs = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        metadata=described(_("In an overall ranking, the run that counts on each track.")),
    )
    kind = word(_("ordinary, contrastive or baseline."))
    late = yes(_("It came after the phase had closed."))
    disqualified = yes(_("The organisers have taken it out."))
    value = number(_("What it is ranked by, at full precision."))
    values = fields.Dict(
        keys=fields.String(),
        values=VALUES,
        metadata=described(_("Track to measure to value, null: undefined.")),
    )
    places = fields.Dict(
        keys=fields.String(), values=fields.Integer(), metadata=described(_("Track to place."))
    )
    submitted_at = time(_("When it was submitted."), allow_none=True)
    sha256 = word(_("The SHA-256 of the file."), allow_none=True)
    reason = word(_("Why it has no place."), allow_none=True)
    interval = fields.List(
        fields.Float(allow_none=True),
        allow_none=True,
        metadata=described(_("The ends of the 95-percent interval of the value; null: not known (yet).")),
    )
    group = word(
        _("Letters that it shares with the lines it cannot be told apart from, or their places."),
        allow_none=True,
    )


class Standings(listed(Row, "Rows")):  # type: ignore[misc]
    task = word(_("The task."))
    track = word(_("The track; null: overall."), allow_none=True)
    phase = word(_("The phase."))
    ranked_by = word(_("The measure that ranks, or the way an overall ranking is made."), allow_none=True)
    gold_versions = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        metadata=described(_("Which version of the benchmark of each track.")),
    )
    scorer_version = word(_("The version of the scorer."))
    computed_at = time(_("When it was computed."))


class Membership(Schema):
    task = word(_("The task."))
    team = word(_("Your team in it."))


class Me(Schema):
    name = word(_("Your name."))
    token = word(_("What the token is called."))
    scope = word(_("What it may do."), validate=validate.OneOf(("read", "submit")))
    expires_at = time(_("Until when it works."))
    teams = fields.List(fields.Nested(Membership))


class Page(Schema):
    """Which part of a list."""

    page = whole(_("Counts from 1."), load_default=1, validate=validate.Range(1, LAST_PAGE))
    per_page = whole(
        _("How many a page has at most."), load_default=50, validate=validate.Range(1, LARGEST_PAGE)
    )


class Board(Page):
    """Which ranking."""

    track = word(_("A track, or overall; the main ranking where none is named."))
    phase = word(_("A phase; the current one where none is named."))
    stage = word(
        _("The ranking of the phase, or the one beside it that ranks late runs too."),
        load_default="in-time",
        validate=validate.OneOf(("in-time", "post-evaluation")),
    )
