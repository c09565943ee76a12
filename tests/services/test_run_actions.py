"""What a team does with its runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from leaderboard.services import boards, run_actions, run_pages, scoring
from leaderboard.services.methods import Method, MethodRefused, clean_link
from leaderboard.services.run_actions import Description, NotAllowed
from leaderboard.services.scoring import UnknownRun
from leaderboard.store.models import Run
from leaderboard.store.session import Database
from tests.services.members import captain, send, team_id
from tests.services.ready import ready
from tests.services.toy import NOON, Toy, evaluation, make_spec

BEST, WORSE = (0.1, 0.5, 0.9), (0.1, 0.5, 0.5)


def act(toy: Toy, action: Any, user: int, run_id: int, hours: float = 0) -> None:
    with toy.database.writing() as session:
        moment = NOON + timedelta(hours=hours)
        action(session, toy.spec, toy.scorer.VERSION, team_id(toy, user), run_id, moment)


def values(toy: Toy, phase: str = "open") -> list[tuple[int | None, int | None]]:
    """Run and place of each line on the track."""

    with toy.database.reading() as session:
        return [(row.run_id, row.place) for row in boards.board(session, toy.spec, "near", phase).rows]


def test_withdrawing_lets_the_next_best_run_count(toy: Toy) -> None:
    user = captain(toy, "a")
    best, worse = send(toy, user, *BEST).run_id, send(toy, user, *WORSE).run_id
    act(toy, run_actions.withdraw, user, best)
    assert values(toy) == [(worse, 1)]
    act(toy, run_actions.restore, user, best)
    assert values(toy) == [(best, 1)]


def test_a_run_may_be_for_comparison_and_count_again(toy: Toy) -> None:
    user = captain(toy, "a")
    best = send(toy, user, *BEST).run_id
    act(toy, run_actions.compare, user, best)
    assert values(toy) == [(best, None)]
    act(toy, run_actions.count, user, best)
    assert values(toy) == [(best, 1)]


def test_a_team_chooses_and_may_go_back_to_the_default(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(counting="selected"))
    user = captain(toy, "a")
    best, worse = send(toy, user, *BEST).run_id, send(toy, user, *WORSE, hours=1).run_id
    assert values(toy) == [(worse, 1)]
    act(toy, run_actions.choose, user, best)
    assert values(toy) == [(best, 1)]
    act(toy, run_actions.choose, user, worse)
    assert values(toy) == [(worse, 1)]
    act(toy, run_actions.unchoose, user, worse)
    assert values(toy) == [(worse, 1)]


def test_where_the_best_run_counts_nobody_chooses(toy: Toy) -> None:
    user = captain(toy, "a")
    with pytest.raises(NotAllowed, match="do not choose"):
        act(toy, run_actions.choose, user, send(toy, user, *BEST).run_id)


@pytest.mark.parametrize("action", [run_actions.withdraw, run_actions.compare])
def test_a_closed_ranking_stays_as_it_is(database: Database, tmp_path: Path, action: Any) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    user = captain(toy, "a")
    run_id = send(toy, user, *BEST).run_id
    with pytest.raises(NotAllowed, match="closed at 2026-03-01 13:00 UTC"):
        act(toy, action, user, run_id, hours=1)
    assert values(toy, "evaluation") == [(run_id, 1)]


def test_a_late_run_may_be_withdrawn_at_any_time(database: Database, tmp_path: Path) -> None:
    toy = ready(database, tmp_path, make_spec(phases=evaluation(closes=1)))
    user = captain(toy, "a")
    late = send(toy, user, *BEST, hours=2).run_id
    act(toy, run_actions.withdraw, user, late, hours=3)
    assert values(toy, "evaluation") == []


def test_another_team_finds_no_such_run(toy: Toy) -> None:
    run_id = send(toy, captain(toy, "a"), *BEST).run_id
    with pytest.raises(UnknownRun):
        act(toy, run_actions.withdraw, captain(toy, "b"), run_id)
    assert values(toy) == [(run_id, 1)]


def test_a_disqualified_run_is_the_organisers_matter(toy: Toy) -> None:
    user = captain(toy, "a")
    run_id = send(toy, user, *BEST).run_id
    with toy.database.writing() as session:
        session.get_one(Run, run_id).disqualified_at = NOON
    with pytest.raises(NotAllowed, match="organisers"):
        act(toy, run_actions.withdraw, user, run_id)


def test_words_may_change_after_the_closing(database: Database, tmp_path: Path) -> None:
    toy = Toy(database, tmp_path, make_spec(phases=evaluation(closes=1))).install()
    user = captain(toy, "a")
    run_id = send(toy, user, *BEST).run_id
    method = Method("neural", "Wikipedia", "automatic", "https://example.org/paper.pdf")
    with toy.database.writing() as session:
        wanted = Description(" New  name ", "all\r\nof it ", method)
        run_actions.describe(session, toy.spec, team_id(toy, user), run_id, wanted)
    with toy.database.reading() as session:
        page = run_pages.show(session, toy.spec, run_id)
    assert (page.summary.name, page.description, page.method) == ("New name", "all\nof it", method)


def test_only_a_failed_run_is_scored_again(toy: Toy) -> None:
    user = captain(toy, "a")
    good, failed = send(toy, user, *BEST).run_id, send(toy, user, 666).run_id
    with toy.database.writing() as session:
        run_actions.score_again(session, toy.spec, team_id(toy, user), failed, NOON)
        assert scoring.pending(session, toy.spec) == (failed,)
    with pytest.raises(NotAllowed), toy.database.writing() as session:
        run_actions.score_again(session, toy.spec, team_id(toy, user), good, NOON)


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "example.org",
        "ftp://example.org",
        "http://",
        "https://user:secret@example.org",
        "https://example.org/a b",
        "https://example.org/\u202egpj",
        "https://example.org:port",
        "https://[",
        'https://example.org/"onclick=',
        "https://example.org/" + "x" * 300,
    ],
)
def test_a_link_that_is_no_web_address_is_refused(link: str) -> None:
    with pytest.raises(MethodRefused) as refused:
        clean_link(link)
    assert refused.value.field == "link"


def test_a_link_is_kept_as_it_is() -> None:
    assert (
        clean_link(" https://example.org/~me/paper.pdf?v=2#p1 ") == "https://example.org/~me/paper.pdf?v=2#p1"
    )
    assert clean_link("https://пример.рф/статья") == "https://пример.рф/статья"
    assert clean_link("  ") == ""


def test_a_long_description_is_refused_with_its_length(toy: Toy) -> None:
    user = captain(toy, "a")
    run_id = send(toy, user, *BEST).run_id
    wanted = replace(Description("x"), description="x" * 4001)
    with pytest.raises(MethodRefused, match="4001 characters"), toy.database.writing() as session:
        run_actions.describe(session, toy.spec, team_id(toy, user), run_id, wanted)
