"""What organisers ask for when they make a judging campaign, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal, get_args

from leaderboard.contract import TaskSpec, say
from leaderboard.judging.negatives import CONFIRMED_BY
from leaderboard.services.errors import ServiceError

Kind = Literal["preference", "grade", "relatedness", "negative"]
Procedure = Literal["tournament", "two-stage"]
State = Literal["preparing", "open", "paused", "finished"]
OpenTo = Literal["invited", "accounts", "anyone"]

HIGHEST_SEED = 2**31 - 1


class CampaignRefused(ServiceError):
    """The campaign cannot be as it was asked for."""


class UnknownCampaign(ServiceError):
    """The task has no such campaign."""


class NotNow(ServiceError):
    """In its present state the campaign does not allow that."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The numbers of a campaign.

    `procedure` decides which pairs of a topic are judged for its top `k`; F (`finalists`) and P (`pairings`)
    belong to the two stages. Each unit gets `redundancy` judgments. A judge gets a test in every `test_every`
    judgments (0: never), and is set aside when, after at least `tests_needed` of them, less than the share
    `threshold` is right. A pair that a judge has is kept for `lease`. Raises CampaignRefused.
    """

    procedure: Procedure = "two-stage"
    k: int = 5
    finalists: int = 9
    pairings: int = 7
    redundancy: int = 1
    test_every: int = 0
    tests_needed: int = 4
    threshold: float = 0.75
    lease: timedelta = timedelta(minutes=30)

    def __post_init__(self) -> None:
        if self.procedure not in get_args(Procedure):
            raise CampaignRefused(say("The procedure is tournament or two-stage."))
        if self.k < 1 or self.pairings < 1 or self.redundancy < 1 or self.tests_needed < 1:
            raise CampaignRefused(say("k, P, the judgments per pair and the tests needed are at least 1."))
        if self.finalists < self.k:
            raise CampaignRefused(
                say("F is at least k, or the final could not have k items; {k} here.", k=self.k)
            )
        if self.procedure == "tournament" and self.redundancy % 2 == 0:
            raise CampaignRefused(
                say("A tournament cannot go on after a tie. Please ask an odd number of judges per pair.")
            )
        if self.test_every < 0 or self.test_every == 1:
            raise CampaignRefused(say("At most every second judgment is a test; 0 means none."))
        if not 0 <= self.threshold <= 1:
            raise CampaignRefused(say("The share of tests that has to be right is between 0 and 1."))
        if not timedelta(minutes=1) <= self.lease <= timedelta(days=7):
            raise CampaignRefused(say("A pair is kept for a judge for one minute to seven days."))


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser asks for. `consent` and `instructions` are texts by language, empty for none; `price`
    is what a judgment costs, in hundredths; `budget` how many may be given in all, None for no limit."""

    title: str
    kind: Kind
    track: str | None = None
    settings: Settings = field(default_factory=Settings)
    seed: int = 1
    consent: Mapping[str, str] = field(default_factory=dict)
    instructions: Mapping[str, str] = field(default_factory=dict)
    open_to: OpenTo = "invited"
    price: int = 0
    budget: int | None = None


def check(spec: TaskSpec, plan: Plan) -> None:
    """Raises CampaignRefused for what no campaign of the task can be."""
    if not plan.title.strip():
        raise CampaignRefused(say("A campaign needs a title."))
    if plan.kind not in get_args(Kind) or plan.open_to not in get_args(OpenTo):
        raise CampaignRefused(say("There is no such kind of campaign."))
    if plan.track is not None and plan.track not in {track.name for track in spec.tracks}:
        raise CampaignRefused(say("The task {task} has no track {track}.", task=spec.name, track=plan.track))
    if plan.kind == "negative" and plan.settings.redundancy < CONFIRMED_BY:
        raise CampaignRefused(
            say("At least {count} annotators have to confirm a pair as unrelated.", count=CONFIRMED_BY)
        )
    if not 0 <= plan.seed <= HIGHEST_SEED:
        raise CampaignRefused(say("The seed is a number from 0 to {most}.", most=HIGHEST_SEED))
    if plan.price < 0 or (plan.budget is not None and plan.budget < 1):
        raise CampaignRefused(say("A price is not below 0, and a budget at least one judgment."))


def texts(given: Mapping[str, str]) -> dict[str, str]:
    """A text by language as it is kept. Raises CampaignRefused where it has no English version."""
    kept = {language: text.strip() for language, text in given.items() if text.strip()}
    if kept and "en" not in kept:
        raise CampaignRefused(say("A text for judges needs an English version at least."))
    return kept


def written(settings: Settings) -> dict[str, Any]:
    """The settings as a campaign's row keeps them."""
    return asdict(settings) | {"lease": settings.lease.total_seconds()}


def read_settings(kept: Mapping[str, Any]) -> Settings:
    """The settings that a campaign's row keeps."""
    return Settings(**{**kept, "lease": timedelta(seconds=kept["lease"])})


def steady(now: Settings, wanted: Settings) -> Settings:
    """The settings with only those changes that a running campaign bears."""
    return replace(
        now,
        test_every=wanted.test_every,
        tests_needed=wanted.tests_needed,
        threshold=wanted.threshold,
        lease=wanted.lease,
    )
