"""What organisers do to runs, and where a run is then, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from leaderboard.services import (
    boards,
    exports,
    gold,
    moderation,
    news,
    organiser_runs,
    public_runs,
    queue,
    run_actions,
    run_pages,
    runs,
    scoring,
    scoring_jobs,
    submissions,
    task_pages,
    team_history,
    team_runs,
)
from leaderboard.services.audit import Actor
from leaderboard.services.moderation import Action, Done, Order, ReasonRefused
from leaderboard.services.organiser_runs import Wanted
from leaderboard.services.rescoring import Transactions
from leaderboard.services.scoring import UnknownRun
from leaderboard.store.models import AuditEntry, Job, Run
from tests.services.members import captain, send, team_id
from tests.services.toy import NOON, Toy

ACTOR = Actor(None, "web", "192.0.2.7")
LATER = NOON + timedelta(hours=1)


def do(toy: Toy, action: Action, *run_ids: int, reason: str = "", now: datetime = LATER) -> Done:
    with toy.database.writing() as session:
        return moderation.carry_out(
            session, toy.spec, toy.scorer.VERSION, run_ids, Order(action, ACTOR, reason), now
        )


def log(toy: Toy) -> Sequence[AuditEntry]:
    with toy.database.reading() as session:
        runs_alone = select(AuditEntry).where(AuditEntry.subject_kind == "run")
        return session.scalars(runs_alone.order_by(AuditEntry.id)).all()


def column(toy: Toy, run_id: int, name: str) -> object:
    with toy.database.reading() as session:
        return getattr(session.get_one(Run, run_id), name)


def places(toy: Toy) -> dict[str, int | None]:
    return dict(toy.lines("near"))


def test_a_disqualified_run_stays_on_the_board_with_its_reason_and_without_a_place(toy: Toy) -> None:
    best, _ = toy.enter("a", 0.1, 0.5, 0.9), toy.enter("b", 0.2, 0.5, 0.9, minute=1)
    do(toy, "disqualify", best, reason="trained on the test set")
    assert places(toy) == {"b": 1, "a": None}
    with toy.database.reading() as session:
        board = boards.board(session, toy.spec, "near", "open")
        assert public_runs.show(session, toy.spec, best, LATER).summary.disqualified
    (line,) = [row for row in board.rows if row.team == "a"]
    assert line.disqualified
    assert "trained on the test set" in str(line.reason)
    assert "trained on the test set" in exports.render(toy.spec, board, "markdown")
    do(toy, "qualify", best)
    assert places(toy) == {"a": 1, "b": 2}


def test_disqualifying_says_why(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    for reason in ("", "  \n", "x" * 1001):
        with pytest.raises(ReasonRefused):
            do(toy, "disqualify", run, reason=reason)
    assert column(toy, run, "disqualified_at") is None
    assert not log(toy)


def test_another_reason_is_a_change_and_the_same_one_is_none(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    do(toy, "disqualify", run, reason="one")
    assert do(toy, "disqualify", run, reason="one") == Done((), (run,))
    do(toy, "disqualify", run, reason="two", now=LATER + timedelta(hours=1))
    assert column(toy, run, "disqualified_at") == LATER
    assert [(entry.before, entry.after) for entry in log(toy)][1] == (
        {"disqualified_for": "one"},
        {"disqualified_for": "two"},
    )


@pytest.mark.parametrize(
    ("action", "back", "named"),
    [
        ("disqualify", "qualify", ("run.disqualified", "run.qualified")),
        ("hide", "unhide", ("run.hidden", "run.shown")),
        ("baseline", "ordinary", ("run.kind_changed", "run.kind_changed")),
        ("contrastive", "ordinary", ("run.kind_changed", "run.kind_changed")),
        ("delete", "undelete", ("run.deleted", "run.restored")),
    ],
)
def test_what_is_done_can_be_undone_and_both_stand_in_the_log(
    toy: Toy, action: Action, back: Action, named: tuple[str, str]
) -> None:
    run, _ = toy.enter("a", 0.1, 0.5, 0.9), toy.enter("b", 0.2, 0.5, 0.9)
    assert do(toy, action, run, reason="for a reason").changed == (run,)
    assert places(toy).get("a") is None
    assert do(toy, back, run).changed == (run,)
    assert places(toy) == {"a": 1, "b": 2}
    first, second = log(toy)
    assert (first.action, second.action) == named
    assert first.before == second.after
    assert first.after == second.before
    assert first.before != first.after
    assert (first.subject_kind, first.subject_id, first.subject_name) == ("run", str(run), "a")
    assert (first.reason, first.address, first.happened_at) == ("for a reason", "192.0.2.7", LATER)


def test_many_runs_are_changed_together_with_a_line_in_the_log_for_each(toy: Toy) -> None:
    ids = [toy.enter(name, 0.1, 0.5, 0.9, minute=number) for number, name in enumerate("abcd")]
    do(toy, "hide", ids[0])
    assert do(toy, "hide", *ids) == Done(tuple(ids[1:]), (ids[0],))
    assert places(toy) == {}
    assert [entry.subject_id for entry in log(toy)] == [str(run) for run in ids]


def test_a_run_of_another_task_changes_nothing_at_all(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    with pytest.raises(UnknownRun):
        do(toy, "hide", run, run + 1)
    assert column(toy, run, "hidden_at") is None


@pytest.mark.parametrize("action", ["hide", "delete"])
def test_what_is_hidden_or_deleted_is_nowhere_for_others(toy: Toy, action: Action) -> None:
    run, other = toy.enter("a", 0.1, 0.5, 0.9), toy.enter("b", 0.2, 0.5, 0.9)
    do(toy, action, run)
    with toy.database.reading() as session:
        spec = toy.spec
        (page,) = task_pages.overview(session, (spec,), LATER)
        assert (page.runs, page.teams, {leader.team for leader in page.leaders}) == (1, 1, {"b"})
        for track in ("near", "same", None):
            for form in ("csv", "json", "latex", "markdown", "text"):
                board = boards.board(session, spec, track, "open")
                assert [row.team for row in board.rows] == ["b"]
                assert "a.txt" not in exports.render(spec, board, form)
        with pytest.raises(UnknownRun):
            public_runs.show(session, spec, run, LATER)
        assert public_runs.show(session, spec, other, LATER).summary.run_id == other
        assert all(
            change.run_id != run for item in news.listing(session, spec, LATER) for change in item.changes
        )
        assert run in {
            row.summary.run_id for row in _listed(toy, mark="deleted" if action == "delete" else "hidden")
        }


@pytest.mark.parametrize("action", ["hide", "delete"])
def test_boards_of_earlier_gold_do_not_keep_what_was_taken_away(toy: Toy, action: Action) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    toy.enter("b", 0.2, 0.5, 0.9)
    toy.install_gold(near=(0.1, 0.5, 0.8))
    do(toy, action, run)
    with toy.database.reading() as session:
        board = boards.board(session, toy.spec, "near", "open", gold_version=1)
    assert [row.team for row in board.rows] == ["b"]
    assert board.lines == 1


def test_a_deleted_run_is_gone_for_its_team_too_and_frees_its_slot(toy: Toy) -> None:
    person = captain(toy, "a")
    team, run = team_id(toy, person), send(toy, person, 0.1, 0.5, 0.9).run_id
    do(toy, "delete", run)
    with toy.database.writing() as session:
        assert run_pages.listing(session, toy.spec) == ()
        assert not team_history.show(session, toy.spec, team, team_history.Wanted(), LATER).rows
        for ask in (
            lambda: run_pages.show(session, toy.spec, run),
            lambda: team_runs.show(session, toy.spec, team, run, LATER),
            lambda: run_actions.withdraw(session, toy.spec, "1", team, run, LATER),
        ):
            with pytest.raises(UnknownRun):
                ask()
        assert submissions.state(session, toy.spec, team, LATER).quota.in_all == 0
    with pytest.raises(runs.RunRemoved):
        send(toy, person, 0.1, 0.5, 0.9)


def test_a_hidden_run_is_still_seen_by_its_team_without_scores(toy: Toy) -> None:
    person = captain(toy, "a")
    run = send(toy, person, 0.1, 0.5, 0.9).run_id
    do(toy, "hide", run)
    with toy.database.reading() as session:
        page = team_runs.show(session, toy.spec, team_id(toy, person), run, LATER).page
    assert page.results == ()


def test_a_deletion_is_undone_within_30_days_and_not_later(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    do(toy, "delete", run)
    assert do(toy, "hide", run) == Done((), (run,))
    assert do(toy, "undelete", run, now=LATER + timedelta(days=30)) == Done((), (run,))
    assert do(toy, "undelete", run, now=LATER + timedelta(days=29)).changed == (run,)
    assert places(toy) == {"a": 1}


def test_a_deleted_run_goes_on_being_scored_so_that_it_can_come_back(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    do(toy, "delete", run)
    toy.install_gold(near=(0.1, 0.5, 0.8))
    toy.score(run)
    do(toy, "undelete", run)
    assert places(toy) == {"a": 1}


def test_a_run_marked_as_baseline_is_not_chosen_any_more(toy: Toy) -> None:
    person = captain(toy, "a")
    run = send(toy, person, 0.1, 0.5, 0.9).run_id
    with toy.database.writing() as session:
        session.get_one(Run, run).selected = True
    do(toy, "baseline", run)
    assert (column(toy, run, "kind"), column(toy, run, "selected")) == ("baseline", False)


def test_scoring_again_makes_a_job_that_scores_a_scored_run(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    assert do(toy, "score-again", run).changed == (run,)
    before = column(toy, run, "scored_at")
    transactions = Transactions(toy.database.reading, toy.database.writing)
    job = scoring_jobs.job(transactions, toy.files, lambda _: (toy.spec, toy.scorer), lambda: LATER)
    with toy.database.reading() as session:
        (job_id,) = session.scalars(select(Job.id))
    queue.run(toy.database.writing, {scoring_jobs.JOB: job}, job_id, lambda: LATER)
    assert before == NOON
    assert column(toy, run, "scored_at") == LATER
    assert log(toy)[0].action == "run.requeued"


def test_a_failed_run_waits_for_its_scores_again_and_a_rejected_one_is_left(toy: Toy) -> None:
    broken, faulty = toy.enter("a", 666, 1, 1), toy.submit("b", "not a number").run_id
    assert do(toy, "score-again", broken, faulty) == Done((broken,), (faulty,))
    assert column(toy, broken, "state") == "received"
    with toy.database.reading() as session:
        assert scoring.pending(session, toy.spec) == (broken,)


def _listed(toy: Toy, **wanted: object) -> tuple[organiser_runs.Row, ...]:
    with toy.database.reading() as session:
        return organiser_runs.listing(session, toy.spec, Wanted(**wanted)).rows  # type: ignore[arg-type]


def names(toy: Toy, **wanted: object) -> str:
    return "".join(row.summary.team for row in _listed(toy, **{"descending": False, **wanted}))


def test_organisers_find_runs_by_whatever_sets_them_apart(toy: Toy) -> None:
    first = toy.enter("a", 0.1, 0.5, 0.9, name="one")
    toy.enter("b", 0.2, 0.5, 0.9, minute=1, kind="baseline", name="hundred%")
    toy.submit("c", "x", minute=2)
    hidden, deleted = (toy.enter(team, 0.3, 0.5, 0.9, minute=3) for team in "de")
    do(toy, "hide", hidden)
    do(toy, "delete", deleted)
    assert names(toy) == "abcd"
    assert names(toy, mark="deleted") == "e"
    assert names(toy, mark="hidden") == "d"
    assert names(toy, mark="clean", state="scored") == "ab"
    assert names(toy, state="rejected") == "c"
    assert names(toy, kind="baseline") == "b"
    assert names(toy, text="ONE") == "a"
    assert names(toy, text=str(first)) == "a"
    assert names(toy, text="%") == "b"
    assert names(toy, phase="nowhere") == ""
    (row,) = _listed(toy, text="one")
    assert row.values["near"] == pytest.approx(1.0)
    assert names(toy, team=row.team_id) == "a"
    with toy.database.reading() as session:
        assert organiser_runs.matching(session, toy.spec, Wanted(mark="hidden")) == (hidden,)


def test_the_list_is_sorted_and_paged_by_the_database(toy: Toy) -> None:
    for minute, (team, far) in enumerate((("b", 0.3), ("c", 0.2), ("a", 0.4))):
        toy.enter(team, far, 0.5, 0.9, minute=minute)
    toy.submit("d", "x", minute=3)
    assert names(toy, sort="team") == "abcd"
    assert names(toy, sort="submitted", descending=True) == "dacb"
    assert names(toy, sort="near", descending=True) == "cbad"
    assert names(toy, sort="near") == "abcd"
    with toy.database.reading() as session:
        pages = [
            organiser_runs.listing(session, toy.spec, Wanted(sort="team", descending=False, page=page), 3)
            for page in (1, 2, 9)
        ]
    assert [[row.summary.team for row in page.rows] for page in pages] == [["a", "b", "c"], ["d"], ["d"]]
    assert [(page.total, page.pages, page.wanted.page) for page in pages] == [(4, 2, 1), (4, 2, 2), (4, 2, 2)]


def test_the_page_of_a_run_has_all_versions_and_what_was_done_to_it(toy: Toy) -> None:
    run = toy.enter("a", 0.1, 0.5, 0.9)
    toy.install_gold(near=(0.1, 0.5, 0.8))
    toy.score(run)
    do(toy, "hide", run, reason="a complaint")
    do(toy, "delete", run)
    with toy.database.reading() as session:
        shown = organiser_runs.show(session, toy.spec, run, LATER)
        assert gold.active(session, toy.spec)[0].number == 2
    assert {(result.track, result.gold_version) for result in shown.page.results} >= {
        ("near", 1),
        ("near", 2),
    }
    assert [entry.action for entry in shown.history] == ["run.deleted", "run.hidden"]
    assert shown.history[1].reason == "a complaint"
    assert str(shown.history[0].sentence) == "Somebody at the command line deleted the run a."
    assert shown.actions == ("undelete",)
    assert shown.undo_until == LATER + timedelta(days=30)
