"""What organisers set for a whole task."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from leaderboard.services import settings, task_specs
from leaderboard.services.audit import SHELL
from leaderboard.services.settings import BadSetting, Openness
from tests.services.organising import log, told
from tests.services.toy import NOON, Toy

LATER = NOON + timedelta(hours=1)


def change(toy: Toy, **wanted: Any) -> tuple[str, ...]:
    with toy.database.writing() as session:
        return settings.change(session, toy.spec, toy.scorer.VERSION, wanted, SHELL, LATER)


def setting(toy: Toy, name: str) -> settings.Setting:
    with toy.database.reading() as session:
        return settings.listing(session, toy.spec)[name]


def test_a_changed_value_stands_beside_the_declared_one_and_can_be_set_back(toy: Toy) -> None:
    assert change(toy, title={"en": "Better toy", "ru": "  "}) == ("title",)
    found = setting(toy, "title")
    assert (found.value, found.changed) == ({"en": "Better toy"}, True)
    assert found.declared == {"en": "Toy", "ru": "Игрушка"}
    with toy.database.reading() as session:
        assert str(task_specs.as_set(session, toy.spec).title) == "Better toy"
    with toy.database.writing() as session:
        settings.set_back(session, toy.spec, "1", "title", SHELL, LATER)
    assert not setting(toy, "title").changed
    assert log(toy) == [
        ("task.set", {"title": found.declared}, {"title": found.value}),
        ("task.set", {"title": found.value}, {"title": found.declared}),
    ]


def test_setting_what_is_set_already_changes_and_logs_nothing(toy: Toy) -> None:
    assert change(toy, title={"en": "Toy", "ru": "Игрушка"}, counting="best", citation="") == ()
    assert log(toy) == []


def test_another_rule_of_counting_makes_the_standings_anew_and_is_told(toy: Toy) -> None:
    toy.enter("a", 0.1, 0.5, 0.9)
    toy.enter("b", 0.1, 0.5, 0.7, minute=1)
    toy.enter("a", 0.9, 0.1, 0.1, minute=2)
    assert toy.lines("near") == [("a", 1), ("b", 2)]
    change(toy, counting="latest")
    assert toy.lines("near") == [("b", 1), ("a", 2)]
    assert [(each.what, each.before, each.after) for each in told(toy)] == [("counting", "best", "latest")]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", {"en": " "}),
        ("summary", {"en": "x" * 301}),
        ("counting", "luck"),
        ("bibtex", "@article{x, author = {A}"),
        ("citation", "x" * 10_001),
    ],
)
def test_what_cannot_be_used_is_refused(toy: Toy, name: str, value: Any) -> None:
    with pytest.raises(BadSetting) as refused:
        change(toy, **{name: value})
    assert refused.value.field == name
    assert log(toy) == []


def test_the_text_is_kept_with_the_line_ends_of_this_machine(toy: Toy) -> None:
    change(toy, text={"en": "one\r\ntwo\r\n", "ru": ""})
    assert setting(toy, "text").value == {"en": "one\ntwo"}


def test_who_sees_what_is_logged_and_told(toy: Toy) -> None:
    with toy.database.writing() as session:
        assert settings.open_to(session, toy.spec, Openness("organisers", LATER), SHELL, LATER)
        assert not settings.open_to(session, toy.spec, Openness("organisers", LATER), SHELL, LATER)
    (entry,) = log(toy)
    assert entry == (
        "task.opened",
        {"visibility": "public", "names": None},
        {"visibility": "organisers", "names": LATER.isoformat()},
    )
    assert {each.what: each.after for each in told(toy)} == {"visibility": "organisers", "names": LATER}
