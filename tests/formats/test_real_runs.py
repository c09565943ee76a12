"""The real runs of TREC CAsT 2019 and 2020 are accepted as they are, and read the same either way."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from leaderboard.formats.topics import read_topics
from leaderboard.formats.trec_lines import read_lines
from leaderboard.formats.trec_regular import read_regular
from leaderboard.formats.trec_run import check_run, read_run

DECAF_2019 = [f"cast2019/runs/decaf2019_{n:02}.run" for n in range(1, 13)]
REWRITING = [
    f"cast2019/runs/cqr_bert_base_{name}.trec.gz"
    for name in ("rule_based", "run_raw", "run_rule_based_cv", "run_self_learn", "run_self_learn_cv")
]
DECAF_2020 = [f"cast2020/runs/decaf2020_{n:02}.run" for n in range(1, 5)]
SHAPES = [
    *((file, 194, 19400) for file in DECAF_2019),
    *((file, 479, 47900) for file in REWRITING),
    *((file, 216, 21600) for file in DECAF_2020),
]


def content_of(file: Path) -> bytes:
    content = file.read_bytes()
    return gzip.decompress(content) if file.suffix == ".gz" else content


@pytest.mark.parametrize(("file", "topics", "rows"), SHAPES)
def test_a_real_run_is_accepted_and_both_readers_agree(
    shared_data: Path, file: str, topics: int, rows: int
) -> None:
    content = content_of(shared_data / file)
    fast, tolerant = read_regular(content), read_lines(content).run
    assert fast is not None
    assert tolerant is not None
    assert (len(fast.topics), len(fast)) == (topics, rows)
    assert (fast.topics, fast.tags) == (tolerant.topics, tolerant.tags)
    for column in ("topic", "score", "rank"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(tolerant, column))
    assert fast.docnos.take(fast.docno).equals(tolerant.docnos.take(tolerant.docno))


@pytest.mark.parametrize("file", [*DECAF_2019, *REWRITING, *DECAF_2020])
def test_no_real_run_has_ranks_that_contradict_its_scores(shared_data: Path, file: str) -> None:
    read = read_run(content_of(shared_data / file))
    assert read.run is not None
    assert not any("contradict" in str(warning) for warning in read.warnings)


@pytest.mark.parametrize("file", [DECAF_2019[0], REWRITING[0]])
def test_a_real_run_fits_the_public_inputs_of_2019(shared_data: Path, file: str) -> None:
    run = read_run(content_of(shared_data / file)).run
    assert run is not None
    topics = [topic.topic for topic in read_topics(shared_data / "cast2019/evaluation_topics_v1.0.json")]
    found = check_run(
        run, depth=1000, topics=topics, id_pattern=r"MARCO_\d+|CAR_[0-9a-f]{40}|WAPO_[0-9a-f-]+"
    )
    assert not found.faults.count
    assert not found.warnings
