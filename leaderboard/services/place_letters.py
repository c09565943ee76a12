"""Letters to the teams whose place changed because the organisers changed what all runs are scored by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from leaderboard.contract import Message, TaskSpec, say
from leaderboard.services import letters, phases
from leaderboard.services.languages import in_language
from leaderboard.services.notice_words import DEFAULT_LANGUAGE, board_name
from leaderboard.services.phases import PhaseView
from leaderboard.services.shifts import Move, Shift
from leaderboard.store.models import Membership, Phase, Task, Team, User


@dataclass
class Collected:
    """How the boards of each phase shifted, kept to be told together."""

    shifts: dict[int, list[Shift]] = field(default_factory=dict)

    def __call__(
        self,
        _session: Session,
        _spec: TaskSpec,
        _task: Task,
        phase_id: int,
        shifts: Sequence[Shift],
        _now: datetime,
    ) -> None:
        self.shifts.setdefault(phase_id, []).extend(shifts)


@dataclass(frozen=True, slots=True)
class _Moved:
    """That a team has another place on a board (`track` None: overall) of a phase."""

    phase: PhaseView
    track: str | None
    move: Move


def write(
    session: Session,
    spec: TaskSpec,
    task: Task,
    shifts: Mapping[int, Sequence[Shift]],
    source: str,
    public_url: str,
    now: datetime,
) -> int:
    """Leaves one letter to every member of a team whose place changed, with the old places and the new; says
    how many. Of a ranking that the teams do not see now nothing is told.

    `source` is that of the draft; without a `public_url` the letter names no address.
    """
    moved = _moved_teams(session, spec, task, shifts, now)
    if not moved:
        return 0
    statement = (
        select(User, Team)
        .join(Membership, Membership.user_id == User.id)
        .join(Team, Team.id == Membership.team_id)
        .where(
            Membership.task_id == task.id,
            Membership.left_at.is_(None),
            User.active,
            User.email.is_not(None),
        )
        .order_by(User.id)
    )
    written = 0
    for user, team in session.execute(statement):
        if team.id in moved and user.email:
            words = _words(spec, team.name, moved[team.id], source, user.locale, public_url)
            letters.write(session, user.email, *words, now, user.id)
            written += 1
    session.flush()
    return written


def _moved_teams(
    session: Session, spec: TaskSpec, task: Task, shifts: Mapping[int, Sequence[Shift]], now: datetime
) -> dict[int, list[_Moved]]:
    if task.visibility != "public":
        return {}
    views = phases.by_id(session, spec, now)
    moved: dict[int, list[_Moved]] = {}
    for phase_id, shifted in shifts.items():
        if not views[phase_id].shows_board or session.get_one(Phase, phase_id).frozen_at is not None:
            continue
        for shift in shifted:
            for move in shift.moves:
                if move.before != move.after:
                    moved.setdefault(move.team, []).append(_Moved(views[phase_id], shift.track, move))
    return moved


def _words(
    spec: TaskSpec, team: str, moved: Sequence[_Moved], source: str, locale: str | None, public_url: str
) -> tuple[str, str]:
    language = locale or DEFAULT_LANGUAGE
    told = in_language(language)
    title = spec.title.for_language(language)
    subject = told(say("{task}: the place of your team has changed", task=title))
    body = [told(_why(title, source)), "", told(say('The places of your team "{team}":', team=team))]
    body += [told(_line(spec, each, language)) for each in moved]
    body += _where_to_look(spec, public_url)
    return subject, "\n".join(body)


def _why(title: str, source: str) -> Message:
    if source == "scorer":
        return say(
            "The organisers of {task} changed how runs are scored, and scored all runs again.", task=title
        )
    return say(
        "The organisers of {task} installed a new version of the benchmark, and scored all runs by it.",
        task=title,
    )


def _line(spec: TaskSpec, moved: _Moved, language: str) -> Message:
    places = {"before": moved.move.before, "after": moved.move.after}
    board = {
        "phase": moved.phase.title.for_language(language),
        "board": board_name(spec, moved.track, language),
    }
    if moved.move.before is None:
        return say("{phase}, {board}: no place before, place {after} now.", **board, **places)
    if moved.move.after is None:
        return say("{phase}, {board}: place {before} before, no place now.", **board, **places)
    return say("{phase}, {board}: from place {before} to place {after}.", **board, **places)


def _where_to_look(spec: TaskSpec, public_url: str) -> Iterator[str]:
    if public_url:
        yield ""
        yield f"{public_url}/tasks/{spec.name}/board"
