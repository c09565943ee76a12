"""The tables of a study: what each measure is worth, and the values of the runs."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.analysis.study import Assessed
from leaderboard.services.export_cells import guarded
from leaderboard.services.exports import Sheet, as_latex, as_text
from leaderboard.services.studies import Study

_NOTHING = "–"


@dataclass(frozen=True, slots=True)
class Line:
    """A measure in the paper's Table 1. Shares are of the `pairs` of runs that have a value, from 0 to 1."""

    track: str
    measure: str
    units: int
    pairs: int
    plain: float
    bonferroni: float
    holm: float
    tau: float
    overlap: float


def lines(study: Study) -> tuple[Line, ...]:
    """The paper's Table 1, a line for each column of the study."""
    return tuple(
        _line(column.track.name, column.measure, found)
        for column, found in zip(study.columns, study.assessed, strict=True)
    )


def _line(track: str, measure: str, found: Assessed) -> Line:
    told = found.sensitivity
    return Line(
        track=track,
        measure=measure,
        units=found.units,
        pairs=told.pairs,
        plain=told.share(told.plain),
        bonferroni=told.share(told.bonferroni),
        holm=told.share(told.holm),
        tau=found.tau,
        overlap=found.overlap,
    )


def measures_csv(study: Study) -> str:
    """Table 1 at full precision."""
    head = ("track", "measure", "units", "pairs", "p<.05", "bonferroni", "holm", "tau_b", "rbo(p=0.9)")
    rows = [
        (
            one.track,
            one.measure,
            str(one.units),
            str(one.pairs),
            *map(_exact, (one.plain, one.bonferroni, one.holm, one.tau, one.overlap)),
        )
        for one in lines(study)
    ]
    return _csv([head, *rows])


def runs_csv(study: Study) -> str:
    """The value of each run by each column with the ends of its interval, at full precision."""
    head = ["run", "team"]
    for column in study.columns:
        head += [column.name, f"{column.name} from", f"{column.name} to"]
    rows = []
    for number, run in enumerate(study.runs):
        row = [run.name, run.team]
        for found in study.assessed:
            interval = found.intervals[number]
            row += [_exact(found.values[number]), _exact(interval.low), _exact(interval.high)]
        rows.append(row)
    return _csv([head, *rows])


def measures_sheet(study: Study) -> Sheet:
    """Table 1 as people read it."""
    rows = tuple(
        (
            one.track,
            one.measure,
            str(one.units),
            *(_percent(share) for share in (one.plain, one.bonferroni, one.holm)),
            _three(one.tau),
            _three(one.overlap),
        )
        for one in lines(study)
    )
    return Sheet(
        title=f"{study.task}: what measures tell apart",
        stamp=f"{len(study.runs)} runs, {_pairs(study.pairs)} of them; "
        f"agreement with {study.columns[0].name}.",
        columns=(
            "track",
            "measure",
            "units",
            "p < .05, %",
            "Bonferroni, %",
            "Holm, %",
            "tau",
            "RBO(p=0.9)",
        ),
        numeric=(False, False, True, True, True, True, True, True),
        rows=rows,
        references=(),
        remarks=tuple(
            f"{one.measure} on {one.track}: of {_pairs(one.pairs)}, for runs without a value are in none."
            for one in lines(study)
            if one.pairs != study.pairs
        ),
    )


def runs_sheet(study: Study) -> Sheet:
    """The runs as people read them, the best by the first column first."""
    order = sorted(range(len(study.runs)), key=lambda row: _sort_key(study, row))
    rows = tuple(
        (
            study.runs[row].name,
            *(
                _with_interval(found, row, column.track.digits)
                for column, found in zip(study.columns, study.assessed, strict=True)
            ),
        )
        for row in order
    )
    return Sheet(
        title=f"{study.task}: runs",
        stamp="With 95 % bootstrap intervals.",
        columns=("run", *(column.name for column in study.columns)),
        numeric=(False, *(True for _ in study.columns)),
        rows=rows,
        references=(),
        remarks=(),
    )


def text(study: Study) -> str:
    """Table 1 for a terminal."""
    return as_text(measures_sheet(study))


def latex(sheet: Sheet) -> str:
    """A table for a paper."""
    return as_latex(sheet)


def _sort_key(study: Study, row: int) -> tuple[bool, float, str]:
    value = study.assessed[0].values[row]
    sign = -1.0 if study.columns[0].higher_is_better else 1.0
    return math.isnan(value), 0.0 if math.isnan(value) else sign * value, study.runs[row].name


def _with_interval(found: Assessed, row: int, digits: int) -> str:
    value, interval = found.values[row], found.intervals[row]
    if math.isnan(value):
        return _NOTHING
    if math.isnan(interval.low):
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} ({interval.low:.{digits}f}, {interval.high:.{digits}f})"


def _pairs(count: int) -> str:
    return f"{count} pair" if count == 1 else f"{count} pairs"


def _percent(share: float) -> str:
    return _NOTHING if math.isnan(share) else f"{100 * share:.1f}"


def _three(value: float) -> str:
    return _NOTHING if math.isnan(value) else f"{value:.3f}"


def _exact(value: float) -> str:
    return "" if math.isnan(value) else repr(float(value))


def _csv(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([guarded(cell) for cell in row] for row in rows)
    return out.getvalue()
