"""What judging found, as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from leaderboard.cli.printing import aligned
from leaderboard.judging.agreement import Level, TopGrades
from leaderboard.judging.simulation import Simulated
from leaderboard.services.judging_files import Agreement, Combined, Pooled, Reliability

SHOWN = 8
"""So many names are listed in a line."""

_Ungraded = Mapping[str, tuple[str, ...]]


def pool_lines(pooled: Pooled, k: int, ungraded: _Ungraded | None) -> Iterator[str]:
    """How many candidates there are, and where most and fewest."""
    extent = pooled.extent
    yield f"{extent.candidates} candidates for the top {k} of {len(pooled.pools)} topics"
    yield f"most in a topic: {extent.most} ({_names(extent.largest)})"
    yield f"topics with fewer than {k}: {len(extent.fewer)}{_listed(extent.fewer)}"
    yield f"of these without any: {len(extent.empty)}{_listed(extent.empty)}"
    below = sum(count for step, count in pooled.steps.items() if step > 0)
    yield f"below their topic's highest grade: {below} ({_percent(below, extent.candidates)})"
    for step, count in pooled.steps.items():
        yield f"  {step:g} below: {count} ({_percent(count, extent.candidates)})"
    if ungraded is not None:
        total = sum(map(len, ungraded.values()))
        yield f"items of the runs without a grade: {total} in {sum(map(bool, ungraded.values()))} topics"


def pool_document(pooled: Pooled, k: int, ungraded: _Ungraded | None) -> dict[str, Any]:
    """The same, with all candidates."""
    extent = pooled.extent
    document: dict[str, Any] = {
        "k": k,
        "candidates": extent.candidates,
        "topics": len(pooled.pools),
        "most": extent.most,
        "most_in": list(extent.largest),
        "fewer_than_k": list(extent.fewer),
        "empty": list(extent.empty),
        "steps_below_top": {f"{step:g}": count for step, count in pooled.steps.items()},
        "bound": pooled.bound,
        "pools": {topic: list(candidates) for topic, candidates in pooled.pools.items()},
    }
    if ungraded is not None:
        document["ungraded"] = {topic: list(candidates) for topic, candidates in ungraded.items()}
    return document


def bounds_lines(found: Mapping[int, Pooled]) -> Iterator[str]:
    """A line for each k."""
    rows = [(str(k), str(pooled.extent.candidates), str(pooled.bound)) for k, pooled in found.items()]
    yield from aligned([("k", "candidates", "judgments at most"), *rows], right=(0, 1, 2))


def bounds_document(found: Mapping[int, Pooled]) -> list[dict[str, int]]:
    """The same."""
    return [
        {"k": k, "candidates": pooled.extent.candidates, "bound": pooled.bound} for k, pooled in found.items()
    ]


def aggregate_lines(found: Combined, output: Path | None) -> Iterator[str]:
    """What the preferences are like, and what was made of them."""
    everything = [topic for topic, each in found.aggregated.items() if each.way == "all"]
    yield f"{found.judgments} judgments of {found.pairs} pairs in {len(found.aggregated)} topics"
    yield f"ranked by wins among all their items: {len(everything)} topics; the others among finalists"
    gaps = [topic for topic in everything if found.aggregated[topic].missing_pairs]
    if gaps:
        yield f"warning: not all pairs were compared in {len(gaps)} of these topics{_listed(gaps)}"
    if found.agreement.total:
        yield f"two judgments of a pair agree: {_percent(found.agreement.agreeing, found.agreement.total)}"
    transitive = sum(each.transitive for each in found.triples.values())
    total = sum(each.total for each in found.triples.values())
    if total:
        share = _percent(transitive, total)
        yield f"transitive triples: {share} of {total}; {total - transitive} are cycles"
    chosen = sum(len(each.levels) for each in found.aggregated.values())
    where = "" if output is None else f", in {output}"
    yield f"{chosen} items have a level, {sum(map(len, found.values.values()))} lines in all{where}"


def agreement_lines(found: Agreement) -> Iterator[str]:
    """Where the local answers stand, and how answers were graded."""
    sources = found.sources
    total = len(sources.among) + len(sources.absent)
    yield f"the local answer of {total} questions is"
    rows = [("a top answer of the crowd", sources.at_top), ("among its answers", sources.among)]
    rows.append(("not among them", sources.absent))
    cells = [(f"  {what}", str(len(topics)), _percent(len(topics), total)) for what, topics in rows]
    yield from aligned(cells, right=(1, 2))
    for name, grades in (("crowd", found.crowd_grades), ("local", found.local_grades)):
        if grades is not None:
            yield from _grade_lines(name, grades)


def _grade_lines(name: str, grades: TopGrades) -> Iterator[str]:
    yield f"answers of {name} by how far below their question's highest grade they are"
    steps = sorted({*grades.first, *grades.all}, key=lambda step: math.inf if step is None else step)
    first, every = sum(grades.first.values()), sum(grades.all.values())
    rows = [
        (
            "  no grade" if step is None else f"  {step:g}",
            str(grades.first.get(step, 0)),
            _percent(grades.first.get(step, 0), first),
            str(grades.all.get(step, 0)),
            _percent(grades.all.get(step, 0), every),
        )
        for step in steps
    ]
    yield from aligned([("", "top", "", "all", ""), *rows], right=(1, 2, 3, 4))


def agreement_document(found: Agreement) -> dict[str, Any]:
    """The same, with topics."""
    document: dict[str, Any] = {
        "at_top": list(found.sources.at_top),
        "among": list(found.sources.among),
        "absent": list(found.sources.absent),
    }
    for name, grades in (("crowd", found.crowd_grades), ("local", found.local_grades)):
        if grades is not None:
            document[name] = {
                "top": {_step(step): count for step, count in grades.first.items()},
                "all": {_step(step): count for step, count in grades.all.items()},
                "share_of_top_with_highest_grade": _finite(grades.share_of_first),
                "share_of_all_with_highest_grade": _finite(grades.share_of_all),
            }
    return document


def alpha_lines(found: Reliability, level: Level) -> Iterator[str]:
    """Alpha, and what it was computed from."""
    yield f"{found.ratings} ratings of {found.units} items by {found.judges} judges"
    if math.isnan(found.alpha):
        yield f"alpha ({level}): undefined, for no item was rated twice or all ratings are the same"
    else:
        yield f"alpha ({level}): {found.alpha:.4f}"
    if found.agreement.total:
        share = _percent(found.agreement.agreeing, found.agreement.total)
        yield f"two ratings of an item are equal: {share} of {found.agreement.total}"


def alpha_document(found: Reliability, level: Level) -> dict[str, Any]:
    """The same."""
    return {
        "level": level,
        "alpha": _finite(found.alpha),
        "items": found.units,
        "judges": found.judges,
        "ratings": found.ratings,
        "equal": found.agreement.agreeing,
        "compared": found.agreement.total,
    }


def simulation_lines(rows: Sequence[Simulated]) -> Iterator[str]:
    """A line for each procedure, size and error rate."""
    head = ("procedure", "candidates", "error", "top k found", "best at top", "judgments")
    cells = [
        (
            str(row.procedure),
            str(row.size),
            f"{100 * row.error:g} %",
            f"{100 * row.found:.1f} %",
            f"{100 * row.best:.1f} %",
            f"{row.judgments:.1f}",
        )
        for row in rows
    ]
    yield from aligned([head, *cells], right=(1, 2, 3, 4, 5))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _step(step: float | None) -> str:
    return "no grade" if step is None else f"{step:g}"


def _names(names: Sequence[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")


def _listed(names: Sequence[str]) -> str:
    return f" ({_names(names)})" if names else ""
