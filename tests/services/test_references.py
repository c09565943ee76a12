"""Published results of others."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.services import boards, references
from leaderboard.services.audit import SHELL
from leaderboard.store.models import AuditEntry
from tests.services.toy import NOON, Toy


def published(toy: Toy, text: str) -> Path:
    path = toy.folder / "published.csv"
    path.write_text(text)
    return path


def test_published_results_stand_beside_the_ranking_with_their_source(toy: Toy) -> None:
    toy.enter("a", 0.1, 0.5, 0.9)
    path = published(toy, "run,participant,map,ndcg_cut_3\nbert,uni,0.1670,\nbase,lab,0.5,0.25\n")
    with toy.database.writing() as session:
        assert references.import_csv(session, toy.spec, path, "TREC 2019", track="near") == 2
    with toy.database.reading() as session:
        near = boards.board(session, toy.spec, "near", "open")
        same = boards.board(session, toy.spec, "same", "open")
    assert [(row.run_name, row.participant, row.values, row.source) for row in near.references] == [
        ("bert", "uni", {"AP": 0.167}, "TREC 2019"),
        ("base", "lab", {"AP": 0.5, "nDCG@3": 0.25}, "TREC 2019"),
    ]
    assert same.references == ()
    assert [(row.team, row.place) for row in near.rows] == [("a", 1)]


def test_importing_a_source_again_replaces_it(toy: Toy) -> None:
    with toy.database.writing() as session:
        for text in ("run,map\nx,0.1\ny,0.2\n", "run,map\nz,0.3\n"):
            references.import_csv(session, toy.spec, published(toy, text), "A")
        references.import_csv(session, toy.spec, published(toy, "run,map\nw,0.4\n"), "B")
        listed = references.listing(session, toy.spec, "same")
    assert [row.run_name for row in listed] == ["z", "w"]


def test_columns_can_be_named(toy: Toy) -> None:
    path = published(toy, "system,score,other\nx,0.5,9\n")
    with toy.database.writing() as session:
        references.import_csv(session, toy.spec, path, "A", {"system": "run", "score": "compat(p=0.8)"})
        assert references.listing(session, toy.spec)[0].values == {"compat(p=0.8)": 0.5}


def test_an_unknown_track_is_refused(toy: Toy) -> None:
    with toy.database.writing() as session, pytest.raises(references.UnknownTrack):
        references.import_csv(session, toy.spec, published(toy, "run\nx\n"), "A", track="far")


def test_a_column_that_means_no_measure_is_refused(toy: Toy) -> None:
    path = published(toy, "run,x\nx,1\n")
    with toy.database.writing() as session, pytest.raises(references.UnknownMeasure, match="@@"):
        references.import_csv(session, toy.spec, path, "A", {"run": "run", "x": "@@"})


@pytest.mark.parametrize(("year", "count"), [("2019", 65), ("2020", 55)])
def test_the_official_results_of_cast_can_be_imported(
    toy: Toy, shared_data: Path, year: str, count: int
) -> None:
    path = shared_data / "official_results" / f"cast{year}_official_results.csv"
    with toy.database.writing() as session:
        found = references.import_csv(session, toy.spec, path, f"TREC CAsT {year}", track="near")
        listed = references.listing(session, toy.spec, "near")
    assert found == len(listed) == count
    assert {"AP", "RR", "R@1000", "nDCG"} <= set(listed[0].values)


def test_what_organisers_import_and_remove_stands_in_the_log(toy: Toy) -> None:
    path = published(toy, "run,map\nx,0.1\ny,0.2\n")
    with toy.database.writing() as session:
        for _ in range(2):
            assert references.publish(session, toy.spec, path, "  TREC  2019 ", "near", SHELL, NOON) == 2
        (source,) = references.sources(session, toy.spec)
        assert (source.name, source.track, source.runs) == ("TREC 2019", "near", 2)
        with pytest.raises(references.SourceRefused):
            references.publish(session, toy.spec, path, " ", None, SHELL, NOON)
        assert references.remove(session, toy.spec, "TREC 2019", SHELL, NOON) == 2
        assert references.remove(session, toy.spec, "TREC 2019", SHELL, NOON) == 0
        about = select(AuditEntry).where(AuditEntry.subject_kind == "references").order_by(AuditEntry.id)
        logged = [(entry.action, entry.before, entry.after) for entry in session.scalars(about)]
    assert logged == [
        ("references.imported", {}, {"runs": 2, "track": "near"}),
        ("references.imported", {"runs": 2}, {"runs": 2, "track": "near"}),
        ("references.removed", {"runs": 2}, {}),
    ]
