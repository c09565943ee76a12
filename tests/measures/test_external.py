import shutil

import ir_measures
import numpy as np
import pandas as pd
import pytest

from leaderboard.measures.external import evaluate, require
from leaderboard.measures.names import parse

TOPICS = ("1_1", "1_2", "2_1")
QRELS = pd.DataFrame(
    {
        "query_id": ["1_1", "1_1", "1_1", "1_2", "2_1"],
        "doc_id": ["a", "b", "c", "a", "a"],
        "relevance": [2, 1, 0, 1, 1],
    }
)
RUN = pd.DataFrame(
    {
        "query_id": ["1_1", "1_1", "1_1", "1_2", "9_9"],
        "doc_id": ["c", "b", "a", "a", "a"],
        "score": [3.0, 2.0, 1.0, 1.0, 1.0],
    }
)


def test_values_are_those_of_ir_measures_in_the_order_of_the_topics() -> None:
    (values,) = evaluate([parse("Bpref")], TOPICS, QRELS, RUN)
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.Bpref], QRELS, RUN)}
    np.testing.assert_array_equal(values, [theirs["1_1"], theirs["1_2"], 0.0])


@pytest.mark.skipif(shutil.which("perl") is None, reason="ir-measures computes ERR with a Perl program")
def test_topics_that_are_not_numbers_reach_programs_that_read_numbers_alone() -> None:
    # Chapelle et al. 2009 with the grades 0, 1, 2 of at most 4 at ranks 1, 2, 3: R = (2^grade − 1) / 16.
    (values,) = evaluate([parse("ERR@20")], TOPICS, QRELS, RUN)
    expected = 1 / 16 / 2 + (1 - 1 / 16) * (3 / 16) / 3
    np.testing.assert_allclose(values, [expected, 1 / 16, 0.0], atol=1e-5)


@pytest.mark.parametrize("text", ["bpref", "Bpref", "infAP", "infap"])
def test_the_spelling_of_trec_eval_is_understood(text: str) -> None:
    (values,) = evaluate([parse(text)], TOPICS, QRELS, RUN)
    assert values.shape == (3,)
    assert values[1] == 1.0


def test_the_relevance_level_of_the_task_reaches_measures_that_have_one() -> None:
    plain, strict = (evaluate([parse("Rprec")], TOPICS, QRELS, RUN, level)[0] for level in (1, 2))
    assert plain.tolist() == [0.5, 1.0, 0.0]
    assert strict.tolist() == [0.0, 0.0, 0.0]


def test_a_relevance_level_in_the_text_comes_before_that_of_the_task() -> None:
    (values,) = evaluate([parse("Rprec(rel=1)")], TOPICS, QRELS, RUN, 2)
    assert values.tolist() == [0.5, 1.0, 0.0]


@pytest.mark.parametrize("text", ["RBP(p=0.8)", "Success", "alpha_nDCG@5"])
def test_a_measure_without_a_program_or_a_parameter_is_refused_before_anything_is_computed(text: str) -> None:
    with pytest.raises(ValueError, match="cannot be computed here"):
        require(parse(text))


def test_a_measure_nobody_knows_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="Foo@3"):
        evaluate([parse("Foo@3")], TOPICS, QRELS, RUN)
