"""The tables: columns and constraints, no verbs."""

from leaderboard.store.models.accounts import Letter, Role, User, UserSession
from leaderboard.store.models.base import WHOLE, Base
from leaderboard.store.models.news import News, Notice
from leaderboard.store.models.runs import Run, Score
from leaderboard.store.models.standings import IN_TIME, POST_EVALUATION, Board, Standing
from leaderboard.store.models.tasks import GoldVersion, InputFile, Phase, Reference, Task
from leaderboard.store.models.teams import Invitation, Membership, Team
from leaderboard.store.models.tokens import ApiToken, RequestKey
from leaderboard.store.models.work import Job, Resource

__all__ = [
    "IN_TIME",
    "POST_EVALUATION",
    "WHOLE",
    "ApiToken",
    "Base",
    "Board",
    "GoldVersion",
    "InputFile",
    "Invitation",
    "Job",
    "Letter",
    "Membership",
    "News",
    "Notice",
    "Phase",
    "Reference",
    "RequestKey",
    "Resource",
    "Role",
    "Run",
    "Score",
    "Standing",
    "Task",
    "Team",
    "User",
    "UserSession",
]
