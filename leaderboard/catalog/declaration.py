"""Reads a task's ``task.toml`` into a `TaskSpec`, or says everything that is wrong with it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from leaderboard.analysis.public_values import EXACT
from leaderboard.catalog import bibtex
from leaderboard.catalog.tables import CatalogError, Table
from leaderboard.contract import (
    MOST_FINAL_RUNS,
    CountingRule,
    InputSpec,
    Message,
    PhaseSpec,
    SourceSpec,
    SplitSpec,
    TaskSpec,
    TrackSpec,
    say,
)
from leaderboard.formats import public_values
from leaderboard.measures import names

DECLARATION = "task.toml"

_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOST = 1_000_000

T = TypeVar("T")


def load_task(folder: Path) -> TaskSpec:
    """The task that the folder's ``task.toml`` declares.

    Raises CatalogError with every problem found, each naming its key and what to do.
    """
    file = folder / DECLARATION
    problems: list[Message] = []
    table = Table(_parse(file), "", problems)
    spec = _task(table, folder)
    table.close()
    if not problems:
        problems.extend(_contradictions(spec))
    if problems:
        raise CatalogError(file, *problems)
    return spec


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise CatalogError(file, say("There is no such file; a task is a folder with a task.toml.")) from None
    except OSError as error:
        raise CatalogError(file, say("It cannot be read: {reason}.", reason=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise CatalogError(
            file, say("It is not UTF-8 text (byte {offset}); save it as UTF-8.", offset=error.start)
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise CatalogError(file, say("It is not TOML: {reason}.", reason=str(error))) from error


def _task(table: Table, folder: Path) -> TaskSpec:
    scorer = folder / table.text_or("scorer", "scorer.py")
    if not scorer.is_file():
        table.problems.append(
            say("scorer names {file}, which is not there; write the path from this folder.", file=str(scorer))
        )
    return TaskSpec(
        name=_name(table),
        folder=folder,
        scorer=scorer,
        title=table.localised("title"),
        summary=table.localised("summary"),
        citation=table.text_or("citation", ""),
        bibtex=_bibtex(table),
        counting=cast(CountingRule, table.one_of("counting", ("best", "latest", "selected"), "best")),
        overall=table.one_of_or_none("overall", ("mean rank",)),
        resource=table.one_of_or_none("resource", ("mj",)),
        options=table.free_table("options"),
        tracks=_each(table, "tracks", _track),
        inputs=_each(table, "inputs", _input),
        phases=_each(table, "phases", _phase),
        sources=_each(table, "sources", _source),
    )


def _each(table: Table, key: str, read: Callable[[Table], T]) -> tuple[T, ...]:
    found = []
    for part in table.tables(key):
        found.append(read(part))
        part.close()
    return tuple(found)


def _name(table: Table) -> str:
    name = table.text("name")
    if name and not _NAME.fullmatch(name):
        table.problems.append(
            say(
                '{key} is "{name}"; it becomes part of addresses and file names, so use a-z, 0-9, - and _.',
                key=table.key("name"),
                name=name,
            )
        )
    return name


def _bibtex(table: Table) -> str:
    text = table.text_or("bibtex", "")
    for problem in bibtex.problems(text):
        table.problems.append(say("{key}: {problem}", key=table.key("bibtex"), problem=problem))
    return text.strip()


def _file(table: Table) -> str:
    """A plain file name, so that nothing is ever written outside the folder meant."""
    file = table.text("file")
    return _plain(table, "file", file)


def _plain(table: Table, key: str, file: str) -> str:
    if "/" in file or "\\" in file or file.startswith("."):
        table.problems.append(
            say('{key} is "{file}"; name a file without its folder.', key=table.key(key), file=file)
        )
    return file


def _track(table: Table) -> TrackSpec:
    measures = table.words("measures")
    for text in measures:
        try:
            names.parse(text)
        except ValueError as error:
            table.problems.append(say("{key}: {reason}.", key=table.key("measures"), reason=str(error)))
    primary = table.text_or("primary", measures[0] if measures else "")
    if measures and primary not in measures:
        table.problems.append(
            say(
                '{key} is "{primary}", which is not among the measures {measures}; add it there.',
                key=table.key("primary"),
                primary=primary,
                measures=", ".join(measures),
            )
        )
    digits = table.whole_or_none("digits", 0, 15)
    return TrackSpec(
        name=_name(table),
        title=table.localised("title"),
        gold=_plain(table, "gold", table.text("gold")),
        measures=measures,
        primary=primary,
        higher_is_better=table.one_of("direction", ("higher", "lower"), "higher") == "higher",
        digits=4 if digits is None else digits,
        missing=table.number("missing", 0.0),
        at_least=table.number_or_none("at_least"),
        public_values=_public_values(table),
    )


def _public_values(table: Table) -> str:
    text = table.text_or("public_values", EXACT)
    try:
        return public_values.written(public_values.parse(text))
    except ValueError as error:
        table.problems.append(
            say(
                '{key}: {reason}; write "exact", "rounded 2" (decimals), "ladder 0.01" (a step) or "ladder".',
                key=table.key("public_values"),
                reason=str(error),
            )
        )
        return EXACT


def _input(table: Table) -> InputSpec:
    return InputSpec(name=_name(table), file=_file(table), title=table.localised("title"))


def _phase(table: Table) -> PhaseSpec:
    opens, closes = table.moment_or_none("opens_at"), table.moment_or_none("closes_at")
    if opens is not None and closes is not None and closes <= opens:
        table.problems.append(
            say("{key} is not after opens_at; a phase closes after it opens.", key=table.key("closes_at"))
        )
    reveals = table.words_or("reveals", ("own", "board"))
    for word in reveals:
        if word not in ("own", "board", "per-topic"):
            table.problems.append(
                say(
                    '{key} holds "{word}"; what may stand there is "own", "board" and "per-topic".',
                    key=table.key("reveals"),
                    word=word,
                )
            )
    return PhaseSpec(
        name=_name(table),
        title=table.localised("title"),
        opens_at=opens,
        closes_at=closes,
        runs_per_day=table.whole_or_none("runs_per_day", 0, _MOST),
        runs_in_all=table.whole_or_none("runs_in_all", 0, _MOST),
        rejected_per_day=table.whole_or_none("rejected_per_day", 0, _MOST),
        reveals=reveals,
        split=_split(table),
    )


def _split(table: Table) -> SplitSpec | None:
    part = table.table_or_none("split")
    if part is None:
        return None
    public = part.number("public", 0.5)
    if not 0 < public < 1:
        part.problems.append(
            say(
                "{key} is {value}; write the share of the public part, between 0 and 1.",
                key=part.key("public"),
                value=public,
            )
        )
    runs = part.whole_or_none("final_runs", 1, MOST_FINAL_RUNS)
    reveal = part.one_of("reveal", ("closing", "organisers"), "closing")
    found = SplitSpec(
        public,
        part.whole_or_none("seed", 0, _MOST) or 0,
        2 if runs is None else runs,
        cast(Literal["closing", "organisers"], reveal),
    )
    part.close()
    return found


def _source(table: Table) -> SourceSpec:
    url, sha256 = table.text("url"), table.text("sha256")
    if url and not url.startswith(("https://", "http://")):
        table.problems.append(
            say('{key} is "{url}"; an address starts with https://.', key=table.key("url"), url=url)
        )
    if sha256 and not _SHA256.fullmatch(sha256):
        table.problems.append(
            say(
                "{key} is not a SHA-256; write the 64 digits 0-9 a-f that sha256sum prints.",
                key=table.key("sha256"),
            )
        )
    kind = table.one_of("kind", ("input", "gold"), "input")
    return SourceSpec(url=url, file=_file(table), sha256=sha256, kind=cast(Literal["input", "gold"], kind))


def _contradictions(spec: TaskSpec) -> Iterable[Message]:
    """What is wrong with a declaration whose every value is fine by itself."""
    if not spec.tracks:
        yield say("No track is declared; write [[tracks]] and its lines below.")
    if spec.overall is not None and len(spec.tracks) < 2:
        yield say("overall needs at least two tracks to rank over; add a track or take it out.")
    yield from _twice("tracks", (track.name for track in spec.tracks))
    yield from _twice("inputs", (each.name for each in spec.inputs))
    yield from _twice("inputs", (each.file for each in spec.inputs))
    yield from _twice("phases", (phase.name for phase in spec.phases))
    yield from _twice("sources", (f"{source.kind} {source.file}" for source in spec.sources))
    for track in spec.tracks:
        yield from _twice(
            f"tracks ({track.name}).measures", (str(names.parse(text)) for text in track.measures)
        )
    public = {each.file for each in spec.inputs}
    for source in spec.sources:
        if source.kind == "input" and source.file not in public:
            yield say(
                "sources: {file} is an input that no [[inputs]] declares; declare it or correct its kind.",
                file=source.file,
            )
    for file in sorted(public & {track.gold for track in spec.tracks}):
        yield say(
            "{file} is both an input and gold, and would be given away; name one of them otherwise.",
            file=file,
        )


def _twice(key: str, words: Iterable[str]) -> Iterable[Message]:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            yield say("{key}: {word} is there twice; each needs its own.", key=key, word=word)
        seen.add(word)
