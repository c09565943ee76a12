"""Everything that is stored about a person, to be taken along."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from leaderboard.services.accounts import active
from leaderboard.store.models import (
    ApiToken,
    AuditEntry,
    Campaign,
    Invitation,
    Judge,
    JudgingLink,
    Judgment,
    Letter,
    Membership,
    Notice,
    Question,
    RequestKey,
    Role,
    Task,
    Team,
    User,
    UserSession,
)


def of_person(session: Session, user_id: int) -> Mapping[str, Any]:
    """Everything that is stored about a person, as JSON knows it. Of secrets it says only that they exist.

    Raises UnknownAccount.
    """
    return {
        "account": _account(active(session, user_id)),
        "rights": _rights(session, user_id),
        "sign-ins": _sign_ins(session, user_id),
        "notices that wait": [
            {"kind": "overtaken", "happened": _time(row.happened_at), "changes": row.changes}
            for row in session.scalars(select(Notice).where(Notice.user_id == user_id).order_by(Notice.id))
        ],
        "tokens": _tokens(session, user_id),
        "repeatable requests": _request_keys(session, user_id),
        "teams": _teams(session, user_id),
        "invitations made": _invitations(session, user_id),
        "questions asked": _questions(session, user_id),
        "judging": _judging(session, user_id),
        "changes as an organiser": _changes(session, user_id),
        "campaigns made": [
            {"campaign": row.title, "made": _time(row.made_at)}
            for row in session.scalars(
                select(Campaign).where(Campaign.made_by == user_id).order_by(Campaign.id)
            )
        ],
        "links for judges": [
            {"made": _time(row.made_at), "expires": _time(row.expires_at), "people joined": row.uses}
            for row in session.scalars(
                select(JudgingLink).where(JudgingLink.made_by == user_id).order_by(JudgingLink.id)
            )
        ],
        "letters": [
            {"to": row.recipient, "subject": row.subject, "written": _time(row.created_at)}
            for row in session.scalars(select(Letter).where(Letter.user_id == user_id).order_by(Letter.id))
        ],
    }


def _changes(session: Session, user_id: int) -> list[dict[str, Any]]:
    """What an organiser makes (drafts, archives, settings, …) knows its maker by number; the log tells it."""
    rows = session.scalars(select(AuditEntry).where(AuditEntry.actor_id == user_id).order_by(AuditEntry.id))
    return [
        {
            "what": row.action,
            "to": row.subject_name,
            "when": _time(row.happened_at),
            "from address": row.address,
            "reason": row.reason,
        }
        for row in rows
    ]


def _account(user: User) -> dict[str, Any]:
    return {
        "email": user.email,
        "name": user.name,
        "language": user.locale,
        "created": _time(user.created_at),
        "confirmed": _time(user.confirmed_at),
        "password": user.password is not None,
        "second factor": user.tf_primary_method,
        "recovery codes left": len(user.mf_recovery_codes or ()),
        "terms agreed to": user.consent_version,
        "agreed": _time(user.consented_at),
    }


def _rights(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Role, Task.name)
        .outerjoin(Task, Task.id == Role.task_id)
        .where(Role.user_id == user_id)
        .order_by(Role.id)
    )
    return [
        {"role": role.name, "task": task, "given": _time(role.given_at)}
        for role, task in session.execute(statement)
    ]


def _sign_ins(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = select(UserSession).where(UserSession.user_id == user_id).order_by(UserSession.id)
    return [
        {
            "browser": row.user_agent,
            "address": row.address,
            "began": _time(row.created_at),
            "last seen": _time(row.last_seen_at),
            "ended": _time(row.ended_at),
        }
        for row in session.scalars(statement)
    ]


def _tokens(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = select(ApiToken).where(ApiToken.user_id == user_id).order_by(ApiToken.id)
    return [
        {
            "name": row.name,
            "scope": row.scope,
            "made": _time(row.created_at),
            "expires": _time(row.expires_at),
            "last used": _time(row.last_used_at),
            "revoked": _time(row.revoked_at),
        }
        for row in session.scalars(statement)
    ]


def _request_keys(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = select(RequestKey).where(RequestKey.user_id == user_id).order_by(RequestKey.id)
    return [{"key": row.key, "sent": _time(row.begun_at)} for row in session.scalars(statement)]


def _teams(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Membership, Team.name, Task.name)
        .join(Team, Team.id == Membership.team_id)
        .join(Task, Task.id == Membership.task_id)
        .where(Membership.user_id == user_id)
        .order_by(Membership.id)
    )
    return [
        {
            "task": task,
            "team": team,
            "role": row.role,
            "joined": _time(row.joined_at),
            "letters when overtaken": row.told_when_overtaken,
            "left": _time(row.left_at),
        }
        for row, team, task in session.execute(statement)
    ]


def _invitations(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Invitation, Team.name)
        .join(Team, Team.id == Invitation.team_id)
        .where(Invitation.made_by == user_id)
        .order_by(Invitation.id)
    )
    return [
        {
            "team": team,
            "made": _time(row.created_at),
            "expires": _time(row.expires_at),
            "withdrawn": _time(row.withdrawn_at),
            "people joined": row.uses,
        }
        for row, team in session.execute(statement)
    ]


def _questions(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Question, Task.name)
        .join(Task, Task.id == Question.task_id)
        .where(Question.user_id == user_id)
        .order_by(Question.id)
    )
    return [
        {"task": task, "asked": _time(row.asked_at), "question": row.text, "answer": row.answer}
        for row, task in session.execute(statement)
    ]


def _judging(session: Session, user_id: int) -> list[dict[str, Any]]:
    statement = (
        select(Judge, Campaign.title, func.count(Judgment.id))
        .join(Campaign, Campaign.id == Judge.campaign_id)
        .outerjoin(Judgment, and_(Judgment.judge_id == Judge.id, Judgment.choice.is_not(None)))
        .where(Judge.user_id == user_id)
        .group_by(Judge.id, Campaign.title)
        .order_by(Judge.id)
    )
    return [
        {
            "campaign": title,
            "joined": _time(judge.joined_at),
            "agreed": _time(judge.consented_at),
            "judgments": count,
            "set aside": _time(judge.set_aside_at),
        }
        for judge, title, count in session.execute(statement)
    ]


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
