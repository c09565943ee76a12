"""The pages about operating are right: their commands are run, their files are read by whom they are for."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from leaderboard.cli import main
from leaderboard.cli.serve import serve
from leaderboard.cli.worker import worker
from leaderboard.config import Settings, from_environment, to_environment
from tests.conftest import REPOSITORY
from tests.operating.pages import blocks, of
from tests.operating.proxies import NGINX, certificate, configured

SERVER = "docs/operating/server.md"
OURS = "python -m leaderboard "

ELSEWHERE = {
    "apt-get": "changes the machine",
    "useradd": "changes the machine",
    "systemctl": "needs systemd to run the machine; its units are verified below",
    "nginx": "the file is read by nginx below",
    "curl": "test_probes and test_serving_told ask the same addresses",
    "until": "test_rolling waits in the same way",
    "python3.11": "makes what this test runs in",
    "/opt/leaderboard/0.1/.venv/bin/pip": "installs what this test runs in; test_lock reads the lock",
}
"""Commands that are not run here, by their first word, and why."""


def commands() -> list[str]:
    return [
        line
        for block in blocks()
        if block.language == "sh"
        for line in block.text.splitlines()
        if line and not line.startswith("#")
    ]


def test_every_block_is_of_a_language_that_is_looked_into() -> None:
    known = {"sh", "env", "ini", "nginx", "json", "yaml"}
    assert {block.language for block in blocks()} == known


def fetched(folder: Path) -> None:
    """What `data fetch russe` brings, from the sample: test_data fetches for real."""
    for part in ("inputs", "gold"):
        shutil.copytree(REPOSITORY / "tasks" / "russe" / "sample" / part, folder / "data" / "russe" / part)


def starts(command: str) -> None:
    """A server is not left running: its options are read, and test_serve starts real ones."""
    _, name, *options = shlex.split(command.removeprefix("python -m "))
    {"serve": serve, "worker": worker}[name].make_context(name, options)


def test_commands_do_what_they_say_in_the_order_of_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in to_environment(Settings()):
        monkeypatch.delenv(name, raising=False)
    instead: dict[str, Callable[[], object]] = {"data fetch russe": lambda: fetched(tmp_path)}
    used = set()
    ours = 0
    for command in commands():
        # Paths of the machine are laid under the folder.
        here = command.replace("/opt/", f"{tmp_path}/opt/")
        first = shlex.split(command)[0]
        if first in ELSEWHERE:
            used.add(first)
            continue
        if not command.startswith(OURS):
            done = subprocess.run(["bash", "-euc", here], capture_output=True, text=True, check=False)
            assert done.returncode == 0, (command, done.stderr)
            continue
        ours += 1
        given = command.removeprefix(OURS)
        if given.split()[0] in ("serve", "worker"):
            starts(command)
        elif given in instead:
            instead[given]()
        else:
            run(given, tmp_path)
    assert ours > 15
    assert used == set(ELSEWHERE), "a reason for what no page says"


def run(given: str, folder: Path) -> None:
    """A command of ours. An installation that something is brought into must have nothing: there it goes."""
    instance = folder / "instance"
    if given.startswith(("restore backup", "archive import")):
        instance.rename(folder / f"instance-before-{len(list(folder.iterdir()))}")
        assert CliRunner().invoke(main, ["init"], obj=from_environment({})).exit_code == 0
    result = CliRunner().invoke(main, shlex.split(given), obj=from_environment({}))
    assert result.exit_code == 0, (given, result.output)


def test_settings_in_examples_are_settings() -> None:
    known = {*to_environment(Settings()), "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"}
    for block in blocks():
        if block.language == "env":
            pairs = [line.partition("=") for line in block.text.splitlines()]
            assert {name for name, _, _ in pairs} <= known
            given = {name: value for name, _, value in pairs if value != "…"}
            assert from_environment(given).behind_tls


def test_documents_in_examples_are_documents() -> None:
    for block in blocks():
        if block.language == "json":
            assert {"event", "job", "task"} <= set(json.loads(block.text))


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed (.ci/run installs it)")
def test_nginx_takes_its_file(tmp_path: Path) -> None:
    (text,) = of(SERVER, "nginx")
    file = configured(text, tmp_path, certificate(tmp_path), {"80": 8080, "443": 8443})
    done = subprocess.run(
        [str(NGINX), "-t", "-c", str(file), "-p", str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_its_units(tmp_path: Path) -> None:
    texts = of(SERVER, "ini")
    names = (
        "leaderboard-serve@.service",
        "leaderboard-worker@.service",
        "leaderboard-backup.service",
        "leaderboard-backup.timer",
    )
    program = tmp_path / "python"
    program.touch(mode=0o755)
    for name, text in zip(names, texts, strict=True):
        assert f"/{name}`" in (REPOSITORY / SERVER).read_text("utf-8")
        # The program and the user are not on this machine.
        text = text.replace("/opt/leaderboard/now/.venv/bin/python", str(program))
        (tmp_path / name).write_text(text.replace("User=leaderboard", "User=nobody"))
    wanted = [name.replace("@.", "@8001.") for name in names]
    for name, real in zip(names, wanted, strict=True):
        if name != real:
            shutil.copyfile(tmp_path / name, tmp_path / real)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in wanted)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SYSTEMD_LOG_LEVEL": "warning"},
    )
    about_ours = [line for line in done.stderr.splitlines() if "leaderboard" in line]
    assert (done.returncode, about_ours) == (0, [])


def test_units_start_commands_that_there_are() -> None:
    started = re.findall(
        r"^ExecStart=\S+/python -m leaderboard (.*)$", "\n".join(of(SERVER, "ini")), re.MULTILINE
    )
    assert len(started) == 3
    for given in started:
        name, *options = shlex.split(given.replace("910%i", "9101").replace("%i", "8001"))
        command = main.get_command(main.make_context("main", ["--help"], resilient_parsing=True), name)
        assert command is not None
        command.make_context(name, options)
