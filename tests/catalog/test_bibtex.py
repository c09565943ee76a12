"""What a task gives to be cited can be read by BibTeX."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.catalog import bibtex, load_task

WHOLE = "@article{key, author = {A, B}, title = {The {Title} = {x}}, year = 2021}"


def problems(text: str) -> list[str]:
    return [str(problem) for problem in bibtex.problems(text)]


@pytest.mark.parametrize("text", ["", WHOLE, f"{WHOLE}\n\n{WHOLE.replace('key', 'other')}", WHOLE + "\n"])
def test_entries_that_are_right_have_no_problems(text: str) -> None:
    assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Panchenko 2015", "begins no entry"),
        (WHOLE + " and more", '"and more" begins no entry'),
        (WHOLE[:-1], "a brace that is not closed"),
        (WHOLE + WHOLE, "two entries key"),
        ("@article{key, title = {author = {x}}, year = 2021}", "has no author"),
        (WHOLE.replace("year", "date"), "has no year"),
        (WHOLE.replace("title", "subtitle"), "has no title"),
        ("@article{key, author = {A}}", "has no title"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    assert any(said in problem for problem in problems(text))


@pytest.mark.parametrize("task", ["russe", "cast", "cast2020"])
def test_every_task_of_the_project_can_be_cited(tasks_folder: Path, task: str) -> None:
    assert load_task(tasks_folder / task).bibtex.startswith("@")
