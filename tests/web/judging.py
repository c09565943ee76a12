"""Campaigns for tests of the pages, and judges at their browsers without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flask import Flask
from sqlalchemy import select

from leaderboard.contract import TaskSpec
from leaderboard.services import judging, judging_judges, judging_material
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_judges import JudgeView
from leaderboard.services.judging_plans import Plan, Settings
from leaderboard.site import Site, utc_now
from leaderboard.store.models import Judgment
from tests.web.browser import Browser, site_of

WORDS = tuple((f"слово{number}", "другое") for number in range(20))


def spec_of(site: Site, task: str) -> TaskSpec:
    with site.database.reading() as session:
        return site.spec(session, task)


def campaign_of_words(
    site: Site,
    task: str,
    kind: str = "relatedness",
    pairs: Sequence[tuple[str, str]] = WORDS,
    title: str = "Words",
    **plan: Any,
) -> int:
    """An open campaign over pairs of words."""
    spec, wanted = spec_of(site, task), Plan(title, kind, **plan)  # type: ignore[arg-type]  # a kind by its name
    with site.database.writing() as session:
        number = judging.create(session, spec, wanted, SHELL, utc_now())
        judging_material.add_words(session, spec, number, pairs)
        judging.open_(session, spec, number, SHELL, utc_now())
    return number


def campaign_of_texts(
    site: Site,
    task: str,
    texts: Path,
    kind: str = "preference",
    graded: str | None = None,
    title: str = "Answers",
    **plan: Any,
) -> int:
    """An open campaign over all texts of a file."""
    spec, wanted = spec_of(site, task), Plan(title, kind, **plan)  # type: ignore[arg-type]  # a kind by its name
    with site.database.writing() as session:
        number = judging.create(session, spec, wanted, SHELL, utc_now())
        judging_material.pool_from_texts(session, site.files, spec, number, texts, graded)
        judging.open_(session, spec, number, SHELL, utc_now())
    return number


class Judge(Browser):
    """A person at a browser who judges in one campaign."""

    def __init__(self, app: Flask, task: str, number: int, agent: str = "Test browser") -> None:
        super().__init__(app, agent)
        self.place = f"/judging/{task}/{number}"

    def begin(self, **typed: str) -> str:
        self.open(self.place)
        return self.send(f"{self.place}/join", **typed)

    @property
    def judgment(self) -> str:
        """The number of what this page asks for; empty where it asks for nothing."""
        found = re.search(r'name="judgment" value="(\d+)"', self.last.text)
        return found[1] if found else ""

    @property
    def texts(self) -> tuple[str, ...]:
        """What is to be judged on this page, without what the next page will ask for."""
        shown = self.last.text.partition("<template")[0]
        found = re.findall(r'class="passage-text" dir="auto"><bdi>(.*?)</bdi>', shown, re.DOTALL)
        words = re.search(r'class="words".*?<bdi>(.*?)</bdi>.*?<bdi>(.*?)</bdi>', shown, re.DOTALL)
        return words.groups() if words else tuple(found)

    def answer(self, answer: str, **typed: str) -> str:
        return self.send(f"{self.place}/answers", answer=answer, **typed)

    def ask(self, part: str, **typed: str) -> dict[str, Any]:
        """What the script of the page sends, and gets."""
        token = next(form.values["csrf_token"] for form in self.forms() if "csrf_token" in form.values)
        answered = self.client.post(
            f"{self.place}/{part}",
            data={"csrf_token": token, **typed},
            headers={**self.headers, "Accept": "application/json"},
        )
        assert answered.mimetype == "application/json", answered.text
        found: dict[str, Any] = answered.get_json()
        return found


CROWD = Settings(procedure="two-stage", k=2, finalists=9)

TEXTS = {
    "t1": {f"CANARY_{letter}": f"{letter} text of the first" for letter in "abc"},
    "t2": {f"CANARY_{letter}": f"{letter} text of the second" for letter in "ef"},
}
"""Three pairs and one; the ids of the texts must reach no judge."""


def texts_in(folder: Path) -> Path:
    """A file with these texts, each topic after a long conversation."""
    path = folder / "texts.tsv"
    said = " ||| ".join(f"turn {number} of it" for number in range(5))
    rows = [
        f"{topic}\tWhat of {topic}?\t{docno}\t{text}\t{said}"
        for topic, of in TEXTS.items()
        for docno, text in of.items()
    ]
    path.write_text("topic\tquestion\tdocno\ttext\tconversation\n" + "\n".join(rows) + "\n")
    return path


def open_to_anyone(app: Flask, **plan: Any) -> int:
    """A campaign of the task cast over these texts."""
    site = site_of(app)
    texts = texts_in(site.settings.instance)
    return campaign_of_texts(site, "cast", texts, **{"settings": CROWD, "open_to": "anyone", **plan})


def judge_in(app: Flask, number: int, agent: str = "Test browser") -> Judge:
    """Somebody without an account who has begun there."""
    judge = Judge(app, "cast", number, agent)
    judge.begin()
    return judge


def judges_of(app: Flask, number: int) -> tuple[JudgeView, ...]:
    """The judges of a campaign as organisers see them."""
    with site_of(app).database.reading() as session:
        return judging_judges.listing(session, spec_of(site_of(app), "cast"), number)


def states_of(app: Flask, number: int) -> list[str]:
    """What became of all that was handed out in a campaign."""
    with site_of(app).database.reading() as session:
        campaign = judging.found(session, spec_of(site_of(app), "cast"), number).id
        states = select(Judgment.state).where(Judgment.campaign_id == campaign)
        return list(session.scalars(states.order_by(Judgment.id)))
