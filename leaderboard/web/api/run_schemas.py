"""What the documents of the API on a team's own runs hold."""

from __future__ import annotations

from marshmallow import Schema, ValidationError, fields, validate

from leaderboard.services.methods import (
    LONGEST_DESCRIPTION,
    LONGEST_LINK,
    LONGEST_RESOURCES,
    LONGEST_SYSTEM,
    MANNERS,
)
from leaderboard.services.request_keys import LONGEST as LONGEST_KEY
from leaderboard.services.runs import LONGEST_NAME
from leaderboard.web.api.schemas import (
    Fault,
    Page,
    described,
    listed,
    number,
    time,
    whole,
    word,
    words_of,
    yes,
)
from leaderboard.web.api.words import later as _


def _can_be_kept(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValidationError("Half of a surrogate pair is no character.") from error


class Method(Schema):
    system = word(
        _("The kind of system."),
        load_default="",
        validate=[validate.Length(max=LONGEST_SYSTEM), _can_be_kept],
    )
    resources = word(
        _("External resources it used."),
        load_default="",
        validate=[validate.Length(max=LONGEST_RESOURCES), _can_be_kept],
    )
    manner = word(
        _("Whether people had a hand in this run."), load_default="", validate=validate.OneOf(MANNERS)
    )
    link = word(
        _("A paper or code."), load_default="", validate=[validate.Length(max=LONGEST_LINK), _can_be_kept]
    )


class Words(Method):
    """What a team says about a run."""

    name = word(
        _("What to call the run; the file's name where none is given."),
        load_default="",
        validate=[validate.Length(max=LONGEST_NAME), _can_be_kept],
    )
    description = word(
        _("How the run was made."),
        load_default="",
        validate=[validate.Length(max=LONGEST_DESCRIPTION), _can_be_kept],
    )


class NewRun(Words):
    kind = word(
        _("Whether it counts for the ranking or is for comparison only."),
        load_default="ordinary",
        validate=validate.OneOf(("ordinary", "contrastive")),
    )
    file_name = word(
        _("What the file is called, where it is the whole body."),
        load_default="",
        validate=[validate.Length(max=200), _can_be_kept],
    )


def _file() -> fields.Raw:
    return fields.Raw(
        required=True,
        metadata=described(_("The file, plain, .gz or .zip."), type="string", format="binary"),
    )


class FileForm(Schema):
    """A form that holds a file."""

    file = _file()


class NewRunForm(NewRun):
    """A form that holds a file and says what it is."""

    file = _file()


class Summary(Schema):
    id = whole(_("The number of the run."))
    name = word(_("What the team calls it."))
    phase = word(_("The phase it belongs to."))
    state = word(
        _("received: it waits for its scores; failed: the fault is ours."),
        validate=validate.OneOf(("received", "scored", "rejected", "failed")),
    )
    kind = word(_("ordinary, contrastive or baseline."))
    late = yes(_("It came after the phase had closed and moves no ranking."))
    selected = yes(_("The team has chosen it to count."))
    final = yes(_("The team has put it forward for the final standing on the private part."))
    withdrawn = yes(_("The team has withdrawn it."))
    disqualified = yes(_("The organisers have taken it out."))
    submitted_at = time(_("The moment that decides: when the request arrived."))
    size = whole(_("In bytes."))
    sha256 = word(_("The SHA-256 of the file."))
    url = word(_("Its page."))


Runs = listed(Summary, "Runs")


class Stand(Schema):
    place = whole(_("The place it has or would have."))
    has_place = yes(_("Whether it has that place; else it would have it, were it to count."))
    teams = whole(_("How many have a place on the track."))
    best = number(_("The best value there."))
    median = number(_("The median of the values there."))
    to_best = number(_("How much better than the best; negative: worse."))
    to_median = number(_("How much better than the median; negative: worse."))


class Result(Schema):
    track = word(_("The track."))
    values = fields.Dict(
        keys=fields.String(),
        values=fields.Float(allow_none=True),
        metadata=described(_("Measure to value at full precision; null: undefined.")),
    )
    undefined = fields.Dict(
        keys=fields.String(), values=fields.String(), metadata=described(_("Why a value is undefined."))
    )
    place = whole(_("The place of this very run; null: none, and the reason says why."), allow_none=True)
    reason = word(_("Why it has no place."), allow_none=True)
    stand = fields.Nested(
        Stand, allow_none=True, metadata=described(_("Where it stands; null while the ranking is hidden."))
    )
    gold_version = whole(_("The version of the benchmark."))
    scorer_version = word(_("The version of the scorer."))
    scored_at = time(_("When it was scored."))


class Queue(Schema):
    number = whole(_("It is at most the so many-th to begin."))
    running = yes(_("It is being scored now."))
    seconds = whole(
        _("How many seconds it takes, judging by the last runs; null where that cannot be said."),
        allow_none=True,
    )
    consumers = whole(_("How many runs are scored at once; 0: nobody scores at the moment."))
    again_at = time(_("When the next attempt begins, where one failed."), allow_none=True)


class Run(Summary):
    task = word(_("The task."))
    description = word(_("How it was made."))
    method = fields.Nested(Method)
    file_name = word(_("What the file was called."))
    received_at = time(_("When the file was here."))
    results = fields.List(
        fields.Nested(Result), metadata=described(_("What it scored; empty while the phase hides it."))
    )
    faults = fields.List(fields.Nested(Fault), metadata=described(_("The first fifty faults of the file.")))
    fault_count = whole(_("How many faults the file has in all."))
    warnings = words_of(_("What probably went wrong in the file."))
    notes = words_of(_("What was done with the file."))
    left_out = words_of(_("Which checks could not be made."))
    failure = word(_("Why it could not be scored; the fault is ours."), allow_none=True)
    queue = fields.Nested(
        Queue,
        allow_none=True,
        metadata=described(_("Where it waits for its scores; null where it does not.")),
    )
    actions = fields.List(fields.String(), metadata=described(_("What the team may do with it now.")))


class Submission(Schema):
    run = fields.Nested(Run, required=True)
    again = fields.Boolean(
        required=True, metadata=described(_("The team had sent this very file before; it cost nothing."))
    )


class Report(Schema):
    accepted = yes(_("Whether the file could be submitted."))
    faults = fields.List(fields.Nested(Fault), metadata=described(_("The first fifty faults.")))
    fault_count = whole(_("How many faults there are in all."))
    warnings = words_of(_("What probably went wrong."))
    notes = words_of(_("What was done with the file."))
    left_out = words_of(_("Which checks could not be made."))


class ByTopic(Schema):
    values = fields.List(fields.Float(allow_none=True), metadata=described(_("The run's values.")))
    median = fields.List(
        fields.Float(allow_none=True),
        allow_none=True,
        metadata=described(_("The medians of the runs that have a place; null while the phase hides them.")),
    )
    best = fields.List(
        fields.Float(allow_none=True),
        allow_none=True,
        metadata=described(_("The best values of those runs.")),
    )


class TrackTopics(Schema):
    track = word(_("The track."))
    topics = fields.List(
        fields.String(), metadata=described(_("The topics, in the order of all lists below."))
    )
    measures = fields.Dict(
        keys=fields.String(), values=fields.Nested(ByTopic), metadata=described(_("Measure to values."))
    )


class Topics(Schema):
    run = whole(_("The number of the run."))
    tracks = fields.List(fields.Nested(TrackTopics))


class Quota(Schema):
    task = word(_("The task."))
    team = word(_("Your team."))
    phase = word(_("The phase to which a run of now would go."))
    late = yes(_("Whether it would come too late to move the ranking."))
    may_submit = yes(_("Whether the team may send a run now."))
    reason = word(_("Why not."), allow_none=True)
    next_slot = time(_("When it may again; null: it may now, or not in this phase."), allow_none=True)
    runs_today = whole(_("How many runs the team sent today (UTC)."))
    runs_in_all = whole(_("How many it sent in the phase."))
    left_today = whole(_("How many more it may send today; null: no limit."), allow_none=True)
    left_in_all = whole(_("How many more it may send in the phase; null: no limit."), allow_none=True)
    rejected_left_today = whole(
        _("How many more files may be faulty today; null: no limit."), allow_none=True
    )


class OwnRuns(Page):
    """Which of the team's runs."""

    phase = word(_("Only those of this phase."))
    state = word(
        _("Only those in this state."),
        validate=validate.OneOf(("received", "scored", "rejected", "failed")),
    )


class OneTrack(Schema):
    """Which track."""

    track = word(_("Only this track."))


class Repeatable(Schema):
    """A request that may be sent again."""

    key = fields.String(
        data_key="Idempotency-Key",
        metadata=described(
            _("Chosen anew for each run, as a UUID: the same request under the same key gets one answer."),
            minLength=1,
            maxLength=LONGEST_KEY,
            pattern="^[!-~]+$",
        ),
    )
