"""Public files."""

from __future__ import annotations

import pytest

from leaderboard.services import inputs
from tests.services.toy import NOON, Toy


def test_installed_inputs_can_be_downloaded(toy: Toy) -> None:
    assert toy.install_inputs() == inputs.Installed(("topics",), (), ())
    with toy.database.reading() as session:
        public = inputs.named(session, toy.files, toy.spec, "topics")
    assert (public.file_name, public.path.read_text(), public.size) == ("topics.txt", "a\nb\nc\n", 6)


def test_the_same_inputs_again_change_nothing(toy: Toy) -> None:
    toy.install_inputs()
    assert toy.install_inputs() == inputs.Installed((), ("topics",), ())


def test_changed_inputs_replace_those_before(toy: Toy) -> None:
    toy.install_inputs()
    toy.write("more/topics.txt", "a", "b", "c", "d")
    with toy.database.writing() as session:
        inputs.install(session, toy.files, toy.spec, toy.folder / toy.scratch / "more", NOON)
        folder = inputs.folder_of(session, toy.files, toy.spec)
    assert folder is not None
    assert (folder / "topics.txt").read_text() == "a\nb\nc\nd\n"


def test_without_inputs_there_is_no_folder_and_checks_are_left_out(toy: Toy) -> None:
    with toy.database.reading() as session:
        assert inputs.folder_of(session, toy.files, toy.spec) is None
    assert [str(message) for message in toy.submit("a", 1).report.left_out] == [
        "Whether all topics are there was not checked."
    ]


def test_messages_are_made_from_the_inputs(toy: Toy) -> None:
    toy.install_inputs()
    assert [str(message) for message in toy.submit("a", 1).report.warnings] == ["3 topics are expected."]


def test_a_folder_without_them_says_what_is_expected(toy: Toy) -> None:
    with toy.database.writing() as session, pytest.raises(inputs.NoInputsThere, match=r"topics\.txt"):
        inputs.install(session, toy.files, toy.spec, toy.folder / toy.scratch / "gold", NOON)


def test_an_unknown_input_is_refused(toy: Toy) -> None:
    with toy.database.reading() as session, pytest.raises(inputs.UnknownInput, match="no file pairs"):
        inputs.named(session, toy.files, toy.spec, "pairs")
