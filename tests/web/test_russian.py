"""Pages, letters, numbers and times in Russian."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from flask_babel import ngettext
from flask_security import Security

from leaderboard.contract import TaskSpec, say, say_count
from leaderboard.web import filters, times
from leaderboard.web.identity_settings import MESSAGES
from tests.conftest import REPOSITORY
from tests.web.browser import Browser, make_app
from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.reading import WORD, latin_words, read, walk

NOON = datetime(2026, 3, 1, 12, 5, tzinfo=UTC)
KNOWN = {
    # the site, what it is made of and what it hands out
    *(
        "Leaderboard",
        "API",
        "OpenAPI",
        "JSON",
        "CSV",
        "LaTeX",
        "Markdown",
        "BibTeX",
        "Atom",
        "PDF",
        "SVG",
        "SHA",
        "UUID",
        "HTTP",
    ),
    *("MJ", "UTC", "AoE", "UTF", "TAB", "gz", "zip", "gzip", "cookie", "argon", "mail"),
    # the fields of runs, and units of measures
    *("word", "sim", "topic", "docno", "rank", "score", "tag", "qrels"),
    # the other language, in its own words, and the browser of this test
    *("English", "Mozilla", "Linux", "rv", "Firefox"),
    # what is typed, as examples
    *("example.org", "https"),
}
"""Words in Latin letters that Russian readers meet in Russian, too."""


class Reader(Browser):
    """A browser that asks for Russian."""

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self.client.set_cookie("language", "ru")


class Participant(Member):
    """A person with a team who reads Russian."""

    def arrive(self, name: str) -> None:
        self.client.set_cookie("language", "ru")
        self.headers = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Firefox/130.0"}
        super().arrive(name)


def known_of(*specs: TaskSpec) -> set[str]:
    """The words that tasks bring along: of their Russian texts, of measures, files and names."""
    texts = []
    for spec in specs:
        texts += [
            spec.name,
            f"{spec.name}.bib",
            spec.title.for_language("ru"),
            spec.summary.for_language("ru"),
        ]
        texts += [(spec.folder / name).read_text("utf-8") for name in ("README.ru.md", "sample/runs.csv")]
        texts += [text for each in spec.inputs for text in (each.file, each.title.for_language("ru"))]
        for track in spec.tracks:
            texts += [track.name, track.title.for_language("ru"), *track.measures]
    return {word for text in texts for word in WORD.findall(text)}


@pytest.fixture(scope="module")
def known(samples: Installation) -> set[str]:
    sent = [
        "Ann",
        "ann@example.org",
        "russe-mj-1-rank-unique.csv",
        "russe-mj-1-rank.csv",
        *(f"{path.stem} {path.name}" for path in REPOSITORY.glob("tasks/*/sample/runs/*")),
    ]
    specs = [samples.spec(name) for name in ("russe", "cast")]
    return KNOWN | known_of(*specs) | {word for text in sent for word in WORD.findall(text)}


def foreign_words(pages: dict[str, str], known: set[str]) -> dict[str, set[str]]:
    """By page; that of the programs' interface is full of its own words and has a test of its own."""
    found = {address: latin_words(page, known) for address, page in pages.items() if address != "/api"}
    return {address: words for address, words in found.items() if words}


def test_public_pages_have_no_english_words(samples_app: Flask, known: set[str]) -> None:
    pages = walk(Reader(samples_app), "/")
    assert len(pages) > 20
    assert foreign_words(pages, known) == {}


def test_pages_of_a_team_have_no_english_words(own: Installation, known: set[str]) -> None:
    ann = Participant(app_of(own), "ann", "Медведи")
    runs = own.spec("russe").folder / "sample" / "runs"
    for sample in ("thesaurus.csv", "embeddings.csv"):
        ann.submit(runs / sample)
    first = ann.run
    ann.act(first, "withdraw")
    pages = walk(ann, "/account") | walk(ann, "/tasks/russe/team/runs")
    assert len(pages) > 20
    assert foreign_words(pages, known) == {}


def test_the_reference_of_the_api_explains_in_russian(samples_app: Flask) -> None:
    said = read(Reader(samples_app).open("/api")).said
    english = [text for text in said if len(WORD.findall(text)) > 2 and not re.search("^/|[А-яё]", text)]
    assert english == []


@pytest.mark.parametrize("address", ["/nothing", "/tasks/russe/runs/999", "/tasks/russe/board?track=none"])
def test_what_is_not_found_is_said_in_russian(samples_app: Flask, known: set[str], address: str) -> None:
    reader = Reader(samples_app)
    page = reader.open(address)
    assert reader.last.status_code == 404
    assert "Такой страницы нет" in page
    assert latin_words(page, known) == set()


def test_faults_of_a_file_are_told_in_russian(own: Installation, known: set[str]) -> None:
    ann = Participant(app_of(own), "ann", "Медведи")
    page = ann.submit("word1,word2,sim\nдом,изба,0.5\nдом,крыша,много\nдом\n".encode())
    assert "не число" in page
    assert "2 ошибки" in " ".join(read(page).said).replace("\N{NO-BREAK SPACE}", " ")
    assert latin_words(page, known) == set()


def test_forms_say_in_russian_what_is_missing(tmp_path: Path, known: set[str]) -> None:
    reader = Reader(make_app(tmp_path))
    page = reader.fill_register("ann", password="short", name="", email="nowhere")
    assert "Укажите ваше имя." in page
    assert "Это не адрес электронной почты." in page
    assert latin_words(page, known | {"nowhere"}) == set()
    reader.open("/sign-in")
    assert "Неверный адрес или пароль" in reader.send("/sign-in", email="ann@example.org", password="wrong")


def test_letters_are_in_the_language_of_the_page_that_asked(tmp_path: Path) -> None:
    reader = Reader(make_app(tmp_path))
    reader.register("ann")
    reader.sign_out()
    reader.open("/reset")
    reader.send("/reset", email="ann@example.org")
    letters = reader.letters()
    assert [letter["subject"] for letter in letters] == [
        "Регистрация на сайте Leaderboard",
        "Выберите новый пароль",
    ]
    for letter in letters:
        words = re.sub(r"https?://\S+", "", letter.get_content())
        assert set(WORD.findall(words)) <= {"Leaderboard", "Ann"}


@pytest.fixture
def in_russian(samples_app: Flask) -> Iterator[None]:
    with samples_app.test_request_context(headers={"Accept-Language": "ru"}):
        yield


@pytest.mark.parametrize(
    ("number", "written"),
    [
        *((0, "0 прогонов"), (1, "1 прогон"), (2, "2 прогона"), (5, "5 прогонов"), (11, "11 прогонов")),
        *((21, "21 прогон"), (22, "22 прогона"), (101, "101 прогон"), (112, "112 прогонов")),
    ],
)
def test_a_noun_follows_its_number(in_russian: None, number: int, written: str) -> None:
    said = ngettext("%(num)s run", "%(num)s runs", number)
    assert said.replace("\N{NO-BREAK SPACE}", " ") == written


@pytest.mark.parametrize(
    ("count", "begins"),
    [(1, "И ещё 1 ошибка."), (3, "И ещё 3 ошибки."), (25, "И ещё 25 ошибок."), (1041, "И ещё 1 041 ошибка.")],
)
def test_a_message_follows_its_number(in_russian: None, count: int, begins: str) -> None:
    said = filters.told(say_count("And {count} more fault.", "And {count} more faults.", count))
    assert said.replace("\N{NO-BREAK SPACE}", " ") == begins


def test_numbers_and_times_are_written_as_in_russian(in_russian: None) -> None:
    assert filters.score(-0.25) == "−0,2500"
    assert filters.told(say("{value}", value=Decimal("-0.25"))) == "−0,25"
    assert filters.size(2_500_000).replace("\N{NO-BREAK SPACE}", " ") == "2,5 МБ"
    assert filters.moment(NOON) == "1 мар. 2026, 12:05 UTC"
    assert times.aoe(NOON) == "1 мар. 2026, 00:05 AoE"
    assert [times.span(timedelta(days=days)) for days in (2, 5)] == ["2 дня", "5 дней"]


def test_every_answer_of_the_sign_in_has_its_russian(samples_app: Flask) -> None:
    security: Security = samples_app.extensions["security"]
    with samples_app.test_request_context(headers={"Accept-Language": "ru"}):
        left = [words for words, _ in MESSAGES.values() if security.i18n_domain.gettext(words) == words]
    assert left == []


def test_pages_say_in_which_language_they_are(client: FlaskClient) -> None:
    answer = client.get("/", headers={"Accept-Language": "ru"})
    assert '<html lang="ru"' in answer.text
    assert "Accept-Language" in answer.vary
