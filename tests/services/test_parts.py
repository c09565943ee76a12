"""A phase that parts its gold: public values while it is open, a final standing on the rest, and no leak."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from leaderboard.contract import PhaseSpec, SplitSpec
from leaderboard.services import (
    board_pages,
    exports,
    final_exports,
    final_standings,
    freezing,
    parting,
    phase_settings,
    revealing,
    run_actions,
    run_pages,
)
from leaderboard.services.audit import SHELL
from leaderboard.services.final_standings import FinalStanding
from leaderboard.services.phase_settings import BadPhase
from leaderboard.services.run_actions import NotAllowed
from leaderboard.store.models import PRIVATE, PUBLIC, News, PhaseParts, Score, Team
from leaderboard.store.session import Database
from tests.services import archived
from tests.services.toy import NOON, TITLE, Toy, make_spec

GOLD = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
CLOSES = NOON + timedelta(hours=24)
AFTER = CLOSES + timedelta(hours=1)
SPLIT = SplitSpec(0.5, seed=3, final_runs=1)


def phase(split: SplitSpec | None = SPLIT) -> PhaseSpec:
    opens = NOON - timedelta(hours=24)
    return PhaseSpec("evaluation", TITLE, opens, CLOSES, reveals=("own", "board", "per-topic"), split=split)


@pytest.fixture
def parted(database: Database, tmp_path: object) -> Toy:
    made = Toy(database, tmp_path, make_spec(phases=(phase(),)))  # type: ignore[arg-type]
    made.install().install_gold(GOLD, GOLD)
    return made


def sides(toy: Toy) -> tuple[str, str]:
    """The letters of the public topics, and of the private ones."""
    with toy.database.reading() as session:
        row = session.scalars(select(PhaseParts)).one()
        found = row.units
    both = (
        "".join(sorted(unit for unit, part in found.items() if part == side)) for side in (PUBLIC, PRIVATE)
    )
    return next(both), next(both)


def run_that_knows(letters: str) -> tuple[float, ...]:
    """A run that is right about these topics and one half off elsewhere."""
    return tuple(
        value if letter in letters else (value + 0.5) % 1.0
        for letter, value in zip("abcdefgh", GOLD, strict=True)
    )


MARKED = tuple(value + number * 0.01234567 for number, value in enumerate(GOLD))
"""A run whose value on any part is like no other number."""


def final(toy: Toy, track: str | None = "near", now: datetime = AFTER) -> FinalStanding:
    with toy.database.reading() as session:
        return final_standings.show(session, toy.spec, track, "evaluation", now)


def team_of(toy: Toy, name: str) -> int:
    with toy.database.reading() as session:
        return session.scalars(select(Team.id).where(Team.name == name)).one()


def test_the_board_has_the_values_of_the_public_part_and_the_final_standing_those_of_the_other(
    parted: Toy,
) -> None:
    parted.enter("first", *GOLD)
    public, private = sides(parted)
    assert len(public) == len(private) == 4
    parted.enter("prober", *run_that_knows(public), minute=1)
    parted.enter("honest", *run_that_knows(private + public[0]), minute=2)
    assert parted.lines("near", "evaluation") == [("first", 1), ("prober", 1), ("honest", 3)]
    found = final(parted)
    assert [(row.team, row.place, row.public_place, row.moved) for row in found.rows] == [
        ("first", 1, 1, 0),
        ("honest", 1, 3, 2),
        ("prober", 3, 1, -2),
    ]
    assert next(row.team for row in final(parted, None).rows) == "first"


def test_scores_by_topic_have_nothing_of_the_other_part(parted: Toy) -> None:
    run = parted.enter("first", *run_that_knows("abcd"))
    public, _ = sides(parted)
    with parted.database.reading() as session:
        values = run_pages.per_topic(session, parted.spec, run)["near"].values["closeness"]
    assert {letter for letter, value in zip("abcdefgh", values, strict=True) if value == value} == set(public)


def test_nothing_of_the_private_part_is_shown_before_it_is_revealed(parted: Toy) -> None:
    run = parted.enter("first", *MARKED)
    with parted.database.reading() as session:
        secret = session.scalars(
            select(Score.value).where(Score.run_id == run, Score.split == PRIVATE, Score.track == "near")
        ).first()
        page = run_pages.show(session, parted.spec, run)
        board = board_pages.whole(session, parted.spec, board_pages.Wanted("near"), NOON)
        assert board.board is not None
        shown = f"{page}{board}{exports.render(parted.spec, board.board, 'json')}"
    assert secret is not None
    assert repr(secret) not in shown
    assert final(parted, now=NOON).rows == ()
    assert "once the phase has closed" in str(final(parted, now=NOON).why_none)
    assert repr(secret) in final_exports.as_json(parted.spec, final(parted))


def test_a_frozen_ranking_keeps_the_final_standing_back(parted: Toy) -> None:
    parted.enter("first", *GOLD)
    with parted.database.writing() as session:
        freezing.freeze(session, parted.spec, "1", "evaluation", SHELL, NOON)
    assert final(parted).rows == ()
    assert "frozen" in str(final(parted).why_none)


def test_a_team_puts_runs_forward_and_the_best_of_them_stands(parted: Toy) -> None:
    parted.enter("first", *GOLD)
    public, private = sides(parted)
    good_in_public = parted.enter("team", *run_that_knows(public), minute=1)
    good_in_private = parted.enter("team", *run_that_knows(private), minute=2)
    assert {row.team: row.run_id for row in final(parted).rows}["team"] == good_in_public
    team = team_of(parted, "team")
    with parted.database.writing() as session:
        run_actions.put_forward(session, parted.spec, "1", team, good_in_private, NOON)
    assert {row.team: row.run_id for row in final(parted).rows}["team"] == good_in_private
    with parted.database.writing() as session, pytest.raises(NotAllowed, match="1 run forward"):
        run_actions.put_forward(session, parted.spec, "1", team, good_in_public, NOON)
    with parted.database.writing() as session, pytest.raises(NotAllowed, match="closed"):
        run_actions.hold_back(session, parted.spec, "1", team, good_in_private, AFTER)


def test_organisers_reveal_it_once_the_phase_has_closed(parted: Toy) -> None:
    parted.enter("first", *GOLD)
    later = phase(replace(SPLIT, reveal="organisers", final_runs=3))
    with parted.database.writing() as session:
        phase_settings.change(session, parted.spec, "1", later, SHELL, NOON)
    assert final(parted).rows == ()
    with parted.database.writing() as session, pytest.raises(BadPhase, match="is open"):
        revealing.reveal(session, parted.spec, "1", "evaluation", SHELL, NOON)
    with parted.database.writing() as session:
        revealing.reveal(session, parted.spec, "1", "evaluation", SHELL, AFTER)
        told = [row.details for row in session.scalars(select(News))]
    assert [row.team for row in final(parted).rows] == ["first"]
    assert "seed" not in str(told)
    assert "revealed" in str(told)


def test_who_is_on_which_part_stands_once_there_are_runs_and_when_gold_changes(parted: Toy) -> None:
    parted.enter("first", *GOLD)
    before = sides(parted)
    with parted.database.writing() as session, pytest.raises(BadPhase, match="stays as it is"):
        phase_settings.change(session, parted.spec, "1", phase(None), SHELL, NOON)
    parted.install_gold((*GOLD, 0.9, 0.95), GOLD)
    parted.enter("second", *GOLD, minute=1)
    after = sides(parted)
    assert len(after[0] + after[1]) == 10
    assert set(before[0]) <= set(after[0])
    assert set(before[1]) <= set(after[1])


def test_a_scorer_that_cannot_part_says_so_and_scores_nothing(
    parted: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("tests.services.toy_scorer.part")
    with pytest.raises(parting.CannotPart, match="cannot part"):
        parted.enter("first", *GOLD)


def test_an_archive_without_gold_has_neither_parts_nor_private_values(parted: Toy) -> None:
    run = parted.enter("first", *MARKED)
    with parted.database.reading() as session:
        secrets = session.scalars(
            select(Score.value).where(Score.run_id == run, Score.split == PRIVATE, Score.track == "near")
        ).all()
    for with_gold in (False, True):
        found = archived.entries(archived.make(parted, with_gold=with_gold))
        text = b"\n".join(found.values()).decode("utf-8", "replace")
        assert any(repr(secret) in text for secret in secrets) is with_gold
        assert ('"private"' in text) is with_gold
        assert ('"seed":3' in text.replace(" ", "")) is with_gold


def test_an_archive_has_the_final_standing_once_it_is_revealed(parted: Toy) -> None:
    parted.enter("first", *MARKED)
    parted.enter("second", *GOLD, minute=1)
    before = archived.entries(archived.make(parted))
    assert not any("/final/" in path for path in before)
    found = archived.entries(archived.make(parted, AFTER))
    assert {path for path in found if "/final/" in path} == {
        f"standings/evaluation/final/{track}.{ending}"
        for track in ("near", "same", "overall")
        for ending in ("csv", "json")
    }
    lines = json.loads(found["standings/evaluation/final/near.json"])["lines"]
    assert [(line["place"], line["team"]) for line in lines] == [(1, "second"), (2, "first")]
    assert [line["private_value"] for line in lines] == [row.value for row in final(parted).rows]
