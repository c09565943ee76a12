from __future__ import annotations

from pathlib import Path

import pytest

from leaderboard.catalog import Catalog, CatalogError, load_scorer, load_task

SCORER = """
from dataclasses import dataclass
VERSION = "{version}"
@dataclass(frozen=True)
class Gold:
    topics: dict
def check(spec, path, inputs): ...
def template(spec, inputs): ...
def read_gold(spec, files): ...
def score(spec, run, gold): ...
"""


def make_task(folder: Path, name: str, scorer: str = "") -> Path:
    folder.mkdir(parents=True)
    (folder / "scorer.py").write_text(scorer or SCORER.format(version="1"), encoding="utf-8")
    (folder / "task.toml").write_text(
        f'name = "{name}"\ntitle.en = "T"\nsummary.en = "S"\n[[tracks]]\nname = "main"\ntitle.en = "M"\n'
        'gold = "gold.txt"\nmeasures = ["AP"]\n',
        encoding="utf-8",
    )
    return folder


def test_tasks_of_several_folders_are_listed_by_name(tmp_path: Path) -> None:
    make_task(tmp_path / "one" / "zebra", "zebra")
    make_task(tmp_path / "one" / "ape", "ape")
    alone = make_task(tmp_path / "two" / "mouse", "mouse")
    (tmp_path / "one" / "no-task").mkdir()
    catalog = Catalog([tmp_path / "one", alone])
    assert [spec.name for spec in catalog.tasks()] == ["ape", "mouse", "zebra"]


def test_a_task_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    folder = make_task(tmp_path / "ape", "ape")
    assert Catalog([tmp_path]).find("ape").folder == folder
    assert Catalog([]).find(folder).name == "ape"


def test_an_unknown_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    make_task(tmp_path / "russe", "russe")
    with pytest.raises(CatalogError, match="did you mean russe"):
        Catalog([tmp_path]).find("ruse")
    with pytest.raises(CatalogError, match="one of: russe"):
        Catalog([tmp_path]).find("something")


def test_an_installation_without_tasks_says_where_it_looked(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=f"nor another in {tmp_path}; LEADERBOARD_TASKS"):
        Catalog([tmp_path]).find("ape")


def test_two_tasks_of_one_name_are_refused(tmp_path: Path) -> None:
    make_task(tmp_path / "a", "ape")
    make_task(tmp_path / "b", "ape")
    with pytest.raises(CatalogError, match="also the name of the task in"):
        Catalog([tmp_path]).tasks()


def test_a_broken_task_does_not_stand_in_the_way_of_another(tmp_path: Path) -> None:
    make_task(tmp_path / "ape", "ape")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "task.toml").write_text("name =", encoding="utf-8")
    catalog = Catalog([tmp_path])
    assert catalog.find("ape").name == "ape"
    with pytest.raises(CatalogError, match="not TOML"):
        catalog.find("broken")
    with pytest.raises(CatalogError, match="not TOML"):
        catalog.tasks()


def test_scorers_of_the_same_file_name_stay_apart(tmp_path: Path) -> None:
    one = load_task(make_task(tmp_path / "one", "one", SCORER.format(version="one")))
    two = load_task(make_task(tmp_path / "two", "two", SCORER.format(version="two")))
    assert (load_scorer(one).VERSION, load_scorer(two).VERSION) == ("one", "two")


def test_a_scorer_is_loaded_once(tmp_path: Path) -> None:
    spec = load_task(make_task(tmp_path / "one", "one"))
    assert load_scorer(spec) is load_scorer(load_task(spec.folder))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nothing_of_this_name", "cannot be loaded: ModuleNotFoundError"),
        ("def check(:", "cannot be loaded: SyntaxError"),
        ("VERSION = '1'\ndef check(): ...", "lacks template, read_gold, score"),
    ],
)
def test_a_scorer_that_cannot_work_is_refused(tmp_path: Path, source: str, said: str) -> None:
    spec = load_task(make_task(tmp_path / "one", "one", source))
    with pytest.raises(CatalogError, match=said):
        load_scorer(spec)


def test_every_task_of_the_project_is_in_order(tasks_folder: Path) -> None:
    tasks = Catalog([tasks_folder]).tasks()
    assert {"russe", "cast", "cast2020"} <= {spec.name for spec in tasks}
    for spec in tasks:
        assert load_scorer(spec).VERSION


def test_another_edition_shares_the_scorer_of_the_first(tasks_folder: Path) -> None:
    catalog = Catalog([tasks_folder])
    assert load_scorer(catalog.find("cast")) is load_scorer(catalog.find("cast2020"))
    assert catalog.find("cast").options["relevance_level"] == 1
    assert catalog.find("cast2020").options["relevance_level"] == 2
