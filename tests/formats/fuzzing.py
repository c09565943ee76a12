"""Fuzzes one reader, guided by coverage: ``python -m tests.formats.fuzzing READER RUNS FOLDER [SEED]``.

What makes it fail is left in FOLDER (``crash-…``, ``timeout-…``, ``oom-…``), and the process ends with 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["leaderboard.formats", "leaderboard.contract"]):
    from tests.formats.readers import READERS
from tests.formats.seeds import TOKENS, seeds_of

LONGEST = 4_096
SECONDS = 20
MEGABYTES = 3_000


def main(reader: str, runs: int, folder: Path, seed: int = 1) -> None:
    """Feeds the reader so many inputs. Does not return: the fuzzer ends the process."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(seeds_of(reader)):
        (corpus / f"seed-{number}").write_bytes(content)
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(token)}"\n' for token in TOKENS if len(token) < 60), "ascii")
    options = [
        *(f"-runs={runs}", f"-seed={seed}", f"-max_len={LONGEST}", "-len_control=20"),
        *(f"-timeout={SECONDS}", f"-rss_limit_mb={MEGABYTES}", f"-dict={words}"),
        *(f"-artifact_prefix={folder}/", "-print_final_stats=1", "-verbosity=0"),
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], READERS[reader])
    atheris.Fuzz()


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)


if __name__ == "__main__":
    name, number, where, *rest = sys.argv[1:]
    main(name, int(number), Path(where), *map(int, rest))
