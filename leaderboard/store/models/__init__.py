"""The tables: columns and constraints, no verbs."""

from leaderboard.store.models.accounts import Letter, Role, User, UserSession
from leaderboard.store.models.analysis import BoardAnalysis, Resampling
from leaderboard.store.models.base import EXACT, PRIVATE, PUBLIC, SHOWN_SPLITS, WHOLE, Base
from leaderboard.store.models.judging import (
    Campaign,
    Judge,
    JudgingImport,
    JudgingItem,
    JudgingLink,
    JudgingTopic,
    JudgingUnit,
    Judgment,
)
from leaderboard.store.models.news import News, Notice
from leaderboard.store.models.organising import (
    Allowance,
    Archive,
    AuditEntry,
    Draft,
    DraftFailure,
    TaskSetting,
)
from leaderboard.store.models.probing import ProbingFinding, ProbingReport, RunSketch
from leaderboard.store.models.runs import Run, Score
from leaderboard.store.models.standings import FINAL, FROZEN, IN_TIME, POST_EVALUATION, Board, Stamp, Standing
from leaderboard.store.models.talk import Announcement, Question
from leaderboard.store.models.tasks import GoldVersion, InputFile, Phase, PhaseParts, Reference, Task
from leaderboard.store.models.teams import Invitation, Membership, Team
from leaderboard.store.models.tokens import ApiToken, RequestKey
from leaderboard.store.models.work import Consumer, Duty, Job, Resource

__all__ = [
    "EXACT",
    "FINAL",
    "FROZEN",
    "IN_TIME",
    "POST_EVALUATION",
    "PRIVATE",
    "PUBLIC",
    "SHOWN_SPLITS",
    "WHOLE",
    "Allowance",
    "Announcement",
    "ApiToken",
    "Archive",
    "AuditEntry",
    "Base",
    "Board",
    "BoardAnalysis",
    "Campaign",
    "Consumer",
    "Draft",
    "DraftFailure",
    "Duty",
    "GoldVersion",
    "InputFile",
    "Invitation",
    "Job",
    "Judge",
    "JudgingImport",
    "JudgingItem",
    "JudgingLink",
    "JudgingTopic",
    "JudgingUnit",
    "Judgment",
    "Letter",
    "Membership",
    "News",
    "Notice",
    "Phase",
    "PhaseParts",
    "ProbingFinding",
    "ProbingReport",
    "Question",
    "Reference",
    "RequestKey",
    "Resampling",
    "Resource",
    "Role",
    "Run",
    "RunSketch",
    "Score",
    "Stamp",
    "Standing",
    "Task",
    "TaskSetting",
    "Team",
    "User",
    "UserSession",
]
