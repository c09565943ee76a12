"""Archives and backups on the command line, by the very commands that docs/operating.md has."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from leaderboard.cli import main
from leaderboard.config import Settings, inside
from tests.web.installation import Installation

DOCS = Path(__file__).resolve().parents[2] / "docs" / "operating.md"


@pytest.fixture
def site(tmp_path: Path, tasks_folder: Path) -> Installation:
    """RUSSE with two runs."""
    made = Installation.make(tmp_path / "here", tasks_folder)
    made.install("russe")
    made.submit("russe", "embeddings.csv", "Foxes")
    made.submit("russe", "thesaurus.csv", "Owls")
    made.site.close()
    return made


def run(settings: Settings, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, obj=settings)


def done(settings: Settings, *arguments: str) -> str:
    result = run(settings, *arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def commands(title: str) -> list[list[str]]:
    """The commands of a section of the page, in their order."""
    section = DOCS.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


def follow(title: str, site: Installation, there: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Types the commands of a section; what brings something back is typed elsewhere."""
    monkeypatch.chdir(site.settings.instance.parent)
    for command in commands(title):
        if command[:2] == ["mkdir", "-p"]:
            os.makedirs(command[2], exist_ok=True)  # noqa: PTH103 - as the shell does
            continue
        assert command[:3] == ["python", "-m", "leaderboard"]
        brings = "import" in command or command[3:5] == ["restore", "backup/site.zip"]
        if "import" in command:
            done(there, "init")
        done(there if brings else site.settings, *command[3:])


@pytest.fixture
def there(tmp_path: Path, tasks_folder: Path) -> Settings:
    """An installation elsewhere, before `init`."""
    return inside(tmp_path / "there", Settings(tasks=(tasks_folder,)))


@pytest.mark.parametrize("title", ["Backup", "Archives"])
def test_following_the_docs_gives_the_same_rankings(
    title: str, site: Installation, there: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site.settings.instance.parent / "backup").mkdir()
    follow(title, site, there, monkeypatch)
    for track in ("hj", "rt", "ae"):
        for wanted in ("json", "csv"):
            asked = ("board", "russe", "--track", track, "--format", wanted)
            assert done(there, *asked) == done(site.settings, *asked)


def test_gold_in_an_archive_is_said_clearly(site: Installation, tmp_path: Path) -> None:
    target = tmp_path / "russe.zip"
    told = done(site.settings, "archive", "make", "russe", "--with-gold", "--output", str(target))
    assert "It has the hidden benchmarks" in told
    assert target.stat().st_mode & 0o777 == 0o600
    listed = done(site.settings, "archive", "list", "russe").splitlines()
    assert listed[1].split()[-4:-1] == ["yes", "own", str(target.stat().st_size)]


def test_what_is_refused_ends_in_one_sentence(site: Installation, there: Settings, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"nothing")
    done(there, "init")
    for command in (("archive", "import"), ("restore",), ("restore", "--check")):
        result = run(there, *command, str(tmp_path / "x.zip"))
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.output
        assert "is no ZIP file" in result.stderr
    assert "No archive of russe has been made yet" in done(there, "archive", "list", "russe")
