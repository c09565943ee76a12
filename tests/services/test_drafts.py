"""Drafts of gold: nothing shows before they are applied, and then all of it at once."""

from __future__ import annotations

import threading

import pytest
from sqlalchemy import func, select, update

from leaderboard.contract import FormatError
from leaderboard.services import boards, draft_applying, drafts, gold, run_pages
from leaderboard.services.audit import SHELL, Actor
from leaderboard.services.draft_applying import DraftOutdated
from leaderboard.services.draft_scoring import DraftEnded
from leaderboard.services.drafts import NotAllScored, NothingNew, UnknownDraft
from leaderboard.store.models import AuditEntry, GoldVersion, Job, News, Run, Score, Team
from tests.services.drafting import apply, discard, last_job, make, page, ready, tables, work
from tests.services.members import person
from tests.services.toy import NOON, Toy

GOOD, MIDDLING, BAD = (0.1, 0.5, 0.9), (0.3, 0.5, 0.6), (0.9, 0.5, 0.1)

on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""What does not depend on the database is tested on one."""


@pytest.fixture
def three(toy: Toy) -> Toy:
    """Three teams with a run each."""
    for minute, (team, values) in enumerate({"a": GOOD, "b": MIDDLING, "c": BAD}.items()):
        toy.enter(team, *values, minute=minute)
    return toy


def states(toy: Toy) -> list[tuple[str, int, str]]:
    with toy.database.reading() as session:
        return [(v.track, v.number, v.state) for v in gold.listing(session, toy.spec)]


def run_of(toy: Toy, team: str) -> int:
    statement = select(Run.id).join(Team, Team.id == Run.team_id).where(Team.name == team)
    with toy.database.reading() as session:
        return session.scalars(statement).one()


def scores(toy: Toy, state: str) -> int:
    """How many scores there are on versions in that state."""
    statement = select(func.count(Score.id)).join(GoldVersion, GoldVersion.id == Score.gold_version_id)
    with toy.database.reading() as session:
        return session.scalar(statement.where(GoldVersion.state == state)) or 0


def test_a_draft_changes_nothing_before_it_is_applied(three: Toy) -> None:
    before = tables(three)
    ready(three)
    assert states(three) == [("near", 2, "draft"), ("near", 1, "active"), ("same", 1, "active")]
    assert scores(three, "draft") == 6
    assert tables(three) == before
    assert three.lines("near") == [("a", 1), ("b", 2), ("c", 3)]
    with three.database.reading() as session:
        results = run_pages.show(session, three.spec, run_of(three, "a")).results
        assert [(result.track, result.gold_version) for result in results] == [("near", 1), ("same", 1)]
        news = session.scalars(select(News).where(News.kind == "gold")).all()
    assert len(news) == 1
    with pytest.raises(boards.NoBoard), three.database.reading() as session:
        boards.board(session, three.spec, "near", "open", gold_version=2)


def test_applying_makes_what_the_difference_said(three: Toy) -> None:
    made = ready(three)
    found = page(three, made.number)
    assert found.boards is not None
    near, same, overall = found.boards
    assert [(move.team, move.place_before, move.place_after) for move in near.moves] == [
        ("c", 3, 1),
        ("a", 1, 3),
    ]
    assert near.moves[0].value_after == pytest.approx(1.0)
    assert (near.runs, near.changed) == (3, 3)
    assert near.largest is not None
    assert (near.largest.before, near.largest.after) == pytest.approx((1.0, 1 - 1.6 / 3))
    assert (same.moves, same.runs) == ((), None)
    assert overall.track is None
    apply(three, made.number)
    assert states(three) == [("near", 2, "active"), ("near", 1, "retired"), ("same", 1, "active")]
    assert three.lines("near") == [("c", 1), ("b", 2), ("a", 3)]
    assert page(three, made.number).draft.state == "applied"


@on_sqlite
def test_the_old_standing_stays_under_its_version(three: Toy) -> None:
    with three.database.reading() as session:
        before = boards.board(session, three.spec, "near", "open").rows
    apply(three, ready(three).number)
    with three.database.reading() as session:
        assert boards.board(session, three.spec, "near", "open", gold_version=1).rows == before


def test_runs_that_arrive_meanwhile_are_scored_before_it_is_ready(three: Toy) -> None:
    made = make(three)
    arrived: list[int] = []

    def watch(done: int, _total: int) -> None:
        if done == 1 and not arrived:
            arrived.append(three.enter("d", 0.8, 0.5, 0.2, minute=9))

    assert work(three, made.job_id, watch=watch) == "done"
    assert arrived
    assert scores(three, "draft") == 8
    assert page(three, made.number).behind == 0


@on_sqlite
def test_a_run_that_came_since_is_scored_by_the_job_that_applies(three: Toy) -> None:
    made = ready(three)
    three.enter("d", *BAD, minute=9)
    assert page(three, made.number).behind == 1
    with pytest.raises(NotAllScored, match="1 run has"):
        apply(three, made.number)
    assert three.lines("near")[0] == ("a", 1)
    actor = Actor(person(three), "web", "192.0.2.1")
    with three.database.writing() as session:
        job_id = draft_applying.apply_later(session, three.spec, made.number, actor, NOON)
    assert work(three, job_id) == "done"
    assert three.lines("near") == [("c", 1), ("d", 1), ("b", 3), ("a", 4)]
    with three.database.reading() as session:
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "draft.applied")).one()
    assert (entry.actor_id, entry.via, entry.address) == (actor.user_id, "web", "192.0.2.1")


@on_sqlite
def test_a_run_that_waits_for_its_first_scores_holds_nothing_up(three: Toy) -> None:
    waiting = three.submit("d", *BAD, minute=9).run_id
    apply(three, ready(three).number)
    assert three.score(waiting) == "scored"
    assert three.lines("near")[:2] == [("c", 1), ("d", 1)]


def test_discarding_leaves_everything_as_it_was(three: Toy) -> None:
    before = tables(three)
    made = ready(three)
    discard(three, made.number)
    assert tables(three) == before
    assert scores(three, "discarded") == 0
    assert states(three)[0] == ("near", 2, "discarded")
    kept = page(three, made.number)
    assert kept.draft.state == "discarded"
    assert kept.boards
    for act in (apply, discard):
        with pytest.raises(DraftEnded, match="discarded"):
            act(three, made.number)
    assert make(three).versions == {"near": 3}


@on_sqlite
def test_a_draft_that_is_discarded_while_it_is_scored_is_left_alone(three: Toy) -> None:
    made = make(three)

    def watch(done: int, _total: int) -> None:
        if done == 1:
            discard(three, made.number)

    assert work(three, made.job_id, watch=watch) == "done"
    assert scores(three, "discarded") == 0
    assert page(three, made.number).draft.state == "discarded"


def test_two_who_apply_at_once_apply_once(three: Toy) -> None:
    made = ready(three)
    actors = [Actor(person(three), "web"), Actor(person(three), "web")]
    refused: list[str] = []
    barrier = threading.Barrier(2)

    def one(actor: Actor) -> None:
        barrier.wait()
        try:
            apply(three, made.number, actor)
        except DraftEnded as ended:
            refused.append(str(ended))

    threads = [threading.Thread(target=one, args=(actor,)) for actor in actors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["Draft 1 has been applied already."]
    with three.database.reading() as session:
        applied = session.scalars(select(AuditEntry).where(AuditEntry.action == "draft.applied")).all()
        news = session.scalars(select(News).where(News.kind == "gold")).all()
    assert len(applied) == 1
    assert len(news) == 2


@on_sqlite
def test_a_draft_that_replaces_what_is_no_longer_active_is_refused(three: Toy) -> None:
    made, other = ready(three), ready(three, (0.5, 0.5, 0.5))
    apply(three, other.number)
    assert page(three, made.number).outdated
    with pytest.raises(DraftOutdated, match="other gold has become active for near"):
        apply(three, made.number)
    assert states(three)[0] == ("near", 3, "active")


@on_sqlite
def test_drafts_of_other_tracks_do_not_stand_in_each_others_way(three: Toy) -> None:
    made = ready(three)
    path = three.write("drafted/same.txt", 3, 2, 1)
    with three.database.writing() as session:
        other = drafts.make(
            session, three.files, three.spec, three.scorer, {"same": path}, "judging", "", SHELL, NOON
        )
    work(three, other.job_id)
    apply(three, other.number)
    apply(three, made.number)
    assert three.lines("same") == [("c", 1), ("b", 2), ("a", 3)]


@on_sqlite
def test_a_run_that_breaks_the_scorer_has_failed_only_once_the_draft_is_applied(
    three: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = three.scorer.score

    def breaking(spec: object, run: object, benchmark: object) -> object:
        if run[0] == MIDDLING[0]:  # type: ignore[index]
            raise ArithmeticError("not this one")
        return real(spec, run, benchmark)

    monkeypatch.setattr(three.scorer, "score", breaking)
    made = ready(three)
    found = page(three, made.number).boards
    assert found is not None
    (lost,) = found[0].lost
    assert (lost.team, lost.after) == ("b", None)
    assert "scorer broke" in str(lost.why)
    assert [(move.team, move.place_after) for move in found[0].moves] == [("c", 1), ("a", 2), ("b", None)]
    with three.database.reading() as session:
        assert session.get_one(Run, lost.run_id).state == "scored"
    apply(three, made.number)
    with three.database.reading() as session:
        run = session.get_one(Run, lost.run_id)
        assert (run.state, run.failure_detail) == ("failed", "ArithmeticError: not this one")
    assert three.lines("near") == [("c", 1), ("a", 2)]


def test_a_run_whose_scoring_had_failed_comes_back_on_all_tracks(three: Toy) -> None:
    run_id = run_of(three, "b")
    with three.database.writing() as session:
        session.execute(update(Run).where(Run.id == run_id).values(state="failed"))
        session.execute(Score.__table__.delete().where(Score.run_id == run_id))  # type: ignore[attr-defined]
    made = ready(three)
    found = page(three, made.number).boards
    assert found is not None
    assert [each.team for each in found[0].gained] == ["b"]
    apply(three, made.number)
    with three.database.reading() as session:
        assert session.get_one(Run, run_id).state == "scored"
    assert three.lines("same") == [("a", 1), ("b", 2), ("c", 3)]


@on_sqlite
def test_values_that_become_undefined_and_defined_are_named(three: Toy) -> None:
    three.enter("flat", 0.5, 0.5, 0.5, minute=5)
    path = three.write("drafted/same.txt", 3, 2, 1)
    run_id = run_of(three, "a")
    with three.database.writing() as session:
        session.execute(
            update(Score).where(Score.run_id == run_id, Score.measure == "correlation").values(value=None)
        )
        made = drafts.make(
            session, three.files, three.spec, three.scorer, {"same": path}, "gold", "", SHELL, NOON
        )
    work(three, made.job_id)
    found = page(three, made.number).boards
    assert found is not None
    same = next(board for board in found if board.track == "same")
    assert [each.team for each in same.gained] == ["a"]
    assert same.lost == ()
    assert (same.runs, same.changed) == (4, 2)


@on_sqlite
def test_another_scorer_makes_a_draft_of_the_same_gold(three: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    with three.database.writing() as session, pytest.raises(NothingNew):
        drafts.make_for_scorer(session, three.files, three.spec, three.scorer, "", SHELL, NOON)
    monkeypatch.setattr(three.scorer, "VERSION", "2")
    with three.database.writing() as session:
        assert drafts.older_scorers(session, three.spec, three.scorer) == ("1",)
        made = drafts.make_for_scorer(session, three.files, three.spec, three.scorer, "", SHELL, NOON)
    assert made.versions == {"near": 2, "same": 2}
    work(three, made.job_id)
    found = page(three, made.number).boards
    assert found is not None
    assert not any(board.changes for board in found)
    apply(three, made.number)
    with three.database.reading() as session:
        assert drafts.older_scorers(session, three.spec, three.scorer) == ()
        assert {v.file_hash for v in gold.listing(session, three.spec) if v.track == "near"} == {
            gold.active(session, three.spec)[0].file_hash
        }
        assert {
            (r.gold_version, r.scorer_version)
            for r in run_pages.show(session, three.spec, run_of(three, "a")).results
        } == {
            (1, "1"),
            (2, "2"),
        }


@on_sqlite
def test_a_draft_scored_by_a_scorer_that_is_no_more_is_refused(
    three: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, waiting = ready(three), make(three, (0.2, 0.2, 0.2))
    monkeypatch.setattr(three.scorer, "VERSION", "2")
    with pytest.raises(DraftOutdated, match="version 1 of the scorer, which is 2"):
        apply(three, made.number)
    assert work(three, waiting.job_id) == "failed"
    error = page(three, waiting.number).draft.progress.error
    assert error is not None
    assert "outdated" in str(error)
    assert scores(three, "draft") == 6


@on_sqlite
def test_wrong_gold_makes_no_draft(toy: Toy) -> None:
    with pytest.raises(FormatError, match=r"near\.txt: line 1"):
        make(toy, ("x",))
    assert [state for _, _, state in states(toy)] == ["active", "active"]
    with pytest.raises(UnknownDraft):
        page(toy, 1)


@on_sqlite
def test_the_gold_of_now_makes_no_draft(toy: Toy) -> None:
    with pytest.raises(NothingNew):
        make(toy, (0.1, 0.5, 0.9))


@on_sqlite
def test_all_that_is_done_to_drafts_and_gold_is_in_the_log(three: Toy) -> None:
    ada = Actor(person(three), "web", "192.0.2.1")
    discard(three, make(three, actor=ada).number)
    apply(three, ready(three).number)
    with three.database.reading() as session:
        entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [(entry.action, entry.before, entry.after) for entry in entries] == [
        ("gold.installed", {}, {"near": 1, "same": 1}),
        ("draft.made", {}, {"near": 2}),
        ("draft.discarded", {}, {}),
        ("draft.made", {}, {"near": 3}),
        ("draft.applied", {"near": 1}, {"near": 3}),
    ]
    assert [entry.actor_id for entry in entries] == [None, ada.user_id, None, None, None]
    assert entries[1].reason == "try it"


@on_sqlite
def test_scoring_again_after_more_runs_brings_the_difference_up_to_date(three: Toy) -> None:
    made = ready(three)
    three.enter("d", 0.8, 0.5, 0.2, minute=9)
    with three.database.writing() as session:
        drafts.score_again(session, three.spec, made.number, SHELL, NOON)
    assert page(three, made.number).draft.state == "scoring"
    assert work(three, last_job(three)) == "done"
    found = page(three, made.number).boards
    assert found is not None
    assert [move.team for move in found[0].moves] == ["c", "d", "b", "a"]


@on_sqlite
def test_a_draft_whose_job_has_failed_goes_on_with_another(three: Toy) -> None:
    made = make(three)
    with three.database.writing() as session:
        assert drafts.go_on(session, three.spec, made.number, SHELL, NOON) == made.job_id
        session.execute(update(Job).values(state="failed"))
        again = drafts.go_on(session, three.spec, made.number, SHELL, NOON)
    assert again != made.job_id
    assert work(three, again) == "done"
    assert page(three, made.number).draft.state == "ready"


@on_sqlite
def test_a_draft_of_the_first_gold_of_a_track_places_its_runs(three: Toy) -> None:
    with three.database.writing() as session:
        session.execute(update(GoldVersion).where(GoldVersion.track == "near").values(state="retired"))
    made = ready(three)
    found = page(three, made.number).boards
    assert found is not None
    near = next(board for board in found if board.track == "near")
    assert [(move.team, move.place_before, move.place_after) for move in near.moves] == [
        ("c", None, 1),
        ("b", None, 2),
        ("a", None, 3),
    ]
    apply(three, made.number)
