"""Any measure that is not ours, computed by ir-measures (bpref, infAP, ERR@20, RBP, …)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import ir_measures
import numpy as np
import pandas as pd
from ir_measures.measures import Measure as OutsideMeasure

from leaderboard.measures.names import Measure
from leaderboard.measures.ranking import FloatArray

_SPELLING = {name.lower(): name for name in ir_measures.measures.registry}
"""People write bpref, ir-measures Bpref."""

_PROVIDER = ir_measures.DefaultPipeline


def require(measure: Measure) -> None:
    """Raises ValueError for a measure that ir-measures does not know or cannot compute here."""
    _outside(measure, relevance_level=1)


def evaluate(
    measures: Sequence[Measure],
    topics: Sequence[str],
    qrels: pd.DataFrame,
    run: pd.DataFrame,
    relevance_level: int = 1,
) -> list[FloatArray]:
    """For each measure one value a topic, in the order of `topics`.

    `qrels` has the columns query_id, doc_id and relevance (whole numbers), `run` has query_id, doc_id and
    score, where a higher score comes first; ties are broken as ir-measures' provider does, so give scores
    made from ranks. `relevance_level` is used by measures that have a parameter ``rel`` and do not name
    it. A topic without results scores 0. Raises ValueError as `require` does.
    """
    outside = [_outside(measure, relevance_level) for measure in measures]
    number = {topic: str(index) for index, topic in enumerate(topics)}
    values = {measure: np.zeros(len(topics)) for measure in outside}
    for metric in _PROVIDER.iter_calc(list(values), _numbered(qrels, number), _numbered(run, number)):
        values[metric.measure][int(metric.query_id)] = metric.value
    return [values[measure] for measure in outside]


def _numbered(rows: pd.DataFrame, number: Mapping[str, str]) -> pd.DataFrame:
    """The rows of known topics, with numbers for names: gdeval, behind ERR@k, reads no other topics."""
    numbered = rows.assign(query_id=rows["query_id"].map(number))
    return numbered.dropna(subset=["query_id"])


def _outside(measure: Measure, relevance_level: int) -> OutsideMeasure:
    text = str(measure)
    name = _SPELLING.get(measure.name.lower(), measure.name)
    try:
        outside = ir_measures.parse_measure(name + text[len(measure.name) :])
    except (NameError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{measure} is a measure of neither this project nor ir-measures") from error
    if relevance_level != 1 and "rel" in outside.SUPPORTED_PARAMS and "rel" not in outside.params:
        outside = outside(rel=relevance_level)
    if not _is_computable(outside):
        raise ValueError(
            f"{measure} cannot be computed here: ir-measures lacks a program for it, "
            "or the measure a parameter (such as the cutoff of Success@5)"
        )
    return outside


def _is_computable(outside: OutsideMeasure) -> bool:
    try:
        return bool(_PROVIDER.supports(outside))
    except AssertionError:
        # What ir-measures says of a parameter that has no default and was not given.
        return False
