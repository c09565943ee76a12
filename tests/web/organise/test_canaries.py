"""What organisers see and take home holds nothing of the values of the gold, unless they ask for the gold."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from leaderboard.services.board_values import seed_of
from tests.web.browser import site_of
from tests.web.installation import Installation
from tests.web.marked import VALUE, WORDS, marked_gold, texts_of
from tests.web.members import app_of
from tests.web.organisers import Organiser

PAGES = (
    *("", "/now", "/runs", "/runs?sort=hj", "/runs/1", "/runs/2", "/runs/3", "/teams", "/teams/1"),
    *("/board", "/board?track=hj"),
    *("/over-time/runs.csv", "/over-time/best.csv?track=hj", "/over-time/best.svg?track=rt"),
    *("/gold", "/gold/drafts/1", "/gold/drafts/1/progress", "/log", "/log/log.csv", "/log/log.jsonl"),
    *("/archive", "/archive/1.zip", "/archive/1/progress", "/resources", "/settings", "/phases"),
)  # fmt: skip


def with_value(folder: Path) -> Path:
    """Other gold: one more pair, and a value that stands nowhere else."""
    path = folder / "hj-test.csv"
    path.write_text(path.read_text("utf-8") + f"{WORDS[1]},{WORDS[2]},{VALUE}1\n", "utf-8")
    return path


@pytest.fixture
def olga(own: Installation, tmp_path: Path) -> Organiser:
    """Marked gold, a run, a rejected one and one that lacks pairs, a draft and an archive."""
    folder = marked_gold(own, "russe", tmp_path / "gold")
    own.install_gold("russe", folder)
    own.submit("russe", "embeddings.csv", "Foxes")
    short = tmp_path / "short.csv"
    sample = (own.spec("russe").folder / "sample/runs/random.csv").read_text("utf-8").splitlines()
    short.write_text("\n".join([*sample[:20], "странное,слово,0.5"]) + "\n", "utf-8")
    own.submit("russe", str(short), "Owls")
    lacking = tmp_path / "lacking.csv"
    lacking.write_text("\n".join(sample[:-30]) + "\n", "utf-8")
    own.submit("russe", str(lacking), "Cats")
    own.analyse("russe")
    olga = Organiser(app_of(own))
    olga.open(olga.at("gold"))
    draft = with_value(folder).read_bytes()
    olga.send(olga.at("gold"), files=(io.BytesIO(draft), "hj-test.csv"), note="")  # type: ignore[arg-type] # a file
    olga.open(olga.at("archive"))
    olga.send(olga.at("archive"), names="own")
    site_of(olga.app).jobs.drain()
    return olga


def secrets_of(own: Installation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words and the value that the gold alone holds, and what could confirm a guess of its file."""
    hashes = [path.name for path in (own.settings.instance / "gold").rglob("*") if len(path.name) == 64]
    return (*WORDS, VALUE), (*hashes, *(str(seed_of(each)) for each in hashes))


def test_no_page_export_or_archive_of_organisers_tells_what_the_gold_holds(
    own: Installation, olga: Organiser
) -> None:
    held, confirming = secrets_of(own)
    told = []
    for page in PAGES:
        answer = olga.client.get(olga.at("")[:-1] + page, headers=olga.headers, buffered=True)
        assert answer.status_code == 200, page
        # Organisers compare the hash of a version with that of their file on its own page.
        secrets = held if page.startswith("/gold") else (*held, *confirming)
        told += [(page, secret) for text in texts_of(answer) for secret in secrets if secret in text]
    assert told == []
    assert "what is wrong" in olga.open(olga.at("runs/2"))


def test_with_its_tick_an_archive_has_all_of_it(own: Installation, olga: Organiser) -> None:
    olga.open(olga.at("archive"))
    olga.send(olga.at("archive"), names="own", with_gold="y")
    site_of(olga.app).jobs.drain()
    answer = olga.client.get(olga.at("archive/2.zip"), headers=olga.headers, buffered=True)
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        records = archive.read("records/gold_version.jsonl").decode()
        assert VALUE in archive.read("gold/hj-version-2/hj-test.csv").decode()
    assert any(each in records for each in secrets_of(own)[1])
