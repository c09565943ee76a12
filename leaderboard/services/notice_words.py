"""The letter that says that a team was overtaken."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from leaderboard.contract import Message, TaskSpec, Text, say, say_count
from leaderboard.rules import phases_of
from leaderboard.services.languages import Telling, in_language
from leaderboard.services.notices import Fall, News, Wording

NAMED = 5
"""So many teams are named; the others are counted."""

DEFAULT_LANGUAGE = "en"


def wording(find: Callable[[str], TaskSpec | None], public_url: str) -> Wording:
    """Puts news into words. `find` gives a task by its name, None where it is no longer there; without a
    `public_url` the letter names the page instead of its address."""

    def worded(news: News) -> tuple[str, str] | None:
        spec = find(news.task)
        if spec is None:
            return None
        language = news.locale or DEFAULT_LANGUAGE
        told = in_language(language)
        title = spec.title.for_language(language)
        subject = told(say("{task}: another team has overtaken yours", task=title))
        return subject, "\n".join(_lines(spec, news, language, told, public_url))

    return worded


def _lines(spec: TaskSpec, news: News, language: str, told: Telling, public_url: str) -> Iterator[str]:
    title = spec.title.for_language(language)
    phase = next(
        (each.title for each in phases_of(spec) if each.name == news.phase), Text({"en": news.phase})
    )
    yield told(
        say(
            'Your team "{team}" was overtaken in {task}, {phase}.',
            team=news.team,
            task=title,
            phase=phase.for_language(language),
        )
    )
    yield ""
    for fall in news.falls:
        yield told(_fall(spec, fall, language))
    yield ""
    if public_url:
        yield f"{public_url}/tasks/{news.task}/board?phase={news.phase}"
        yield ""
        yield told(say("You asked to be told. To hear of it no more, switch it off here:"))
        yield f"{public_url}/tasks/{news.task}/team#notices"
    else:
        yield told(
            say("You asked to be told. To hear of it no more, switch it off on the page of your team.")
        )


def _fall(spec: TaskSpec, fall: Fall, language: str) -> Message:
    named = ", ".join(fall.ahead[:NAMED])
    others = len(fall.ahead) - NAMED
    teams: object = named
    if others > 0:
        teams = say_count("{named} and {count} other", "{named} and {count} others", others, named=named)
    return say(
        "{board}: from place {before} to place {after}. Ahead of you now: {teams}.",
        board=board_name(spec, fall.track, language),
        before=fall.before,
        after=fall.after,
        teams=teams,
    )


def board_name(spec: TaskSpec, track: str | None, language: str) -> object:
    """What a board is called in a language; to be told by that language's words."""
    if track is None:
        return say("Overall ranking")
    return next((each.title.for_language(language) for each in spec.tracks if each.name == track), track)
