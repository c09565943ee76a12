"""Texts for judging: what stands behind a topic and a docno, as TSV or as JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaderboard.contract import FormatError, say
from leaderboard.formats.cells import is_text, shown
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.text import decode

_NAMES: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "turn_id", "qid"),
    "question": ("question", "query", "utterance", "raw_utterance"),
    "docno": ("docno", "passage_id", "docid", "pid"),
    "text": ("text", "passage"),
    "conversation": ("conversation", "context", "history"),
}
"""The names that a column or key may have. The last one may lack."""

TURN = " ||| "
"""Separates the turns of a conversation in a TSV file; JSON has a list."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that may be judged for a topic. `conversation` has the turns before the question, if any."""

    topic: str
    question: str
    docno: str
    text: str
    conversation: tuple[str, ...] = ()


def read_passages(path: Path) -> tuple[Passage, ...]:
    """The passages in the file at `path`, in its order.

    A file that starts with ``{`` has a JSON object a line; any other is a table with TABs and a header.
    Columns and keys are topic, question, docno, text and, where wanted, conversation (or as TREC CAsT calls
    them: turn_id, query, passage_id, passage); others do not matter. A question or conversation may be left
    empty where another line of the topic has it. Raises FormatError with every fault by line, among them a
    docno that stands twice in a topic with different texts and a topic with two questions; OSError.
    """
    try:
        text = decode(path.read_bytes()).text
    except Refused as refused:
        raise FormatError(path.name, refused.faults) from None
    faults = FaultList()
    is_json = text.lstrip()[:1] == "{"
    found = _checked(_from_json(text, faults) if is_json else _from_table(text, faults), faults)
    if not found and not faults.count:
        faults.add(None, None, say("The file holds no texts. Please give at least one."), "empty")
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    return found


_Numbered = tuple[int, Passage]


def _from_json(text: str, faults: FaultList) -> Iterator[_Numbered]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults.add(number, None, say("This line is not JSON: {reason}.", reason=str(error)), "not-json")
            continue
        if not isinstance(entry, dict):
            faults.add(number, None, say("This line is no JSON object with keys and values."), "not-json")
            continue
        values = {name: _first(entry, known) for name, known in _NAMES.items()}
        yield from _passage(number, values, faults)


def _first(entry: Mapping[str, Any], known: Sequence[str]) -> Any:
    return next((entry[name] for name in known if name in entry), None)


def _from_table(text: str, faults: FaultList) -> Iterator[_Numbered]:
    rows = _rows(text)
    names = [cell.strip().casefold() for cell in rows[0][1]] if rows else []
    place = {
        name: next((names.index(n) for n in known if n in names), None) for name, known in _NAMES.items()
    }
    lacking = [name for name in ("topic", "docno", "text") if place[name] is None]
    if lacking:
        message = say(
            "The first line has to name the columns topic, question, docno and text, with TABs between them; "
            "it lacks {columns}.",
            columns=", ".join(lacking),
        )
        faults.add(1, None, message, "header")
        return
    for number, cells in rows[1:]:
        if len(cells) != len(names):
            message = say(
                "The line has {found} fields, the header {wanted}.", found=len(cells), wanted=len(names)
            )
            faults.add(number, None, message, "field-count")
            continue
        values: dict[str, Any] = {name: cells[column] for name, column in place.items() if column is not None}
        values["conversation"] = [turn for turn in values.get("conversation", "").split(TURN) if turn.strip()]
        yield from _passage(number, values, faults)


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """The rows by line. Quotation marks are those of a table where it makes sense so, else of the texts."""
    quoted = _read(text, csv.QUOTE_MINIMAL)
    if quoted is not None and all(len(cells) == len(quoted[0][1]) for _, cells in quoted):
        return quoted
    return _read(text, csv.QUOTE_NONE) or []


def _read(text: str, quoting: int) -> list[tuple[int, list[str]]] | None:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=quoting, strict=True)  # type: ignore[arg-type]  # its constants are plain numbers
    try:
        return [(reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)]
    except csv.Error:
        return None


def _passage(number: int, values: Mapping[str, Any], faults: FaultList) -> Iterator[_Numbered]:
    plain = {name: values.get(name) for name in ("topic", "question", "docno", "text")}
    turns = values.get("conversation") or []
    if isinstance(turns, str):
        turns = [turns]
    strings = [value for value in plain.values() if value is not None]
    if not isinstance(turns, list) or not all(
        isinstance(value, str) and is_text(value) for value in [*strings, *turns]
    ):
        faults.add(number, None, say("A value is no text; topic, docno and text are strings."), "not-text")
        return
    clean = {name: (value or "").strip() for name, value in plain.items()}
    lacking = [name for name in ("topic", "docno", "text") if not clean[name]]
    if lacking:
        message = say("The line has no {names}. Please give each.", names=", ".join(lacking))
        faults.add(number, None, message, "incomplete")
        return
    if any(character.isspace() for name in ("topic", "docno") for character in clean[name]):
        faults.add(number, None, say("A topic or docno holds white space, which ids cannot."), "bad-id")
        return
    yield number, Passage(**clean, conversation=tuple(turn.strip() for turn in turns if turn.strip()))


def _checked(numbered: Iterator[_Numbered], faults: FaultList) -> tuple[Passage, ...]:
    """Each docno of a topic once, with the question and conversation that any line of the topic has."""
    found: dict[tuple[str, str], Passage] = {}
    asked: dict[str, tuple[str, tuple[str, ...]]] = {}
    for number, passage in numbered:
        before = found.setdefault((passage.topic, passage.docno), passage)
        if before.text != passage.text:
            message = say(
                "{docno} stands twice in topic {topic} with different texts. Please keep one.",
                docno=shown(passage.docno),
                topic=shown(passage.topic),
            )
            faults.add(number, None, message, "duplicate")
        question, turns = asked.get(passage.topic, ("", ()))
        if question and passage.question and question != passage.question:
            message = say("Topic {topic} has two different questions.", topic=shown(passage.topic))
            faults.add(number, None, message, "two-questions")
        asked[passage.topic] = (question or passage.question, turns or passage.conversation)
    return tuple(
        Passage(each.topic, asked[each.topic][0], each.docno, each.text, asked[each.topic][1])
        for each in found.values()
    )
