"""Scores runs of word pairs: human judgments, a thesaurus and associations, as RUSSE does."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from leaderboard.contract import (
    Fault,
    FloatArray,
    FormatError,
    Message,
    Report,
    Scores,
    TaskSpec,
    TrackScores,
    TrackSpec,
    say,
)
from leaderboard.formats.faults import FaultList, Refused
from leaderboard.formats.pair_list import PairList, given_values, judge, judge_repeats, read_pair_list
from leaderboard.formats.pairs import MAX_BYTES, Pairs, PairsRun, read_pairs
from leaderboard.formats.upload import unpack
from leaderboard.measures.names import Measure, parse
from leaderboard.measures.relatedness import BINARY, CORRELATIONS, Words, evaluate_each, require_known
from leaderboard.measures.resampled import MEASURES as RESAMPLED
from leaderboard.measures.resampled import resampled as in_draws
from leaderboard.scorers import Answers, OwnValues, Stratum

VERSION = "1"

_TEMPLATE_VALUES = ("0.75", "0.5", "0.25")
_TEMPLATE_PAIRS = (("кошка", "собака"), ("кошка", "животное"), ("кошка", "интеграл"))


@dataclass(frozen=True, eq=False)
class PairGold(Pairs):
    """The gold of one track in file order: the pairs and their values."""

    value: FloatArray

    @cached_property
    def words(self) -> Words:
        """The words as numbers in the order of the words."""
        columns = (np.array(column.to_pylist(), dtype=str) for column in (self.word1, self.word2))
        word1, word2 = (np.unique(column, return_inverse=True)[1] for column in columns)
        return Words(word1, word2)


@dataclass(frozen=True, eq=False)
class RusseGold:
    """The gold of the tracks that were read, and all their pairs in one column for one look-up a run."""

    tracks: Mapping[str, PairGold]

    @property
    def topics(self) -> Mapping[str, tuple[str, ...]]:
        return dict.fromkeys(self.tracks, ())

    @cached_property
    def all_pairs(self) -> Pairs:
        golds = self.tracks.values()
        none = pa.array([], pa.string())
        return Pairs(
            pa.concat_arrays([none, *(gold.word1 for gold in golds)]),
            pa.concat_arrays([none, *(gold.word2 for gold in golds)]),
        )


def check(spec: TaskSpec, path: Path, inputs: Path | None) -> Report:
    """Reads the run at `path`, beside the public pair list in the folder `inputs` where it is there."""
    listed = _pair_list(spec, inputs)
    try:
        unpacked = unpack(path, max_bytes=MAX_BYTES)
    except Refused as refused:
        return Report(None, refused.faults, len(refused.faults))
    found = read_pairs(unpacked.content, listed.knows_words_of if listed is not None else None)
    notes = unpacked.notes + found.notes
    left_out = () if listed is not None else (_without_list(spec),)
    if found.run is None:
        return _refused(found.faults, notes, left_out)
    notes += judge_repeats(found.run)
    if listed is not None:
        judged = judge(found.run, listed)
        notes += tuple(judged.notes)
        if judged.faults.count:
            return _refused(judged.faults, notes, left_out)
    return Report(found.run, notes=notes, left_out=left_out)


def template(spec: TaskSpec, inputs: Path | None) -> Iterator[str]:
    """A run over the public pair list with made-up values, or over three pairs without it."""
    listed = _pair_list(spec, inputs)
    pairs: Iterator[tuple[str, str]] = iter(_TEMPLATE_PAIRS)
    if listed is not None:
        pairs = iter(listed.to_list())
    yield "word1,word2,sim"
    for place, (word1, word2) in enumerate(pairs):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow((word1, word2, _TEMPLATE_VALUES[place % 3]))
        yield line.getvalue()


def read_gold(spec: TaskSpec, files: Mapping[str, Path]) -> RusseGold:
    """Reads the gold of the given tracks, files of the same form as a run.

    Raises FormatError naming file and line: for what a run would be refused for, an empty value, and a
    track whose measures could not tell runs apart by it; and for a measure in task.toml that is none.
    """
    for name in files:
        _require_known(spec.track(name))
    return RusseGold({name: _read_track(spec.track(name), path) for name, path in files.items()})


def score(spec: TaskSpec, run: PairsRun, gold: RusseGold) -> Scores:
    """All measures of every track in `gold`. A pair the run lacks scores the track's `missing`."""
    by_track = values(spec, run, gold)
    return {name: _score_track(spec.track(name), by_track[name], held) for name, held in gold.tracks.items()}


def pairs(gold: RusseGold) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """For each track its pairs in the gold's order."""
    return {name: tuple(held.to_list()) for name, held in gold.tracks.items()}


def values(spec: TaskSpec, run: PairsRun, gold: RusseGold) -> Mapping[str, FloatArray]:  # noqa: ARG001 - the contract's signature
    """For each track the run's value of each pair of `pairs`: the last one given, nan where there is none."""
    rows, _ = run.find(gold.all_pairs)
    found = run.values_at(rows)
    ends = np.cumsum([len(held.value) for held in gold.tracks.values()])
    return dict(zip(gold.tracks, np.split(found, ends[:-1]), strict=True))


def given(spec: TaskSpec, run: PairsRun, inputs: Path) -> FloatArray:
    """The values the run gives to pairs of the public list. Raises OSError where the list is not there."""
    return given_values(run, read_pair_list(inputs / _list_file(spec)))


def evaluate(spec: TaskSpec, track: str, values: FloatArray, gold: RusseGold) -> float:
    """The primary measure of a track for values in the order of `pairs`; nan scores as missing."""
    declared = spec.track(track)
    return _evaluate((parse(declared.primary),), declared, values, gold.tracks[track])[declared.primary]


def units(spec: TaskSpec, track: str, measure: str, gold: RusseGold) -> int:  # noqa: ARG001 - the contract's signature
    """Pairs for a correlation; source words, whole, for what is measured over a list of related words."""
    if parse(measure).name not in RESAMPLED:
        return 0
    unit = _units(measure, gold.tracks[track])
    return int(unit.max()) + 1 if len(unit) else 0


def resampled(
    spec: TaskSpec, run: PairsRun, gold: RusseGold, track: str, measure: str, draws: NDArray[np.int32]
) -> FloatArray:
    """The value of a measure in each draw of pairs or source words."""
    held, declared = gold.tracks[track], spec.track(track)
    found = run.values_at(run.find(held)[0])
    filled = np.where(np.isnan(found), declared.missing, found)
    return in_draws(parse(measure), filled, held.value, _units(measure, held), draws)


def parting(spec: TaskSpec, gold: RusseGold) -> Mapping[str, Mapping[str, Stratum]]:
    """Source words, each with all its pairs, alike by how many related words they have."""
    return {name: _source_words(held, spec.track(name)) for name, held in gold.tracks.items()}


def part(spec: TaskSpec, gold: RusseGold, kept: Set[str]) -> RusseGold:  # noqa: ARG001 - the contract's signature
    """The pairs whose first word is among these."""
    value_set = pa.array(sorted(kept), pa.string())
    return RusseGold(
        {name: _rows(held, pc.is_in(held.word1, value_set)) for name, held in gold.tracks.items()}
    )


def own_values(spec: TaskSpec, run: PairsRun, inputs: Path) -> OwnValues:
    """The run's value of each pair of the public list, grouped by source word. Raises OSError without it."""
    listed = read_pair_list(inputs / _list_file(spec))
    words, group = np.unique(np.array(listed.word1.to_pylist(), dtype=str), return_inverse=True)
    names = [f"{word1} – {word2}" for word1, word2 in listed.to_list()]
    return OwnValues(run.values_at(run.find(listed)[0]), names, group, words.tolist())


def answers(spec: TaskSpec, run: PairsRun) -> Answers:  # noqa: ARG001 - the contract's signature
    """The value that counts of each pair that has one; 0.0 and -0.0 are one answer."""
    value = run.sim[run.last_row] + 0.0
    given = ~np.isnan(value)
    units = run.coded.dictionary.filter(pa.array(given)).to_pylist()
    return Answers(units, value[given].view(np.uint64), values=value[given])


def _source_words(gold: PairGold, track: TrackSpec) -> Mapping[str, Stratum]:
    names, word = np.unique(np.array(gold.word1.to_pylist(), dtype=str), return_inverse=True)
    binary = any(parse(text).name in BINARY for text in track.measures)
    related = np.bincount(word, weights=gold.value if binary else None, minlength=len(names))
    mean = np.bincount(word, weights=gold.value, minlength=len(names)) / np.bincount(word)
    return {name: (float(related[row]), float(mean[row])) for row, name in enumerate(names.tolist())}


def _rows(gold: PairGold, mask: pa.BooleanArray) -> PairGold:
    return PairGold(
        gold.word1.filter(mask), gold.word2.filter(mask), gold.value[mask.to_numpy(zero_copy_only=False)]
    )


def _units(measure: str, gold: PairGold) -> NDArray[np.intp]:
    """The number of each pair's unit."""
    if parse(measure).name in CORRELATIONS:
        return np.arange(len(gold.value))
    return np.asarray(gold.words.word1, dtype=np.intp)


def _score_track(track: TrackSpec, values: FloatArray, gold: PairGold) -> TrackScores:
    scores = _evaluate(tuple(parse(text) for text in track.measures), track, values, gold)
    undefined = {text: _undefined(values, gold) for text, value in scores.items() if np.isnan(value)}
    answered = int(np.count_nonzero(~np.isnan(values)))
    return TrackScores(scores, undefined, answered=answered, total=len(values))


def _evaluate(
    measures: tuple[Measure, ...], track: TrackSpec, values: FloatArray, gold: PairGold
) -> Mapping[str, float]:
    if len(np.unique(gold.value)) < 2:
        # Whole gold is refused where it is so; a part of it may be.
        return {str(measure): float("nan") for measure in measures}
    filled = np.where(np.isnan(values), track.missing, values)
    return evaluate_each(measures, filled, gold.value, gold.words)


def _undefined(values: FloatArray, gold: PairGold) -> Message:
    if len(np.unique(gold.value)) < 2:
        return say(
            "All values of this part of the benchmark are the same, so that it cannot tell runs apart."
        )
    if np.isnan(values).all():
        return say("The run has no value for any pair of this track, so there is nothing to correlate.")
    return say("All pairs of this track have the same value, and a constant cannot be correlated.")


def _require_known(track: TrackSpec) -> None:
    try:
        for text in (*track.measures, track.primary):
            require_known(parse(text))
    except ValueError as error:
        fault = Fault(None, None, say("{reason}.", reason=str(error)), "unknown-measure")
        raise FormatError("task.toml", (fault,)) from error


def _read_track(track: TrackSpec, path: Path) -> PairGold:
    found = read_pairs(path.read_bytes())
    run, faults = found.run, found.faults
    if run is None:
        raise FormatError(path.name, faults.all_told())
    for row in np.flatnonzero(np.isnan(run.sim)).tolist():
        faults.add(
            int(run.line[row]), None, say("sim is empty. Every pair of the gold needs a value."), "gold"
        )
    kept = np.isfinite(run.sim)
    if track.at_least is not None:
        kept &= run.sim >= track.at_least
    if not faults.count:
        _judge_gold(track, run, kept, faults)
    if faults.count:
        raise FormatError(path.name, faults.all_told())
    mask = pa.array(kept)
    return PairGold(run.word1.filter(mask), run.word2.filter(mask), run.sim[kept])


def _judge_gold(track: TrackSpec, run: PairsRun, kept: np.ndarray, faults: FaultList) -> None:
    measures = [parse(text) for text in (*track.measures, track.primary)]
    if any(measure.name in BINARY for measure in measures):
        for row in np.flatnonzero(kept & (run.sim != 0) & (run.sim != 1)).tolist():
            message = say(
                "sim is {value}; the measures of this track need 0 or 1.", value=float(run.sim[row])
            )
            faults.add(int(run.line[row]), None, message, "gold")
    if len(np.unique(run.sim[kept])) < 2:
        message = say("All values are the same, so that no measure could tell runs apart.")
        faults.add(None, None, message, "gold")


def _pair_list(spec: TaskSpec, inputs: Path | None) -> PairList | None:
    """The public list, None where it is not at hand. Raises FormatError where it cannot be read."""
    if inputs is None or not (path := inputs / _list_file(spec)).is_file():
        return None
    return read_pair_list(path)


def _list_file(spec: TaskSpec) -> str:
    for declared in spec.inputs:
        if declared.name == "pairs":
            return declared.file
    raise FormatError(
        "task.toml",
        (Fault(None, None, say("No input is named “pairs”, the list to be filled in."), "inputs"),),
    )


def _without_list(spec: TaskSpec) -> Message:
    return say(
        "Whether the pairs are those of the input list was not checked, as {file} is not at hand: missing, "
        "unknown, misspelt and reversed pairs are not reported, and Windows-1251 is not recognised.",
        file=_list_file(spec),
    )


def _refused(faults: FaultList, notes: tuple[Message, ...], left_out: tuple[Message, ...]) -> Report:
    return Report(None, tuple(faults.first), faults.count, notes=notes, left_out=left_out)
