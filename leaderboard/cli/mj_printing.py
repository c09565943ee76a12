"""MJ as text for a terminal: who counts with which weight, Table 3, Table 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from leaderboard.cli.printing import aligned, shown
from leaderboard.contract import TaskSpec, say, say_count
from leaderboard.resources.mj import Related
from leaderboard.services.mj_combining import Table3, Values
from leaderboard.services.mj_pages import Mj
from leaderboard.services.mj_plans import Plan, TrackPlan

ABSENT = "–"


def plan_lines(spec: TaskSpec, plan: Plan) -> Iterator[str]:
    """For each track which run of which team counts with which weight, and who has no part in it."""
    for track in plan.tracks:
        declared = spec.track(track.track)
        yield str(
            say_count(
                "{track}: {title}; {count} run, gold version {version}, weights {weights}",
                "{track}: {title}; {count} runs, gold version {version}, weights {weights}",
                len(track.runs),
                track=track.track,
                title=declared.title,
                version=track.version.number,
                weights=plan.weighting,
            )
        )
        for line in aligned(
            [("place", "team", "run", declared.primary, "weight", "share"), *_rows(spec, track)], (0, 3, 4, 5)
        ):
            yield "  " + line
        for left in track.left_out:
            name = f"{left.team} ({left.name})" if left.name else left.team
            yield "  " + str(say("left out: {run}: {reason}", run=name, reason=left.reason or ""))
        yield ""


def _rows(spec: TaskSpec, track: TrackPlan) -> Iterator[tuple[str, ...]]:
    digits = spec.track(track.track).digits
    for run in track.runs:
        yield (
            str(run.place),
            run.team,
            run.name,
            _number(run.value, digits),
            f"{run.weight:.6g}",
            f"{100 * run.weight / track.whole:.1f} %",
        )


def table_3_lines(spec: TaskSpec, table: Table3) -> Iterator[str]:
    """The best single run of each track beside the combinations."""
    best = {track: single.value for track, single in table.best.items()}
    lines = [
        ("best single run", best),
        *((f"MJ, {weights}", line) for weights, line in table.combined.items()),
    ]
    yield from value_lines(spec, lines)
    yield ""
    for track, single in table.best.items():
        yield str(
            say("best single run on {track}: {run} of {team}", track=track, run=single.name, team=single.team)
        )


def file_lines(spec: TaskSpec, paths: Sequence[Path], lines: Sequence[Values]) -> Iterator[str]:
    """A line for each MJ file."""
    return value_lines(spec, list(zip(map(str, paths), lines, strict=True)))


def value_lines(spec: TaskSpec, lines: Sequence[tuple[str, Values]]) -> Iterator[str]:
    """A line for each name, a column for each track that one of them has a value for."""
    tracks = [track for track in spec.tracks if any(track.name in values for _, values in lines)]
    rows = [(name, *(_value(values, track.name, track.digits) for track in tracks)) for name, values in lines]
    header = ("", *(f"{track.name} {track.primary}" for track in tracks))
    return aligned([header, *rows], range(1, len(header)))


def listing_lines(spec: TaskSpec, builds: Sequence[Mj]) -> Iterator[str]:
    """A line for each build."""
    tracks = spec.tracks
    header = (
        "number",
        "weights",
        "phase",
        "built",
        "published",
        "runs",
        *(track.name for track in tracks),
        "file",
    )
    rows = [
        (
            str(build.number),
            build.weights,
            build.phase,
            f"{build.created_at:%Y-%m-%d %H:%M}",
            f"{build.published_at:%Y-%m-%d %H:%M}" if build.published_at else ABSENT,
            str(len({run.run_id for track in build.tracks for run in track.runs})),
            *(_value(build.line, track.name, track.digits) for track in tracks),
            build.long.file_name,
        )
        for build in builds
    ]
    return aligned([header, *rows], (0, *range(5, 6 + len(tracks))))


def related_lines(found: Related) -> Iterator[str]:
    """The most and the least related words, with what lies between left out."""
    between = found.total - len(found.most) - len(found.least)
    rows = [(word, f"{value:.6f}") for word, value in found.most]
    if between:
        rows.append(("…", str(say_count("{count} more word", "{count} more words", between))))
    rows += [(word, f"{value:.6f}") for word, value in found.least]
    yield found.word
    for line in aligned(rows, (1,)):
        yield "  " + line


def _value(values: Values, track: str, digits: int) -> str:
    return _number(values[track], digits) if track in values else ABSENT


def _number(value: float | None, digits: int) -> str:
    return shown(float("nan") if value is None else value, digits)
