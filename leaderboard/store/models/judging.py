"""Judging campaigns: what is judged, by whom, and every answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, Text, UniqueConstraint, false, text
from sqlalchemy.orm import Mapped, mapped_column

from leaderboard.store.models.base import Base, one_of


class Campaign(Base):
    """Judging with one purpose. The row is what changes to its work lock.

    `kind` says what judges give: a *preference* between two items, a *grade* of one, the *relatedness* of two
    words, or whether these are *negative* (unrelated). `settings` holds the procedure's numbers; all chance
    comes from `seed`. `track` is the one whose gold the result may become, `gold_version_id` the version that
    it started from. `consent` and `instructions` are texts by language. `budget` is how many judgments
    may be given in all (None: no limit), `price` what one costs, in hundredths. `open_to` says who may judge
    besides those with an invitation.
    """

    __tablename__ = "campaign"
    __table_args__ = (
        UniqueConstraint("task_id", "number"),
        one_of("kind", ("preference", "grade", "relatedness", "negative")),
        one_of("state", ("preparing", "open", "paused", "finished")),
        one_of("open_to", ("invited", "accounts", "anyone")),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id"))
    number: Mapped[int]
    title: Mapped[str]
    kind: Mapped[str]
    track: Mapped[str | None]
    gold_version_id: Mapped[int | None] = mapped_column(ForeignKey("gold_version.id"))
    settings: Mapped[dict[str, Any]]
    seed: Mapped[int]
    consent: Mapped[dict[str, Any]]
    instructions: Mapped[dict[str, Any]]
    open_to: Mapped[str]
    price: Mapped[int]
    budget: Mapped[int | None]
    state: Mapped[str]
    made_at: Mapped[datetime]
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    opened_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class JudgingTopic(Base):
    """A question of a campaign, with the `conversation` before it. Pairs of words stand under one topic
    without a name. It is done (`done_at`) when nothing of it needs to be judged any more."""

    __tablename__ = "judging_topic"
    __table_args__ = (UniqueConstraint("campaign_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    name: Mapped[str]
    position: Mapped[int]
    question: Mapped[str] = mapped_column(Text, default="", server_default="")
    conversation: Mapped[list[str]]
    done_at: Mapped[datetime | None]


class JudgingItem(Base):
    """A candidate of a topic. Its `grade` is never shown to a judge; `text` is None until it is imported."""

    __tablename__ = "judging_item"
    __table_args__ = (UniqueConstraint("topic_id", "docno"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    topic_id: Mapped[int] = mapped_column(ForeignKey("judging_topic.id"))
    docno: Mapped[str]
    grade: Mapped[float | None]
    text: Mapped[str | None] = mapped_column(Text)


class JudgingUnit(Base):
    """What is judged at once: a pair of items (`first` sorts before `second`), an item alone (`second` is
    empty), or a pair of words in their order.

    `wanted` judgments are needed of it while it is `needed`; `taken` are given or with a judge now, `given`
    of these are there. A test has a known `answer`; everybody may get it, and it decides nothing. `label`
    is what a pair of words was listed as (1 related, 0 not), where it was.
    """

    __tablename__ = "judging_unit"
    __table_args__ = (
        UniqueConstraint("topic_id", "first", "second", "is_test"),
        CheckConstraint("taken <= wanted", name="taken"),
        CheckConstraint("given <= taken AND given >= 0", name="given"),
        CheckConstraint("is_test = (answer IS NOT NULL)", name="test"),
        Index("ix_judging_unit_campaign", "campaign_id", "needed"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    topic_id: Mapped[int] = mapped_column(ForeignKey("judging_topic.id"))
    first: Mapped[str]
    second: Mapped[str] = mapped_column(default="", server_default="")
    is_test: Mapped[bool] = mapped_column(default=False, server_default=false())
    answer: Mapped[str | None]
    label: Mapped[int | None]
    wanted: Mapped[int]
    taken: Mapped[int] = mapped_column(default=0, server_default="0")
    given: Mapped[int] = mapped_column(default=0, server_default="0")
    needed: Mapped[bool]


class Judge(Base):
    """Somebody who judges in a campaign: with an account, or known by a secret word in a cookie, of which
    only the SHA-256 is kept. One whose work was imported has a `name` and a secret word that nobody knows.
    `device` tells that two judges seem to use the same browser. The work of one who was set aside
    (`set_aside_at`) does not count."""

    __tablename__ = "judge"
    __table_args__ = (
        UniqueConstraint("campaign_id", "user_id"),
        CheckConstraint("user_id IS NOT NULL OR token_hash IS NOT NULL", name="known"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    number: Mapped[int]
    user_id: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    token_hash: Mapped[str | None] = mapped_column(unique=True)
    name: Mapped[str] = mapped_column(default="", server_default="")
    device: Mapped[str] = mapped_column(default="", server_default="")
    joined_at: Mapped[datetime]
    consented_at: Mapped[datetime | None]
    set_aside_at: Mapped[datetime | None]
    set_aside_for: Mapped[str] = mapped_column(default="", server_default="")


class JudgingLink(Base):
    """A link by which people become judges; only the SHA-256 of its secret part is kept. It works until
    `expires_at`, for `most_uses` people, unless it was withdrawn."""

    __tablename__ = "judging_link"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    token_hash: Mapped[str] = mapped_column(unique=True)
    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    most_uses: Mapped[int]
    uses: Mapped[int] = mapped_column(default=0, server_default="0")
    withdrawn_at: Mapped[datetime | None]


class JudgingImport(Base):
    """A file of judgments that were made elsewhere: how many of them were taken, how many left out. The same
    file is taken once."""

    __tablename__ = "judging_import"
    __table_args__ = (UniqueConstraint("campaign_id", "file_hash"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    file_hash: Mapped[str]
    file_name: Mapped[str]
    judgments: Mapped[int]
    left_out: Mapped[int]
    imported_at: Mapped[datetime]
    imported_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"))


class Judgment(Base):
    """A unit in the hands of a judge, and what became of it. Rows stay; only the state changes.

    States: *out* (the judge has it, until `lease_until`), *given* (`choice` counts), *skipped*, *undone* (the
    judge took `choice` back), *lapsed* (no answer came in time), *set aside* (with its judge). `shown_left`
    is the item that was shown on the left; `seconds` is how long the judge looked, as the page says.
    """

    __tablename__ = "judgment"
    __table_args__ = (
        one_of("state", ("out", "given", "skipped", "undone", "lapsed", "set aside")),
        CheckConstraint("state NOT IN ('given', 'undone', 'set aside') OR choice IS NOT NULL", name="choice"),
        Index(
            "uq_judgment_unit_judge",
            "unit_id",
            "judge_id",
            unique=True,
            sqlite_where=text("state IN ('out', 'given')"),
            postgresql_where=text("state IN ('out', 'given')"),
        ),
        Index("ix_judgment_campaign", "campaign_id", "state"),
        Index("ix_judgment_judge", "judge_id", "state"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    unit_id: Mapped[int] = mapped_column(ForeignKey("judging_unit.id"))
    judge_id: Mapped[int] = mapped_column(ForeignKey("judge.id"))
    state: Mapped[str]
    shown_left: Mapped[str] = mapped_column(default="", server_default="")
    choice: Mapped[str | None]
    handed_at: Mapped[datetime]
    lease_until: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    undone_at: Mapped[datetime | None]
    seconds: Mapped[float | None]
