"""Reading the topics of a task: TREC CAsT's JSON, or lines of topic, TAB and question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.contract import Fault, FormatError, Message, say
from leaderboard.formats.cells import is_text, shown
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.text import decode


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's id, such as ``31_1``, and what is asked, as it was said or typed."""

    topic: str
    question: str


def read_topics(path: Path) -> tuple[Topic, ...]:
    """The topics in the file at `path`, in its order; at least one, no id twice.

    A file that starts with ``[`` or ``{`` is JSON as TREC CAsT publishes it: conversations with `number`
    and `turn`, a list of turns with `number` and `raw_utterance`; turn 1 of conversation 31 is topic
    ``31_1``. Any other has a line ``31_1<TAB>question`` per topic. White space around a question goes.
    Raises FormatError with every fault, and OSError where there is no file.
    """
    try:
        text = decode(path.read_bytes()).text
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from refused
    faults = FaultList()
    is_json = text.lstrip()[:1] in ("[", "{")
    numbered = list(_from_json(path.name, text, faults) if is_json else _from_lines(text, faults))
    _check_ids(numbered, faults)
    if not numbered and not faults.count:
        faults.add(None, None, say("The file holds no topics. Please give at least one."), "empty")
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return tuple(topic for _, topic in numbered)


_Numbered = tuple[int | None, Topic]
"""A topic and its line, None where the file is JSON."""


def _check_ids(numbered: list[_Numbered], faults: FaultList) -> None:
    seen: set[str] = set()
    for line, topic in numbered:
        if topic.topic in seen:
            message = say("Topic {topic} stands twice. Please keep one.", topic=shown(topic.topic))
            faults.add(line, None, message, "duplicate")
        seen.add(topic.topic)


def _from_lines(text: str, faults: FaultList) -> Iterator[_Numbered]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        name, tab, question = line.partition("\t")
        name, question = name.strip(), question.strip()
        if not tab:
            message = say("There is no TAB in this line. Please write the topic, a TAB and the question.")
            faults.add(number, None, message, "no-tab")
        elif not name or not question or any(character.isspace() for character in name):
            faults.add(number, None, _incomplete(), "incomplete")
        else:
            yield number, Topic(name, question)


def _incomplete() -> Message:
    return say("The topic (an id without spaces) or the question is missing. Please write both.")


def _from_json(name: str, text: str, faults: FaultList) -> Iterator[_Numbered]:
    try:
        conversations = json.loads(text)
    except RecursionError as error:
        message = say("The JSON is nested too deeply. Please give a list of conversations.")
        raise FormatError(name, (Fault(None, None, message, "not-json"),)) from error
    except ValueError as error:
        raise FormatError(name, (_not_json(error),)) from error
    if not isinstance(conversations, list):
        message = say("The JSON is not a list. Please give a list of conversations as TREC CAsT does.")
        faults.add(None, None, message, "not-topics")
        return
    for place, conversation in enumerate(conversations, start=1):
        yield from _from_conversation(place, conversation, faults)


def _not_json(error: ValueError) -> Fault:
    message = say("The file starts like JSON but cannot be read as such: {reason}.", reason=str(error))
    if isinstance(error, json.JSONDecodeError):
        return Fault(error.lineno, error.colno, message, "not-json")
    return Fault(None, None, message, "not-json")


def _from_conversation(place: int, conversation: Any, faults: FaultList) -> Iterator[_Numbered]:
    turns = conversation.get("turn") if isinstance(conversation, dict) else None
    number = _number(conversation)
    if number is None or not isinstance(turns, list):
        message = say("Conversation {place} in the file has no number or no list of turns.", place=place)
        faults.add(None, None, message, "not-topics")
        return
    for turn_place, turn in enumerate(turns, start=1):
        turn_number = _number(turn)
        question = turn.get("raw_utterance") if turn_number is not None else None
        if turn_number is None or not isinstance(question, str) or not question.strip():
            message = say(
                "Turn {turn} of conversation {conversation} has no number or no raw_utterance.",
                turn=turn_place,
                conversation=number,
            )
            faults.add(None, None, message, "not-topics")
            continue
        if not is_text(question):
            message = say(
                "Turn {turn} of conversation {conversation} holds half a character; write UTF-8.",
                turn=turn_place,
                conversation=number,
            )
            faults.add(None, None, message, "not-text")
            continue
        yield None, Topic(f"{number}_{turn_number}", question.strip())


def _number(entry: Any) -> int | None:
    number = entry.get("number") if isinstance(entry, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None
