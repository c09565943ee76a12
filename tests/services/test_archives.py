"""Packing a task with everything it has."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.services import analysing, archives, moderation, queue, team_moderation
from leaderboard.services.archive_writing import FileGone
from leaderboard.services.archives import UnknownArchive, Wanted
from leaderboard.services.audit import Actor
from leaderboard.services.board_values import seed_of
from leaderboard.services.moderation import Order
from leaderboard.store.models import AuditEntry, GoldVersion, Run
from leaderboard.store.session import Database
from tests.services.archived import elsewhere, entries, fill, make, no_progress, transactions
from tests.services.busy import rescore_everything
from tests.services.toy import NOON, Toy

OLGA = Actor(None, "web", "192.0.2.1")


@pytest.fixture(scope="module")
def filled(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    """Two versions of gold, three teams, one of them behind an alias; made once, and not to be changed."""
    bare = Toy(Database("sqlite://"), tmp_path_factory.mktemp("filled"))
    toy = elsewhere(bare, sqlite_template).install()
    yield fill(toy)
    toy.database.close()


def table(content: dict[str, bytes], path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content[path].decode(), newline="")))


def test_the_manifest_has_the_hash_of_every_entry(filled: Toy) -> None:
    content = entries(make(filled))
    manifest = json.loads(content.pop("manifest.json"))
    assert (manifest["task"], manifest["gold"], manifest["names"]) == ("toy", False, "public")
    assert {each["path"]: each["sha256"] for each in manifest["entries"]} == {
        path: hashlib.sha256(text).hexdigest() for path, text in content.items()
    }


def test_every_ranking_is_there_in_four_formats_also_of_earlier_gold(filled: Toy) -> None:
    content = entries(make(filled))
    names = ("near-version-1", "near-version-2", "same-version-1", "overall")
    wanted = {
        f"standings/open/in-time/{name}.{ending}" for name in names for ending in ("csv", "json", "tex", "md")
    }
    assert {path for path in content if path.startswith("standings/")} == wanted


def test_the_same_state_gives_the_same_bytes(filled: Toy) -> None:
    made = [make(filled).name for _ in range(2)]
    assert made[0] == made[1]
    assert len({made[0], make(filled, own_names=True).name, make(filled, with_gold=True).name}) == 3


def test_runs_tell_method_file_and_where_they_count(filled: Toy) -> None:
    content = entries(make(filled))
    best, formula, _ = table(content, "runs.csv")
    assert (best["system"], best["manner"], best["counts_on"]) == ("a system", "manual", "near same")
    assert content[best["file"]] == b"0.1\n0.5\n0.9\n"
    assert best["file"] == f"runs/{best['sha256']}.txt"
    assert formula["team"] == "'=cmd()"


def test_values_by_topic_are_exact(filled: Toy) -> None:
    (first, *_) = table(entries(make(filled)), "per-topic/near-version-2/closeness.csv")
    assert [float(first[topic]) for topic in "abc"] == [1 - abs(0.1 - 0.3), 1.0, 1.0]


@pytest.mark.parametrize("own", [True, False])
def test_teams_are_called_as_was_asked(filled: Toy, own: bool) -> None:
    content = entries(make(filled, own_names=own))
    text = b"".join(content.values())
    assert [path for path, each in content.items() if b"Zebras" in each and not own] == []
    assert (b"Zebras" in text) == own
    assert (b"A place" in text) == own
    assert b"Owl" in text


def test_no_person_is_in_it(filled: Toy) -> None:
    text = b"".join(entries(make(filled, own_names=True)).values())
    assert b"May we?" in text
    assert b"All is well." in text
    assert not [each for each in (b"example.org", b"Olga", b"In private?") if each in text]


def test_gold_is_there_only_where_asked_for(filled: Toy) -> None:
    without, with_gold = entries(make(filled)), entries(make(filled, with_gold=True))
    assert not [path for path in without if path.startswith("gold/")]
    assert not [path for path, text in without.items() if b"0.3\n0.5\n0.9\n" in text or b"a note" in text]
    assert b"not in this archive" in without["README.md"]
    assert with_gold["gold/near-version-2/near.txt"] == b"0.3\n0.5\n0.9\n"
    assert with_gold["gold/near-version-1/near.txt"] == b"0.1\n0.5\n0.9\n"
    assert b"This archive has the hidden benchmarks" in with_gold["README.md"]


def test_without_gold_nothing_in_it_confirms_a_guess_of_the_file(filled: Toy) -> None:
    transactions_of = transactions(filled)
    analysing.finish(transactions_of, filled.files, filled.spec, filled.scorer, lambda: NOON, no_progress)
    with filled.database.reading() as session:
        # One run of the toy is the first version to the byte.
        hashes = set(session.scalars(select(GoldVersion.file_hash))) - set(
            session.scalars(select(Run.file_hash))
        )
    assert len(hashes) == 2
    content = entries(make(filled))
    assert b'"lettered": true' in content["records/board_analysis.jsonl"]
    text = b"".join(content.values())
    for file_hash in hashes:
        for told in (file_hash, file_hash[:12], str(seed_of(file_hash))):
            assert told.encode() not in text
    marks = [json.loads(line)["file_hash"] for line in content["records/gold_version.jsonl"].splitlines()]
    assert len(set(marks)) == len(marks) == 3
    with_gold = entries(make(filled, with_gold=True))["records/gold_version.jsonl"]
    assert all(file_hash.encode() in with_gold for file_hash in hashes)


def test_what_was_deleted_stays_out_and_what_was_hidden_is_marked(toy: Toy) -> None:
    kept = toy.enter("a", 0.1, 0.5, 0.9)
    spam, hidden = toy.enter("spammer", 0.4, 0.4, 0.5), toy.enter("c", 0.3, 0.5, 0.9)
    toy.install_gold(near=(0.3, 0.5, 0.9))
    rescore_everything(toy)
    with toy.database.writing() as session:
        team = session.get_one(Run, spam).team_id
        team_moderation.delete(session, toy.spec, "1", team, "spam", OLGA, NOON)
        moderation.carry_out(session, toy.spec, "1", [hidden], Order("hide", OLGA), NOON)
    content = entries(make(toy, own_names=True))
    assert not [path for path, text in content.items() if b"spammer" in text or b"0.4\n0.4\n0.5\n" in text]
    assert [row["run"] for row in table(content, "runs.csv")] == [str(kept), str(hidden)]
    assert table(content, "runs.csv")[1]["hidden_at"]
    assert b"What organisers deleted is not in it" in content["README.md"]


def test_one_with_gold_lies_with_the_gold_and_its_download_is_noted(toy: Toy) -> None:
    assert toy.files.gold.root in make(toy, with_gold=True).parents
    with toy.database.writing() as session:
        archives.fetched(session, toy.spec, 1, OLGA, NOON)
    assert [(entry.action, entry.address) for entry in log(toy)] == [
        ("archive.requested", ""),
        ("archive.downloaded", "192.0.2.1"),
    ]


def test_a_job_makes_it_once_for_all_who_ask_meanwhile(toy: Toy) -> None:
    toy.enter("a", 0.1, 0.5, 0.9)
    with toy.database.writing() as session:
        first = archives.request(session, toy.spec, Wanted(), OLGA, NOON)
        assert archives.request(session, toy.spec, Wanted(), OLGA, NOON) == first
        assert archives.request(session, toy.spec, Wanted(own_names=True), OLGA, NOON) == first + 1
        job_id = archives.of_number(session, toy.spec, first).job_id or 0
    work = archives.job(transactions(toy), toy.files, lambda _name: (toy.spec, toy.scorer), lambda: NOON)
    with pytest.raises(UnknownArchive), toy.database.writing() as session:
        archives.fetched(session, toy.spec, first, OLGA, NOON)
    assert queue.run(toy.database.writing, {archives.JOB: work}, job_id, lambda: NOON) == "done"
    with toy.database.reading() as session:
        second, made = archives.listing(session, toy.spec)
    assert (second.state, made.state) == ("waiting", "done")
    assert archives.path_of(toy.files, made).stat().st_size == made.size
    assert [entry.after for entry in log(toy)] == [
        {"with_gold": False, "own_names": False},
        {"with_gold": False, "own_names": True},
    ]


def test_it_is_of_one_state_whatever_is_committed_meanwhile(toy: Toy) -> None:
    toy.enter("a", 0.1, 0.5, 0.9)
    before = make(toy).name

    def busy(done: int, _total: int) -> None:
        if done == 3:
            toy.enter("b", 0.2, 0.5, 0.9, minute=1)

    with toy.database.writing() as session:
        number = archives.begin(session, toy.spec, Wanted(), OLGA, NOON).number
    made = archives.make(transactions(toy), toy.files, toy.spec, number, lambda: NOON, busy)
    assert made.file_hash == before
    assert len(toy.lines("near")) == 2


def test_a_file_that_is_gone_or_damaged_is_named(toy: Toy) -> None:
    file_hash = hashlib.sha256(b"0.1\n").hexdigest()
    toy.enter("a", 0.1)
    lost = toy.files.kept.path(file_hash)
    lost.write_bytes(b"0.7\n")
    with pytest.raises(FileGone, match="is damaged"):
        make(toy)
    lost.unlink()
    with pytest.raises(FileGone, match=file_hash):
        make(toy)
    assert not list((toy.files.kept.root / "incoming").iterdir())


def log(toy: Toy) -> list[AuditEntry]:
    with toy.database.reading() as session:
        return list(
            session.scalars(
                select(AuditEntry).where(AuditEntry.subject_kind == "archive").order_by(AuditEntry.id)
            )
        )
