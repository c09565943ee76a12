"""A task's own text becomes HTML that cannot do harm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from leaderboard.contract import TaskSpec
from leaderboard.web.readme import readme_of
from tests.web.installation import Installation


@pytest.fixture
def spec(samples: Installation, samples_app: Flask, tmp_path: Path) -> Iterator[TaskSpec]:
    """A task whose folder is empty."""
    with samples_app.test_request_context():
        yield replace(samples.spec("russe"), folder=tmp_path, scorer=tmp_path / "scorer.py")


def html(spec: TaskSpec, text: str) -> str:
    (spec.folder / "README.md").write_text(text, encoding="utf-8")
    found = readme_of(spec, "en")
    assert found is not None
    return str(found.html)


def test_scripts_styles_pictures_and_frames_are_taken_out(spec: TaskSpec) -> None:
    hostile = (
        "# T\n\n<script>alert(1)</script><style>p{}</style><img src=x onerror=y>"
        '<iframe src="//e"></iframe><p style="x" onclick="y" class="z">kept</p>'
        '\n\n[link](javascript:alert(1)) ![i](https://e/i.png) <a href="data:text/html,x">d</a>'
    )
    found = html(spec, hostile)
    for part in ("script", "style", "<img", "iframe", "onclick", "onerror", "javascript", "data:", "class="):
        assert part not in found
    assert "kept" in found


def test_links_keep_their_address_and_give_nothing_away(spec: TaskSpec) -> None:
    assert 'href="https://example.org/a?b=1"' in html(spec, "[x](https://example.org/a?b=1)")
    assert 'rel="noopener noreferrer"' in html(spec, "[x](https://example.org/)")


def test_the_title_is_left_to_the_page(spec: TaskSpec) -> None:
    assert html(spec, "\n# The title\n\nThe text") == "<p>The text</p>"


def test_sections_can_be_linked_to(spec: TaskSpec) -> None:
    (spec.folder / "README.md").write_text("# T\n\n## What & why\n\n## Как\n", encoding="utf-8")
    found = readme_of(spec, "en")
    assert found is not None
    assert [heading.words for heading in found.headings] == ["What & why", "Как"]
    assert all(f'id="{heading.id}"' in found.html for heading in found.headings)


def test_tables_scroll_by_themselves(spec: TaskSpec) -> None:
    found = html(spec, "| a |\n| --- |\n| b |\n")
    assert found.startswith('<div class="scroll" role="group" tabindex="0"')
    assert found.endswith("</table></div>")


def test_the_english_text_stands_in_for_one_that_is_missing(spec: TaskSpec) -> None:
    html(spec, "English")
    found = readme_of(spec, "ru")
    assert found is not None
    assert found.language == "en"


def test_an_edition_without_text_has_that_of_its_scorers_task(spec: TaskSpec, tmp_path: Path) -> None:
    html(spec, "Shared")
    edition = replace(spec, folder=tmp_path / "edition")
    found = readme_of(edition, "en")
    assert found is not None
    assert "Shared" in found.html


def test_a_task_without_text_has_none(spec: TaskSpec) -> None:
    assert readme_of(spec, "en") is None


def test_a_changed_text_is_shown_changed(spec: TaskSpec) -> None:
    assert "one" in html(spec, "one")
    assert "two, longer" in html(spec, "two, longer")
