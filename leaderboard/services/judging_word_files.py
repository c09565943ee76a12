"""The files that a campaign over pairs of words makes, and what all files of results share."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from leaderboard.judging.negatives import Annotation, Balanced, Confirmed, Words, balance, confirm
from leaderboard.judging.relatedness import PairRating, mean_ratings
from leaderboard.services.judging_plans import read_settings
from leaderboard.store.models import Campaign, JudgingTopic, JudgingUnit, Judgment


def counting(row: Campaign) -> tuple[ColumnElement[bool], ...]:
    """Which judgments are results: those that count, and are no tests."""
    return (
        JudgingTopic.campaign_id == row.id,
        JudgingUnit.is_test.is_(False),
        Judgment.state == "given",
    )


def _answers_on_words(session: Session, row: Campaign) -> list[tuple[str, str, str, str]]:
    rows = session.execute(
        select(JudgingUnit.first, JudgingUnit.second, Judgment.judge_id, Judgment.choice)
        .join(JudgingTopic, JudgingTopic.id == JudgingUnit.topic_id)
        .join(Judgment, Judgment.unit_id == JudgingUnit.id)
        .where(*counting(row))
        .order_by(JudgingUnit.id, Judgment.id)
    )
    return [(first, second, str(judge), choice or "") for first, second, judge, choice in rows]


def ratings_file(session: Session, row: Campaign) -> bytes:
    """The mean rating of each pair, scaled to [0, 1]."""
    ratings = (
        PairRating(first, second, judge, int(choice))
        for first, second, judge, choice in _answers_on_words(session, row)
    )
    means = mean_ratings(ratings)
    return _csv(("word1", "word2", "sim"), ((mean.word1, mean.word2, repr(mean.value)) for mean in means))


def negatives_files(session: Session, row: Campaign) -> tuple[dict[str, bytes], Mapping[str, int]]:
    """The balanced pairs and those left out, and how many these are for each reason."""
    confirmed, balanced = _of_negatives(session, row)
    reasons = Counter(each.reason for each in (*confirmed.dropped, *balanced.dropped))
    made = {"pairs.csv": _pairs(balanced), "dropped.csv": _dropped(confirmed, balanced)}
    return made, {str(reason): count for reason, count in reasons.most_common()}


def _of_negatives(session: Session, row: Campaign) -> tuple[Confirmed, Balanced]:
    annotations = [
        Annotation(first, second, choice, judge)  # type: ignore[arg-type]  # only marks are taken as answers
        for first, second, judge, choice in _answers_on_words(session, row)
    ]
    confirmed = confirm(annotations, needed=read_settings(row.settings).redundancy)
    positives = session.execute(
        select(JudgingUnit.first, JudgingUnit.second)
        .where(JudgingUnit.campaign_id == row.id, JudgingUnit.label == 1, JudgingUnit.is_test.is_(False))
        .order_by(JudgingUnit.id)
    )
    return confirmed, balance([(first, second) for first, second in positives], confirmed.pairs, row.seed)


def _pairs(balanced: Balanced) -> bytes:
    labelled: list[tuple[Words, int]] = [(words, 1) for words in balanced.positives]
    labelled += [(words, 0) for words in balanced.negatives]
    rows = sorted(labelled, key=lambda pair: (pair[0][0], -pair[1], pair[0][1]))
    return _csv(("word1", "word2", "sim"), ((*words, str(label)) for words, label in rows))


def _dropped(confirmed: Confirmed, balanced: Balanced) -> bytes:
    rows = (
        (*each.words, "1" if each.related else "0", each.reason)
        for each in (*confirmed.dropped, *balanced.dropped)
    )
    return _csv(("word1", "word2", "sim", "reason"), rows)


def _csv(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> bytes:
    def write(out: io.StringIO) -> None:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)

    return as_text(write)


def as_text(write: Callable[[io.StringIO], None]) -> bytes:
    """What a function writes, as a file has it."""
    out = io.StringIO(newline="")
    write(out)
    return out.getvalue().encode()
