"""The rules of a competition: in which phase a run falls, whether a team may send one more, which run of a
team counts, and who has which place.

Pure: plain values in, plain values out. Times are UTC and handed in; nothing here asks the clock.
"""

from leaderboard.rules.allowances import NOTHING, Grant, granted, window_of_team
from leaderboard.rules.phases import ANY_TIME, Window, phases_of, window
from leaderboard.rules.quotas import Attempts, Limit, Quota, day_of, quota
from leaderboard.rules.ranking import (
    TIE,
    Entry,
    Kind,
    MeanRank,
    Placed,
    bar,
    counted,
    mean_rank,
    place,
    place_of,
)

__all__ = [
    "ANY_TIME",
    "NOTHING",
    "TIE",
    "Attempts",
    "Entry",
    "Grant",
    "Kind",
    "Limit",
    "MeanRank",
    "Placed",
    "Quota",
    "Window",
    "bar",
    "counted",
    "day_of",
    "granted",
    "mean_rank",
    "phases_of",
    "place",
    "place_of",
    "quota",
    "window",
    "window_of_team",
]
