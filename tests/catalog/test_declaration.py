from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from leaderboard.catalog import CatalogError, load_task

SMALLEST = """
name = "toy"
title.en = "A toy"
summary.en = "Guess a number."
[[tracks]]
name = "main"
title.en = "Main"
gold = "gold.txt"
measures = ["closeness", "P@5"]
"""


def make_task(folder: Path, declaration: str) -> Path:
    (folder / "task.toml").write_text(declaration, encoding="utf-8")
    (folder / "scorer.py").touch()
    return folder


def problems_of(folder: Path, declaration: str) -> list[str]:
    with pytest.raises(CatalogError) as caught:
        load_task(make_task(folder, declaration))
    assert caught.value.place == folder / "task.toml"
    return [str(problem) for problem in caught.value.problems]


def test_the_smallest_declaration_gets_the_documented_defaults(tmp_path: Path) -> None:
    spec = load_task(make_task(tmp_path, SMALLEST))
    assert spec.scorer == tmp_path / "scorer.py"
    assert spec.counting == "best"
    assert (spec.overall, spec.resource, spec.phases, spec.sources) == (None, None, (), ())
    track = spec.track("main")
    assert track.primary == "closeness"
    assert (track.higher_is_better, track.digits, track.missing, track.at_least) == (True, 4, 0.0, None)


def test_everything_declared_is_read(tmp_path: Path) -> None:
    spec = load_task(
        make_task(
            tmp_path,
            SMALLEST
            + """
            primary = "P@5"
            direction = "lower"
            digits = 2
            missing = -1
            at_least = 10
            [[inputs]]
            name = "numbers"
            file = "numbers.txt"
            title = { en = "Numbers", ru = "Числа" }
            [[phases]]
            name = "evaluation"
            title.en = "Evaluation"
            opens_at = 2026-05-01T00:00:00+03:00
            closes_at = 2026-06-01T00:00:00Z
            runs_per_day = 3
            reveals = ["own"]
            [[sources]]
            kind = "input"
            file = "numbers.txt"
            url = "https://example.org/numbers.txt"
            sha256 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            [options]
            anything = [1, 2]
            """,
        )
    )
    track = spec.track("main")
    assert (track.primary, track.higher_is_better, track.digits, track.missing, track.at_least) == (
        "P@5",
        False,
        2,
        -1.0,
        10.0,
    )
    assert spec.inputs[0].title.for_language("ru") == "Числа"
    assert spec.phases[0].opens_at == datetime(2026, 4, 30, 21, tzinfo=UTC)
    assert spec.phases[0].runs_per_day == 3
    assert spec.phases[0].runs_in_all is None
    assert spec.sources[0].sha256 == "a" * 64
    assert spec.options == {"anything": [1, 2]}


@pytest.mark.parametrize(
    ("changed", "into", "said"),
    [
        ('name = "toy"', "", "name is missing; add it."),
        ('name = "toy"', 'name = "Toy task"', 'name is "Toy task"; it becomes part of addresses'),
        ('name = "toy"', 'name = "toy"\nscorrer = "x.py"', "scorrer is not known; did you mean scorer?"),
        ('name = "toy"', 'name = "toy"\nscorer = "other.py"', "other.py, which is not there"),
        ('name = "toy"', 'name = "toy"\ncounting = "first"', 'counting is "first"; what may stand'),
        ('name = "toy"', 'name = "toy"\noverall = "mean rank"', "overall needs at least two tracks"),
        ('title.en = "A toy"', "", "title is missing"),
        ('title.en = "A toy"', 'title.ru = "Игрушка"', "title.en is missing"),
        ('title.en = "A toy"', 'title = "A toy"', 'title is "A toy"; write it for each language'),
        ('title.en = "A toy"', 'title.en = "A toy"\ntitle.de = "x"', "title.de is not known"),
        ('"P@5"]', '"P@"]', "tracks[1].measures: 'P@' is not a measure"),
        ('"P@5"]', '"closeness"]', "tracks (main).measures: closeness is there twice"),
        ('["closeness", "P@5"]', "[]", "tracks[1].measures is empty"),
        ('"P@5"]', '"P@5"]\nprimary = "AP"', 'primary is "AP", which is not among the'),
        ('"P@5"]', '"P@5"]\ndirection = "up"', 'what may stand here is "higher", "lower".'),
        ('"P@5"]', '"P@5"]\ndigits = 2.5', "digits is 2.5; write a whole number from 0 to 15."),
        ('"P@5"]', '"P@5"]\nmissing = "0"', 'missing is "0"; write a number'),
        ('"P@5"]', '"P@5"]\nmissing = nan', "missing is nan; write a number"),
        ('"gold.txt"', '"../gold.txt"', "tracks[1].gold is \"../gold.txt\"; name a file without its folder."),
    ],
)  # fmt: skip
def test_a_mistake_is_named_by_its_key(tmp_path: Path, changed: str, into: str, said: str) -> None:
    assert changed in SMALLEST
    problems = problems_of(tmp_path, SMALLEST.replace(changed, into))
    assert len(problems) == 1, problems
    assert said in problems[0]


@pytest.mark.parametrize(
    ("opens", "closes", "said"),
    [
        ("2026-05-01T00:00:00", "2026-06-01T00:00:00Z", "opens_at is 2026-05-01T00:00:00; write date"),
        ("2026-05-01", "2026-06-01T00:00:00Z", "opens_at is 2026-05-01; write date, time and zone"),
        ('"1 May"', "2026-06-01T00:00:00Z", 'opens_at is "1 May"; write date, time and zone'),
        ("2026-06-01T00:00:00Z", "2026-05-01T00:00:00Z", "closes_at is not after opens_at"),
    ],
)  # fmt: skip
def test_a_phase_needs_dates_that_make_sense(tmp_path: Path, opens: str, closes: str, said: str) -> None:
    phase = f'[[phases]]\nname = "p"\ntitle.en = "P"\nopens_at = {opens}\ncloses_at = {closes}\n'
    problems = problems_of(tmp_path, SMALLEST + phase)
    assert len(problems) == 1, problems
    assert said in problems[0]


def test_every_mistake_is_reported_in_one_pass(tmp_path: Path) -> None:
    problems = problems_of(tmp_path, 'name = "A B"\ncounting = 3\nnonsense = 1\n')
    assert len(problems) >= 5


def test_an_input_that_is_also_gold_is_refused(tmp_path: Path) -> None:
    given_away = '[[inputs]]\nname = "pairs"\nfile = "gold.txt"\ntitle.en = "Pairs"\n'
    assert "would be given away" in problems_of(tmp_path, SMALLEST + given_away)[0]


def test_a_source_of_an_undeclared_input_is_refused(tmp_path: Path) -> None:
    source = (
        f'[[sources]]\nkind = "input"\nfile = "x.txt"\nurl = "https://example.org/x"\nsha256 = "{"0" * 64}"\n'
    )
    assert "x.txt is an input that no [[inputs]] declares" in problems_of(tmp_path, SMALLEST + source)[0]


@pytest.mark.parametrize(("key", "value"), [("url", "ftp://example.org/x"), ("sha256", "12ab")])
def test_a_source_needs_an_address_and_a_sum(tmp_path: Path, key: str, value: str) -> None:
    source = {
        "kind": "gold",
        "file": "gold.txt",
        "url": "https://example.org/x",
        "sha256": "0" * 64,
        key: value,
    }
    lines = "\n".join(f'{name} = "{text}"' for name, text in source.items())
    assert f"sources[1].{key} is" in problems_of(tmp_path, f"{SMALLEST}[[sources]]\n{lines}\n")[0]


def test_a_folder_without_a_declaration_says_so(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="a task is a folder with"):
        load_task(tmp_path)


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    assert "line 2" in problems_of(tmp_path, 'name = "toy"\ntitle = \n')[0]


def test_a_file_that_is_not_utf8_is_named_with_its_byte(tmp_path: Path) -> None:
    make_task(tmp_path, "")
    (tmp_path / "task.toml").write_bytes('name = "игра"'.encode("cp1251"))
    with pytest.raises(CatalogError, match="byte 8"):
        load_task(tmp_path)
