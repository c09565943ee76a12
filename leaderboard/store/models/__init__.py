"""The tables: columns and constraints, no verbs."""

from leaderboard.store.models.base import WHOLE, Base
from leaderboard.store.models.runs import Run, Score, Team
from leaderboard.store.models.standings import Board, Standing
from leaderboard.store.models.tasks import GoldVersion, InputFile, Phase, Reference, Task
from leaderboard.store.models.work import Job, Resource

__all__ = [
    "WHOLE",
    "Base",
    "Board",
    "GoldVersion",
    "InputFile",
    "Job",
    "Phase",
    "Reference",
    "Resource",
    "Run",
    "Score",
    "Standing",
    "Task",
    "Team",
]
