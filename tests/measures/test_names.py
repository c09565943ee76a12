import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.measures.names import Measure, Parameter, parse


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("nDCG@3", Measure("nDCG", (), 3)),
        ("AP", Measure("AP")),
        ("compat(p=0.8)", Measure("compat", (("p", 0.8),))),
        ("compat(p=0.8, depth=100)", Measure("compat", (("p", 0.8), ("depth", 100)))),
        ("P(rel=2)@5", Measure("P", (("rel", 2),), 5)),
        ("nDCG(gains=exp)@10", Measure("nDCG", (("gains", "exp"),), 10)),
        ("AveP_2015", Measure("AveP_2015")),
    ],
)
def test_a_measure_reads_from_its_text(text: str, measure: Measure) -> None:
    assert parse(text) == measure


names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,8}", fullmatch=True)
values = st.integers(0, 999) | st.floats(0, 100).map(lambda x: round(x, 4)) | st.sampled_from(["exp", "abc"])


@given(names, st.dictionaries(names, values, max_size=3), st.none() | st.integers(1, 1000))
def test_text_and_value_are_the_same_measure(
    name: str, parameters: dict[str, Parameter], cutoff: int | None
) -> None:
    measure = Measure(name, tuple(parameters.items()), cutoff)
    assert parse(str(measure)) == measure


@pytest.mark.parametrize(
    "text", ["", "@3", "nDCG@", "nDCG@x", "nDCG@0", "compat(p)", "compat(p=1,p=2)", "a b@"]
)
def test_what_is_not_a_measure_is_refused_by_its_text(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse(text)
