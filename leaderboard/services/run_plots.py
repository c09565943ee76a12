"""The plots of runs: topic by topic, two runs beside each other, the best value over time."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from leaderboard.analysis.comparison import gains
from leaderboard.contract import FloatArray, Message, TaskSpec, TrackSpec, say, say_count
from leaderboard.plots import Axis, Plot, Series
from leaderboard.plots.specification import ordered
from leaderboard.services.fields import TopicField
from leaderboard.services.run_pages import PerTopic
from leaderboard.services.team_history import Row, best_over_time


def topics(
    track: TrackSpec, measure: str, own: PerTopic, field: TopicField | None, run_name: str
) -> Plot | None:
    """A run's value of each topic, from the highest to the lowest, with the field's median and best where
    they may be seen; None where none has a value."""
    values = own.values[measure]
    order = _ordered(own.topics, values)
    if not order:
        return None
    names = tuple(own.topics[index] for index in order)
    positions = tuple(float(place) for place in range(len(order)))

    def sorted_series(numbers: FloatArray) -> tuple[float, ...]:
        return tuple(float(numbers[index]) for index in order)

    series = [Series(say("{run}", run=run_name), "own", "bars", positions, sorted_series(values), names)]
    if field is not None and field.topics == own.topics:
        median, best = sorted_series(field.median), sorted_series(field.best)
        best_of = say_count("best of {count} counted run", "best of {count} counted runs", field.runs)
        median_of = say_count("median of the run", "median of them", field.runs)
        series.append(Series(best_of, "best", "points", positions, best, names))
        series.append(Series(median_of, "median", "points", positions, median, names))
    return Plot(
        title=say("{measure} of each topic", measure=measure),
        words=_topic_words(values, field),
        x=Axis(_topic_count(len(order)), "order"),
        y=Axis(say("{measure}", measure=measure), low=0.0, high=1.0, digits=track.digits),
        series=tuple(series),
    )


def differences(
    track: TrackSpec, measure: str, own: PerTopic, other: PerTopic, names: tuple[str, str]
) -> Plot | None:
    """The first run's value minus the second's on each topic, from the most to the least; None where both
    have a value of none."""
    if own.topics != other.topics:
        return None
    gained = gains(own.values[measure], other.values[measure])
    order = _ordered(own.topics, gained)
    if not order:
        return None
    return Plot(
        title=say("{measure} of {first} minus {second}", measure=measure, first=names[0], second=names[1]),
        words=_difference_words(track, measure, gained, names),
        x=Axis(_topic_count(len(order)), "order", names=tuple(own.topics[index] for index in order)),
        y=Axis(say("difference of {measure}", measure=measure), digits=track.digits),
        series=(
            Series(
                say("{first} minus {second}", first=names[0], second=names[1]),
                "own",
                "bars",
                tuple(float(place) for place in range(len(order))),
                tuple(float(gained[index]) for index in order),
                tuple(own.topics[index] for index in order),
            ),
        ),
    )


def over_time(track: TrackSpec, rows: Sequence[Row]) -> Plot | None:
    """The team's runs on a track by the time of submission, and how the best that counts rose; None where no
    run has a value."""
    valued = [(row, value) for row in rows if (value := _primary(track, row)) is not None]
    steps = best_over_time(track, rows)
    if not valued:
        return None
    best = Series(
        say("best run that counts"),
        "own",
        "steps",
        tuple(moment.timestamp() for moment, _, _ in steps),
        tuple(value for _, value, _ in steps),
        tuple(row.summary.name for _, _, row in steps),
    )
    every = Series(
        say("every run"),
        "other",
        "points",
        tuple(row.summary.submitted_at.timestamp() for row, _ in valued),
        tuple(value for _, value in valued),
        tuple(row.summary.name for row, _ in valued),
    )
    return Plot(
        title=say("{measure} over time", measure=track.primary),
        words=_time_words(track, [value for _, value, _ in steps], len(valued)),
        x=Axis(say("time of submission (UTC)"), "time"),
        y=Axis(say("{measure}", measure=track.primary), digits=track.digits),
        series=(every, best),
    )


def drawn_tracks(spec: TaskSpec, rows: Sequence[Row]) -> tuple[TrackSpec, ...]:
    """The tracks on which some of the runs have a value."""
    return tuple(track for track in spec.tracks if any(_primary(track, row) is not None for row in rows))


def _primary(track: TrackSpec, row: Row) -> float | None:
    return row.values.get(track.name, {}).get(track.primary)


def _topic_count(count: int) -> Message:
    return say_count("{count} topic", "{count} topics, the highest value first", count)


def _ordered(topics: Sequence[str], values: FloatArray) -> tuple[int, ...]:
    """The topics from the highest value to the lowest, without those that the measure leaves out (nan)."""
    given = np.flatnonzero(~np.isnan(values)).tolist()
    order = ordered([topics[index] for index in given], values[given].tolist())
    return tuple(given[place] for place in order)


def _difference_words(track: TrackSpec, measure: str, gained: FloatArray, names: tuple[str, str]) -> Message:
    sign = 1 if track.more_is_better(measure) else -1
    better, worse = (int((sign * gained > 0).sum()), int((sign * gained < 0).sum()))
    equal = int((gained == 0).sum())
    words = say(
        "{first}; {second}; {equal}.",
        first=_better_on(names[0], better),
        second=_better_on(names[1], worse),
        equal=say_count("{count} topic is equal", "{count} topics are equal", equal),
    )
    if sign > 0:
        return words
    less = say(
        "Less {measure} is better, so bars below zero are in favour of {run}.", measure=measure, run=names[0]
    )
    return say("{words} {less}", words=words, less=less)


def _better_on(run: str, topics: int) -> Message:
    return say_count("{run} is better on {count} topic", "{run} is better on {count} topics", topics, run=run)


def _topic_words(values: FloatArray, field: TopicField | None) -> Message:
    count = int((~np.isnan(values)).sum())
    if field is None:
        return say_count(
            "A bar for the one topic.", "A bar for each of {count} topics, the highest first.", count
        )
    return say(
        "A bar for each of {count} topics, the highest first. Above the median of the runs that count on "
        "{above}, below it on {below}; as good as the best of them, or better, on {best}.",
        count=count,
        above=int((values > field.median).sum()),
        below=int((values < field.median).sum()),
        best=int((values >= field.best).sum()),
    )


def _time_words(track: TrackSpec, best: Sequence[float], runs: int) -> Message:
    if not best:
        return say_count("{count} run, which does not count.", "{count} runs, none of which counts.", runs)
    first, last = (Decimal(f"{value:.{track.digits}f}") for value in (best[0], best[-1]))
    if len(best) == 1:
        return say_count(
            "{count} run; the best has {last}.", "{count} runs; the best has {last}.", runs, last=last
        )
    return say_count(
        "{count} run.", "{count} runs; the best went from {first} to {last}.", runs, first=first, last=last
    )
