"""Archives that an administrator brings to the site."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from leaderboard.services import archives, exports
from leaderboard.services import boards as reading
from leaderboard.services.audit import SHELL
from leaderboard.services.rescoring import unwatched
from leaderboard.site import Site
from leaderboard.store.files import FileMissing
from tests.web.browser import make_app, site_of
from tests.web.installation import Installation, clock
from tests.web.organisers import Administrator

PAGE = "/administration/archives"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Flask:
    """Another installation, as `init` makes it."""
    return make_app(tmp_path / "elsewhere")


def archive_of(own: Installation) -> Path:
    own.submit("russe", "embeddings.csv", "Foxes")
    spec, site = own.spec("russe"), own.site
    with site.database.writing() as session:
        number = archives.begin(session, spec, archives.Wanted(), SHELL, clock()).number
    made = archives.make(site.transactions, site.files, spec, number, clock, unwatched)
    return archives.path_of(site.files, made)


def ranking(site: Site) -> str:
    with site.database.reading() as session:
        spec = site.spec(session, "russe")
        board = reading.board(session, spec, "hj", reading.current_phase(spec, clock()))
    return exports.render(spec, board, "json")


def send(app: Flask, path: Path) -> Administrator:
    ada = Administrator(app)
    ada.open(PAGE)
    with path.open("rb") as stream:
        ada.send(PAGE, file=(stream, "russe.zip"))  # type: ignore[arg-type] # a file
    site_of(app).jobs.drain()
    return ada


def test_an_archive_that_is_sent_is_imported(own: Installation, elsewhere: Flask) -> None:
    path = archive_of(own)
    kept = site_of(elsewhere).files.gold
    ada = send(elsewhere, path)
    with pytest.raises(FileMissing):
        kept.path(kept.measured(path).file_hash)
    page = ada.open(PAGE)
    assert "without the benchmarks" in page
    assert ranking(site_of(elsewhere)) == ranking(own.site)
    assert "Foxes" in ada.open("/tasks/russe/organise/runs")


def test_what_is_refused_is_said_and_leaves_no_file(elsewhere: Flask, tmp_path: Path) -> None:
    (tmp_path / "cake.zip").write_bytes(b"no archive")
    ada = send(elsewhere, tmp_path / "cake.zip")
    assert "<bdi>russe.zip</bdi> is no ZIP file" in ada.open(PAGE)
    gold = site_of(elsewhere).files.gold.root
    assert [path for path in gold.rglob("*") if path.is_file()] == []
    ada.send(PAGE)
    assert ada.last.status_code == 422
