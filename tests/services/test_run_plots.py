"""Plots of runs, topic by topic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leaderboard.contract import Text, TrackSpec
from leaderboard.services import run_plots
from leaderboard.services.run_pages import PerTopic

TRACK = TrackSpec("graded", Text({"en": "Graded"}), "graded.qrels", ("compat(p=0.8)",), "compat(p=0.8)")
TOPICS = ("31_1", "31_2", "31_3", "31_4")


def by_topic(*values: float) -> PerTopic:
    return PerTopic(TOPICS, {TRACK.primary: np.array(values)})


def test_a_topic_that_the_measure_leaves_out_is_neither_a_bar_nor_a_tie() -> None:
    first, second = by_topic(0.1, np.nan, 0.2, 0.6), by_topic(0.3, np.nan, 0.2, 0.1)

    plot = run_plots.differences(TRACK, TRACK.primary, first, second, ("A", "B"))

    assert plot is not None
    assert plot.series[0].names == ("31_4", "31_3", "31_1")
    assert np.isfinite(plot.series[0].y).all()
    assert str(plot.words) == "A is better on 1 topic; B is better on 1 topic; 1 topic is equal."
    assert plot.x.names == plot.series[0].names


def test_where_less_is_better_the_words_say_so() -> None:
    track = replace(TRACK, higher_is_better=False)
    first, second = by_topic(0.1, 0.1, 0.2, 0.3), by_topic(0.3, 0.3, 0.2, 0.1)

    plot = run_plots.differences(track, track.primary, first, second, ("A", "B"))

    assert plot is not None
    assert str(plot.words) == (
        "A is better on 2 topics; B is better on 1 topic; 1 topic is equal. "
        "Less compat(p=0.8) is better, so bars below zero are in favour of A."
    )


def test_a_run_has_a_bar_for_each_topic_with_a_value() -> None:
    plot = run_plots.topics(TRACK, TRACK.primary, by_topic(0.1, np.nan, 0.2, 0.6), None, "A")

    assert plot is not None
    assert plot.series[0].names == ("31_4", "31_3", "31_1")
    assert str(plot.words) == "A bar for each of 3 topics, the highest first."


def test_without_any_value_there_is_no_plot() -> None:
    nothing = by_topic(*[np.nan] * len(TOPICS))

    assert run_plots.topics(TRACK, TRACK.primary, nothing, None, "A") is None
    assert run_plots.differences(TRACK, TRACK.primary, nothing, nothing, ("A", "B")) is None
