"""The plain values that pass between the floors, and what a task has to offer.

Nothing here knows files, databases or the web. A task is a folder with a ``task.toml``, read into a
`TaskSpec`, and a ``scorer.py`` that satisfies `Scorer`; everything else in the application deals with
tasks through these two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for a person, kept apart from its language.

    `template` is the English sentence with ``{name}`` places (the gettext msgid), `values` fills them.
    With `plural` and `count` the sentence depends on a number. ``str()`` gives the English.
    """

    template: str
    values: Mapping[str, object] = field(default_factory=dict)
    plural: str | None = None
    count: int | None = None

    def __str__(self) -> str:
        template = self.template
        if self.plural is not None and self.count != 1:
            template = self.plural
        return template.format(**self.values)


def say(template: str, /, **values: object) -> Message:
    """A message; the template is a literal, so that it can be collected for translation."""
    return Message(template, values)


def say_count(singular: str, plural: str, count: int, /, **values: object) -> Message:
    """A message whose form depends on `count`, which the templates may name as ``{count}``."""
    return Message(singular, {"count": count, **values}, plural, count)


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason why a file cannot be accepted.

    `line` and `column` count from 1 and point into the text as sent; None where the whole file is meant.
    `kind` is a short stable word for counting faults ("not-a-number"), never shown to people alone.
    """

    line: int | None
    column: int | None
    message: Message
    kind: str

    def __str__(self) -> str:
        where = ""
        if self.line is not None:
            where = f"line {self.line}"
            if self.column is not None:
                where += f", column {self.column}"
            where += ": "
        return where + str(self.message)


class FormatError(Exception):
    """A file that the platform itself needs (gold, inputs, a manifest) cannot be read.

    Carries the faults with the file's name; `str()` lists them, one a line.
    """

    def __init__(self, name: str, faults: tuple[Fault, ...]) -> None:
        self.name = name
        self.faults = faults
        super().__init__("\n".join(f"{name}: {fault}" for fault in faults))


MAX_FAULTS = 50
"""So many faults are reported by line; the rest is counted."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the format check of one file found.

    `run` holds the columns read, and is None when there are faults. `faults` are the first 50 of
    `fault_count`. `warnings` say what probably went wrong, `notes` what was done with the file,
    `left_out` which checks could not be made because a public input was not at hand.
    """

    run: Any
    faults: tuple[Fault, ...] = ()
    fault_count: int = 0
    warnings: tuple[Message, ...] = ()
    notes: tuple[Message, ...] = ()
    left_out: tuple[Message, ...] = ()

    @property
    def accepted(self) -> bool:
        return self.fault_count == 0


@dataclass(frozen=True, slots=True)
class TrackScores:
    """The scores of one run on one track.

    `values` maps a measure's text to its value at full precision, nan where undefined; `undefined` then
    has the reason. `per_topic` maps a measure's text to one value per topic, in the order of `topics`
    (empty for tracks without topics). `answered` of `total` units (topics, or pairs) had an answer in
    the run; how many were missing is told to organisers only.
    """

    values: Mapping[str, float]
    undefined: Mapping[str, Message] = field(default_factory=dict)
    topics: tuple[str, ...] = ()
    per_topic: Mapping[str, FloatArray] = field(default_factory=dict)
    answered: int = 0
    total: int = 0


Scores = Mapping[str, TrackScores]
"""Track name to its scores; a track without gold is absent."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text in the languages of the site, by language code; ``str()`` gives the English."""

    by_language: Mapping[str, str]

    def __str__(self) -> str:
        return self.by_language["en"]

    def for_language(self, language: str) -> str:
        return self.by_language.get(language, self.by_language["en"])


@dataclass(frozen=True, slots=True)
class InputSpec:
    """A public file of a task that participants may download; `name` is its role (pairs, topics, …)."""

    name: str
    file: str
    title: Text


@dataclass(frozen=True, slots=True)
class TrackSpec:
    """One benchmark of a task with its own ranking.

    `gold` is the file name of the hidden benchmark, of which only values of at least `at_least` count
    where that is set. `measures` are texts as in `leaderboard.measures.names`; `primary` is the one that
    ranks, `higher_is_better` its direction, `digits` how many decimals are displayed (never what decides).
    `missing` is what an item scores that the run does not have. `public_values` says what everybody is told
    of values, a text as in `leaderboard.formats.public_values`.
    """

    name: str
    title: Text
    gold: str
    measures: tuple[str, ...]
    primary: str
    higher_is_better: bool = True
    digits: int = 4
    missing: float = 0.0
    at_least: float | None = None
    public_values: str = "exact"

    def more_is_better(self, measure: str) -> bool:
        """The direction is declared for what ranks; of any other measure more is taken to be better."""
        return self.higher_is_better if measure == self.primary else True


MOST_FINAL_RUNS = 20
"""So many runs a team may choose for a final standing at most."""


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """How a phase parts its gold: values on the public part are shown while it is open, the final standing is
    on the private part, from at most `final_runs` runs that each team chose.

    `public` is the share of units (topics, source words) in the public part, drawn by `seed`. `reveal` says
    when the final standing is shown: at the "closing" of the phase, or when its "organisers" show it.
    """

    public: float
    seed: int = 0
    final_runs: int = 2
    reveal: Literal["closing", "organisers"] = "closing"


@dataclass(frozen=True, slots=True)
class PhaseSpec:
    """A window of a task. Times are UTC; None means open-ended. None for a quota means no limit.

    `reveals` says what participants may see while the phase is open: "own" scores, the public "board",
    "per-topic" values. Without a `split` all gold is shown alike.
    """

    name: str
    title: Text
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    runs_per_day: int | None = None
    runs_in_all: int | None = None
    rejected_per_day: int | None = None
    reveals: tuple[str, ...] = ("own", "board")
    split: SplitSpec | None = None


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Where a file of the task is published: `url` at a pinned commit, the `file` name the task expects,
    its SHA-256, and whether it is a public "input" or "gold"."""

    url: str
    file: str
    sha256: str
    kind: Literal["input", "gold"]


CountingRule = Literal["best", "latest", "selected"]


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """A shared task as its ``task.toml`` declares it.

    `options` are the scorer's own settings (depth, relevance level, id pattern, …). `overall` names the
    way an overall ranking is made ("mean rank"), None where there is none. `counting` says which run of
    a team counts. `resource` names the resource built from the best runs ("mj"), None where there is none.
    `citation` is what to cite, for people; `bibtex` the same as BibTeX entries.
    """

    name: str
    folder: Path
    scorer: Path
    title: Text
    summary: Text
    tracks: tuple[TrackSpec, ...]
    inputs: tuple[InputSpec, ...] = ()
    phases: tuple[PhaseSpec, ...] = ()
    sources: tuple[SourceSpec, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    overall: str | None = None
    counting: CountingRule = "best"
    resource: str | None = None
    citation: str = ""
    bibtex: str = ""

    def track(self, name: str) -> TrackSpec:
        """The track of that name; raises KeyError."""
        for track in self.tracks:
            if track.name == name:
                return track
        raise KeyError(name)


class Gold(Protocol):
    """The hidden benchmarks of a task, read and checked; what is inside is the scorer's own business."""

    @property
    def topics(self) -> Mapping[str, tuple[str, ...]]:
        """For each track that was read, its topics in the order of all per-topic arrays, or ()."""
        ...


class Scorer(Protocol):
    """What a task's ``scorer.py`` offers, as module-level names."""

    VERSION: str
    """Changes whenever the same run and gold could get another score."""

    def check(self, spec: TaskSpec, path: Path, inputs: Path | None) -> Report:
        """Reads the file at `path` and judges its form against the public inputs in the folder `inputs`
        (None: those checks are left out). Never sees gold. Never raises for what a file contains."""
        ...

    def template(self, spec: TaskSpec, inputs: Path | None) -> Iterator[str]:
        """The lines of a filled-in example of a run, made from the public inputs, or a short one without."""
        ...

    def read_gold(self, spec: TaskSpec, files: Mapping[str, Path]) -> Gold:
        """Reads the gold of the given tracks (name to file). Raises FormatError naming file and line."""
        ...

    def score(self, spec: TaskSpec, run: Any, gold: Gold) -> Scores:
        """The scores of a run that `check` accepted, on every track that `gold` has."""
        ...


class PairScorer(Scorer, Protocol):
    """A scorer of word pairs, from whose runs a resource such as MJ can be built."""

    def pairs(self, gold: Gold) -> Mapping[str, tuple[tuple[str, str], ...]]:
        """For each track its pairs in the order of all arrays below; a pair given twice stands twice."""
        ...

    def values(self, spec: TaskSpec, run: Any, gold: Gold) -> Mapping[str, FloatArray]:
        """For each track the run's value of each pair as the scoring sees it; nan where it has none."""
        ...

    def given(self, spec: TaskSpec, run: Any, inputs: Path) -> FloatArray:
        """The values the run gives to pairs of the public input list, in no particular order."""
        ...

    def evaluate(self, spec: TaskSpec, track: str, values: FloatArray, gold: Gold) -> float:
        """The primary measure of a track for values in the order of `pairs`; nan scores as missing."""
        ...
