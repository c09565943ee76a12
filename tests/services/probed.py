"""The RUSSE task with 240 pairs, for teams that read its benchmark off the board, and for honest ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np
from sqlalchemy import select

from leaderboard.contract import FloatArray
from leaderboard.services import probing, probing_pages
from leaderboard.services.probing_pages import Finding, Report
from leaderboard.services.rescoring import unwatched
from leaderboard.store.models import Score, Team
from tests.services.pair_task import PairTask, write_pairs
from tests.services.toy import NOON

COUNT = 240
PAIRS = [(f"слово{number // 6}", f"другое{number}") for number in range(COUNT)]
GENERATOR = np.random.default_rng(11)
GOLD = GENERATOR.random(COUNT)
FAIR = GOLD + GENERATOR.normal(0, 0.4, COUNT)
POOR = GOLD + GENERATOR.normal(0, 2, COUNT)


@dataclass
class Probed(PairTask):
    """The task, and short ways to probe it and to ask for the report."""

    sent: int = field(default=0)

    def prepare(self) -> Probed:
        write_pairs(self.folder / "inputs" / "pairs.csv", ((*pair, "") for pair in PAIRS))
        self.install().install_inputs_of(self.folder / "inputs")
        related = [(*pair, int(value > 0.5)) for pair, value in zip(PAIRS, GOLD, strict=True)]
        rated = [(*pair, value) for pair, value in zip(PAIRS, GOLD, strict=True)]
        self.install_gold(hj=rated, rt=related[:120], ae=related[120:])
        return self

    def send(
        self, team: str, values: Sequence[float] | FloatArray, minute: int | None = None, **details: object
    ) -> int:
        """Submits and scores a run, a minute after the one before."""
        self.sent += 1
        by_pair = dict(zip(PAIRS, [float(value) for value in values], strict=True))
        return self.enter(team, by_pair, self.sent if minute is None else minute, **details)

    def tell(self, team: str, values: FloatArray) -> float:
        """What the board tells a team about a run."""
        run_id = self.send(team, values)
        with self.database.reading() as session:
            primary = self.spec.track("hj").primary
            statement = select(Score.value).where(Score.run_id == run_id, Score.measure == primary)
            return session.scalars(statement.where(Score.track == "hj")).one() or 0.0

    def look(self, now: datetime = NOON + timedelta(days=1)) -> Report:
        """The report, brought up to date."""
        parts = (self.transactions, self.files, self.spec, self.scorer)
        probing.bring_up_to_date(*parts, lambda: now, unwatched)
        return self.report()

    def report(self) -> Report:
        with self.database.reading() as session:
            return probing_pages.show(session, self.spec)

    def team_id(self, name: str) -> int:
        with self.database.reading() as session:
            return session.scalars(select(Team.id).where(Team.name == name)).one()


def of_kind(report: Report, kind: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.kind == kind]


def strong(report: Report) -> set[tuple[str, tuple[str, ...]]]:
    """Kind and teams of what is strong."""
    found = [each for each in report.findings if each.strength == "strong"]
    return {(each.kind, tuple(name for _, name in each.teams)) for each in found}
