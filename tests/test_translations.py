"""The Russian catalogue is whole: every sentence of the project has its words there, with all its places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from babel.messages import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_keywords, parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from leaderboard.web.preferences import LANGUAGES
from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "leaderboard" / "translations" / "ru" / "LC_MESSAGES"
PLACE = re.compile(r"%\((\w+)\)[sd]|(?<!\{)\{(\w+)\}")
FORMS = 3
MISTAKES = {
    "quotation marks are «»": re.compile(r'"[А-яё]|[“”„]'),
    "a dash is —, after a no-break space": re.compile(r"[а-яё] - |[^\u00a0]—"),
    "«вы» is in lower case": re.compile(r"[а-яё,] (?:Вы|Вас|Вам|Ваш[а-яё]*)\b"),
    "one space is enough": re.compile(r"  "),
    "dots are …": re.compile(r"\.\.\."),
}


@pytest.fixture(scope="module")
def russian() -> Catalog:
    with (FOLDER / "messages.po").open("rb") as file:
        return read_po(file, locale="ru")


@pytest.fixture(scope="module")
def sentences() -> Catalog:
    """What `make messages` collects, collected now."""
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    keywords = DEFAULT_KEYWORDS | parse_keywords(re.findall(r"-k (\S+)", makefile))
    with (REPOSITORY / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    found = Catalog()
    for _, _, words, _, context in extract_from_dir(REPOSITORY, methods, options, keywords):
        found.add(words, context=context)
    return found


def told(catalogue: Catalog) -> Iterator[Message]:
    """Its sentences, without the header."""
    return (message for message in catalogue if message.id)


def english(message: Message) -> str:
    """The sentence whose places count: with a number, the one for many."""
    return message.id if isinstance(message.id, str) else message.id[1]


def forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def places(text: str) -> set[str]:
    return {old or new for old, new in PLACE.findall(text)}


def test_every_sentence_has_its_russian(sentences: Catalog, russian: Catalog) -> None:
    missing = []
    for message in told(sentences):
        translated = russian.get(message.id, message.context)
        if translated is None or not all(form.strip() for form in forms(translated)):
            missing.append(english(message))
    assert missing == [], "run `make messages`, translate what is empty in messages.po, and run it again"


def test_whole_project_is_collected(sentences: Catalog) -> None:
    for words in ("Leading now", "There is no such page", "The file is accepted.", "{count} topic"):
        assert sentences.get(words) is not None


def test_no_translation_is_a_guess(russian: Catalog) -> None:
    assert [english(message) for message in told(russian) if message.fuzzy] == []


def test_every_form_after_a_number_is_there(russian: Catalog) -> None:
    short = [
        english(message) for message in told(russian) if message.pluralizable and len(forms(message)) != FORMS
    ]
    assert russian.num_plurals == FORMS
    assert short == []


def test_no_place_is_lost_or_invented(russian: Catalog) -> None:
    wrong = [
        (english(message), form)
        for message in told(russian)
        for form in forms(message)
        if places(form) != places(english(message))
    ]
    assert wrong == []


def test_sentences_end_as_the_english_ones_do(russian: Catalog) -> None:
    """A lost full stop shows where two sentences follow each other."""
    wrong = [
        (english(message), form)
        for message in told(russian)
        for form in forms(message)
        if english(message)[-1] in ".?:," and form[-1:] not in ".?:,…!"
    ]
    assert wrong == []


@pytest.mark.parametrize("rule", list(MISTAKES))
def test_russian_is_set_as_russian(russian: Catalog, rule: str) -> None:
    mistake = MISTAKES[rule]
    assert [form for message in told(russian) for form in forms(message) if mistake.search(form)] == []


def test_the_compiled_catalogue_is_that_of_the_source(russian: Catalog) -> None:
    compiled = BytesIO()
    write_mo(compiled, russian)
    assert (FOLDER / "messages.mo").read_bytes() == compiled.getvalue(), "run `make messages`"


def test_only_languages_that_readers_may_choose_have_a_catalogue() -> None:
    found = {path.name for path in FOLDER.parents[1].iterdir() if path.is_dir()}
    assert found | {"en"} == set(LANGUAGES)
