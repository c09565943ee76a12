"""Whatever bytes a reader is given, it gives columns or faults. `make soak` tries a million."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard import formats
from leaderboard.formats import trec_regular
from tests.formats import readers
from tests.formats.readers import READERS
from tests.formats.seeds import CORPUS, TOKENS, seeds_of

REPOSITORY = Path(__file__).resolve().parents[2]
SOAK = os.environ.get("HYPOTHESIS_PROFILE") == "soak"

EXAMPLES = 2000 if SOAK else 25

INPUTS = int(os.environ.get("LEADERBOARD_FUZZ_INPUTS", "1200000"))
"""So many inputs `make soak` feeds to all readers together."""


@st.composite
def mutated(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A meant input with a few parts cut out, doubled, or replaced by what has been trouble before."""
    content = draw(st.sampled_from([*seeds, b""]))
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(content)))
        end = draw(st.integers(start, min(len(content), start + 40)))
        put = draw(st.sampled_from(TOKENS) | st.binary(max_size=12) | st.just(content[start:end] * 2))
        content = content[:start] + put + content[end:]
    return content


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_mutated_file_gives_columns_or_faults(name: str) -> None:
    read = READERS[name]

    @settings(max_examples=EXAMPLES)
    @given(mutated(seeds_of(name)))
    def holds(content: bytes) -> None:
        read(content)

    holds()


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_what_was_trouble_once_gives_columns_or_faults_now(path: Path) -> None:
    READERS[path.name.partition(".")[0]](path.read_bytes())


@pytest.mark.parametrize("name", sorted(READERS))
def test_every_reader_takes_what_is_trouble_anywhere(name: str) -> None:
    for content in (b"", *TOKENS, *(b"".join(seeds_of(name)[:1]) + token for token in TOKENS)):
        READERS[name](content)


def test_every_reader_is_fuzzed() -> None:
    known = vars(readers).values()
    left_out = []
    for module in iter_modules(formats.__path__):
        found = vars(import_module(f"leaderboard.formats.{module.name}"))
        for name, value in found.items():
            own = inspect.isfunction(value) and value.__module__ == f"leaderboard.formats.{module.name}"
            # These two read a part of what a fuzzed reader reads.
            if (
                own
                and name.startswith("read_")
                and name not in ("read_lines", "read_rows", "read_regular_table")
            ):
                left_out += [name] if value not in known and value not in vars(trec_regular).values() else []
    assert left_out == []


@pytest.mark.slow
@pytest.mark.skipif(not SOAK, reason="minutes of it belong to `make soak`")
@pytest.mark.parametrize("name", sorted(READERS))
def test_a_million_inputs_guided_by_coverage_do_no_harm(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is made for Linux alone")
    runs = INPUTS // len(READERS) + 1
    command = [sys.executable, "-m", "tests.formats.fuzzing", name, str(runs), str(tmp_path)]
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, errors="replace", check=False
    )
    assert done.returncode == 0, done.stderr[-5_000:]
    assert f"stat::number_of_executed_units: {runs}" in done.stderr
