"""Campaigns of every kind from what is judged to the files and the gold that come out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from leaderboard.formats.preferences import read_preferences
from leaderboard.judging.crowd import CrowdSettings
from leaderboard.judging.finals import aggregate
from leaderboard.judging.preferences import by_topic
from leaderboard.rules import phases_of
from leaderboard.services import (
    gold,
    judging,
    judging_material,
    judging_pages,
    judging_pools,
    judging_results,
    runs,
    scoring,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.judging_answers import Handed
from leaderboard.services.judging_plans import CampaignRefused, NotNow, Plan, Settings, UnknownCampaign
from leaderboard.store.models import GoldVersion, JudgingItem, JudgingUnit
from tests.services.campaigns import CROWD, GRADES, ONE_EACH, Campaigns, progress
from tests.services.toy import NOON


def test_graded_items_keep_their_grades_below_the_levels(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    campaigns.judge_all(number, campaigns.judge(number))
    lines = campaigns.results(number).files["combined.qrels"].decode().splitlines()
    assert lines[:6] == [f"31_1 Q0 {each}" for each in ("a 20", "b 10", "c 3", "d 2", "e 2", "x 0")]


def test_the_judgments_read_back_as_preferences_and_aggregate_to_the_same_levels(
    campaigns: Campaigns, tmp_path: Path
) -> None:
    number = campaigns.opened(CROWD)
    campaigns.judge_all(number, campaigns.judge(number))
    made = campaigns.results(number).files
    (tmp_path / "x.pref").write_bytes(made["judgments.pref"])
    given = by_topic(read_preferences(tmp_path / "x.pref"))
    lines = [
        f"{topic} Q0 {docno} {level:g}"
        for topic, of_topic in given.items()
        for docno, level in aggregate(of_topic, 5, 9).levels.items()
    ]
    assert lines == made["levels.qrels"].decode().splitlines()


def test_a_result_becomes_a_draft_of_the_tracks_that_share_its_gold(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    campaigns.judge_all(number, campaigns.judge(number))
    with campaigns.database.writing() as session:
        made = judging_results.draft(
            session, campaigns.files, campaigns.spec, campaigns.scorer, number, "", SHELL, NOON
        )
    shared = [
        track.name for track in campaigns.spec.tracks if track.gold == campaigns.spec.track("combined").gold
    ]
    assert list(made.versions) == shared
    with campaigns.database.writing() as session, pytest.raises(CampaignRefused, match="it makes combined"):
        judging_results.draft(
            session, campaigns.files, campaigns.spec, campaigns.scorer, number, "", SHELL, NOON, file="x"
        )


def test_preferences_judged_elsewhere_become_a_draft(campaigns: Campaigns, tmp_path: Path) -> None:
    released = tmp_path / "crowd.pref"
    released.write_text("31_1 a b b\n31_1 a c a\n31_1 b c b\n")
    with campaigns.database.writing() as session:
        made = judging_results.draft_from_preferences(
            session,
            campaigns.files,
            campaigns.spec,
            campaigns.scorer,
            "combined",
            "graded",
            released,
            CrowdSettings(k=2),
            "",
            SHELL,
            NOON,
        )
        row = session.scalars(select(GoldVersion).where(GoldVersion.track == "combined")).one()
        content = campaigns.files.gold.path(row.file_hash).read_text()
        assert row.note == "crowd.pref"
    assert "combined" in made.versions
    assert content.startswith("31_1 Q0 a 10\n31_1 Q0 b 20\n31_1 Q0 c 3\n")


def test_runs_that_have_a_place_give_what_nobody_graded(campaigns: Campaigns, tmp_path: Path) -> None:
    run = tmp_path / "run.txt"
    run.write_text(
        "31_1 Q0 new 1 9 x\n31_1 Q0 a 2 8 x\n31_1 Q0 deep 3 7 x\n31_2 Q0 f 1 9 x\n31_2 Q0 z 2 8 x\n"
    )
    with campaigns.database.writing() as session:
        made = runs.submit(
            session, campaigns.files, campaigns.spec, campaigns.scorer, run, runs.Details("Foxes"), NOON
        )
    with campaigns.database.writing() as session:
        scoring.score(session, campaigns.files, campaigns.spec, campaigns.scorer, made.run_id, NOON)
    number = campaigns.make(Settings(), kind="grade", track="graded")
    with campaigns.database.writing() as session:
        pooled = judging_pools.pool_from_runs(
            session, campaigns.files, campaigns.spec, number, "graded", 2, phases_of(campaigns.spec)[0].name
        )
        names = list(session.scalars(select(JudgingItem.docno).order_by(JudgingItem.id)))
    assert (pooled, names) == (2, ["new", "z"])


def test_grades_of_several_judges_give_their_median(campaigns: Campaigns) -> None:
    number = campaigns.make(Settings(redundancy=3), kind="grade", track="graded")
    with campaigns.database.writing() as session:
        count = judging_material.pool_from_texts(
            session, campaigns.files, campaigns.spec, number, campaigns.texts()
        )
    assert count == sum(map(len, GRADES.values()))
    campaigns.open(number)
    for grade in ("4", "1", "2"):
        assert campaigns.judge_all(number, campaigns.judge(number), lambda _, grade=grade: grade) == count  # type: ignore[misc]
    found = campaigns.results(number)
    assert found.gold == ("graded.qrels",)
    assert set(found.files["graded.qrels"].decode().split("\n")[0].split()) == {"31_1", "Q0", "a", "2"}
    assert len(found.files["graded.qrels"].splitlines()) == count


def test_relatedness_is_rated_in_assignments_of_fifteen_and_scaled(campaigns: Campaigns) -> None:
    number = campaigns.of_words("relatedness", 20, Settings(redundancy=2))
    judge, other = campaigns.judge(number), campaigns.judge(number)
    assert campaigns.work(number, judge).waiting == 15
    # Pairs that nobody has come first: five were left for the other one, and ten more.
    assert campaigns.work(number, other).waiting == 15
    with campaigns.database.reading() as session:
        taken = list(session.scalars(select(JudgingUnit.taken)))
    assert sorted(taken) == [1] * 10 + [2] * 10
    campaigns.judge_all(number, judge, lambda _: "3")
    campaigns.judge_all(number, other, lambda _: "2")
    lines = campaigns.results(number).files["ratings.csv"].decode().splitlines()
    assert lines[:2] == ["word1,word2,sim", f"word 000,other,{5 / 6!r}"]
    assert len(lines) == 21
    assert progress(campaigns, number).topics_done == 1


def test_unrelated_pairs_are_confirmed_by_two_and_balanced(campaigns: Campaigns) -> None:
    number = campaigns.make(Settings(redundancy=2), kind="negative", track=None)
    with campaigns.database.writing() as session:
        add = judging_material.add_words
        assert add(session, campaigns.spec, number, [("дом", "сон"), ("дом", "лёд"), ("кот", "лёд")], 0) == 3
        assert add(session, campaigns.spec, number, [("дом", "окно"), ("кот", "кошка")], 1) == 2
    campaigns.open(number)

    def say(handed: Handed) -> str:
        return "related" if handed.words == ("кот", "лёд") else "unrelated"

    for judge in (campaigns.judge(number), campaigns.judge(number)):
        assert campaigns.judge_all(number, judge, say) == 3
    found = campaigns.results(number)
    rows = found.files["pairs.csv"].decode().splitlines()
    assert rows[:2] == ["word1,word2,sim", "дом,окно,1"]
    assert rows[2] in ("дом,сон,0", "дом,лёд,0")
    assert found.dropped == {"called related": 1, "more than positives": 1, "no negatives": 1}


def test_a_campaign_opens_only_with_something_to_judge_and_all_its_texts(campaigns: Campaigns) -> None:
    number = campaigns.make(CROWD)
    with pytest.raises(NotNow, match="add a pool"):
        campaigns.open(number)
    texts = campaigns.texts()
    texts.write_text("".join(line for line in texts.open() if "\td\t" not in line))
    with campaigns.database.writing() as session:
        assert judging_pools.pool_from_gold(session, campaigns.files, campaigns.spec, number, "graded") == 8
        found = judging_material.import_texts(session, campaigns.spec, number, texts)
    assert (found.stored, found.unknown, found.lacking) == (7, 2, 1)
    with pytest.raises(NotNow, match="1 item has no text yet: 31_1 d"):
        campaigns.open(number)
    with campaigns.database.writing() as session:
        assert judging_material.drop_without_text(session, campaigns.spec, number) == 1
    campaigns.open(number)
    with pytest.raises(NotNow, match="stays as it is"), campaigns.database.writing() as session:
        judging_pools.pool_from_gold(session, campaigns.files, campaigns.spec, number, "graded")


def test_running_campaigns_change_their_words_and_price_but_not_their_procedure(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    plan = Plan("A better title", "preference", "combined", ONE_EACH, 1, open_to="accounts", price=5)
    with campaigns.database.writing() as session:
        judging.change(session, campaigns.spec, number, plan, SHELL, NOON)
        seen = judging_pages.campaign(session, campaigns.spec, number)
    assert (seen.title, seen.price, seen.open_to, seen.settings) == (
        "A better title",
        5,
        "accounts",
        ONE_EACH,
    )
    for other in (replace(plan, seed=2), replace(plan, settings=replace(ONE_EACH, k=3))):
        with campaigns.database.writing() as session, pytest.raises(NotNow, match="have begun"):
            judging.change(session, campaigns.spec, number, other, SHELL, NOON)


@pytest.mark.parametrize(
    "settings",
    [
        {"procedure": "tournament", "redundancy": 2},
        {"k": 10},
        {"redundancy": 0},
        {"test_every": 1},
        {"threshold": 1.5},
        {"lease": timedelta(seconds=5)},
        {"procedure": "dice"},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(CampaignRefused):
        Settings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"title": " "},
        {"track": "none such"},
        {"seed": -1},
        {"budget": 0},
        {"consent": {"ru": "Только по-русски"}},
        {"kind": "song"},
    ],
)
def test_plans_that_cannot_be_are_refused(campaigns: Campaigns, changes: dict[str, Any]) -> None:
    with pytest.raises(CampaignRefused):
        campaigns.make(**changes)
    with pytest.raises(UnknownCampaign), campaigns.database.reading() as session:
        judging_pages.campaign(session, campaigns.spec, 1)


def test_gold_that_holds_levels_is_no_start(campaigns: Campaigns) -> None:
    number = campaigns.opened()
    campaigns.judge_all(number, campaigns.judge(number))
    folder = campaigns.folder / "levels"
    folder.mkdir()
    (folder / "combined.qrels").write_bytes(campaigns.results(number).files["combined.qrels"])
    with campaigns.database.writing() as session:
        gold.install(session, campaigns.files, campaigns.spec, campaigns.scorer, folder, "", NOON)
    other = campaigns.make()
    with campaigns.database.writing() as session, pytest.raises(CampaignRefused, match="holds levels"):
        judging_pools.pool_from_gold(session, campaigns.files, campaigns.spec, other, "combined")
    with campaigns.database.writing() as session, pytest.raises(CampaignRefused, match="holds levels"):
        judging_material.pool_from_texts(
            session, campaigns.files, campaigns.spec, other, campaigns.texts(), "combined"
        )


def test_pairs_of_words_get_as_many_judgments_as_the_campaign_wants_when_it_opens(
    campaigns: Campaigns,
) -> None:
    number = campaigns.make(Settings(redundancy=10), kind="relatedness", track=None)
    fewer = Plan("Words", "relatedness", settings=Settings(redundancy=2), open_to="anyone")
    with campaigns.database.writing() as session:
        judging_material.add_words(session, campaigns.spec, number, [("дом", "окно"), ("кот", "лёд")])
        judging.change(session, campaigns.spec, number, fewer, SHELL, NOON)
    campaigns.open(number)
    for judge in (campaigns.judge(number), campaigns.judge(number)):
        campaigns.judge_all(number, judge, lambda _handed: "1")
    assert progress(campaigns, number).topics_done == 1
