"""Language and appearance: asked for, remembered, or the browser's."""

from __future__ import annotations

from flask.testing import FlaskClient


def test_the_browser_says_which_language(client: FlaskClient) -> None:
    page = client.get("/tasks/russe", headers={"Accept-Language": "ru-RU,ru;q=0.9,en;q=0.5"}).text
    assert '<html lang="ru"' in page
    assert "Что нужно сделать" in page
    assert "Пары слов, которые нужно оценить" in page


def test_a_language_we_do_not_have_is_english(client: FlaskClient) -> None:
    assert '<html lang="en"' in client.get("/", headers={"Accept-Language": "fi"}).text


def test_the_switch_changes_the_language_and_is_remembered(client: FlaskClient) -> None:
    first = client.get("/tasks/russe?lang=ru", headers={"Accept-Language": "en"})
    assert '<html lang="ru"' in first.text
    assert first.cache_control.private
    assert '<html lang="ru"' in client.get("/", headers={"Accept-Language": "en"}).text
    client.get("/?lang=en")
    assert '<html lang="en"' in client.get("/", headers={"Accept-Language": "ru"}).text


def test_a_language_that_is_none_is_neither_shown_nor_remembered(client: FlaskClient) -> None:
    answer = client.get('/?lang="><script>')
    assert '<html lang="en"' in answer.text
    assert "Set-Cookie" not in answer.headers


def test_a_text_that_is_not_translated_is_marked_as_english(client: FlaskClient) -> None:
    page = client.get("/tasks/russe?lang=ru").text
    assert '<div lang="en">' not in page


def test_the_appearance_is_the_systems_until_one_is_chosen(client: FlaskClient) -> None:
    assert "data-bs-theme=" not in client.get("/").text
    assert 'data-bs-theme="dark"' in client.get("/?theme=dark").text
    assert 'data-bs-theme="dark"' in client.get("/about").text
    client.get("/?theme=system")
    assert "data-bs-theme=" not in client.get("/about").text


def test_the_switches_keep_the_rest_of_the_address(client: FlaskClient) -> None:
    page = client.get("/tasks/russe/board?track=rt&sort=team").text
    assert "/tasks/russe/board?track=rt&amp;sort=team&amp;lang=ru" in page
    assert "/tasks/russe/board?track=rt&amp;sort=team&amp;theme=dark" in page


def test_russian_numbers_have_a_decimal_comma(client: FlaskClient) -> None:
    page = client.get("/tasks/russe/board?track=hj", headers={"Accept-Language": "ru"}).text
    assert "<span>0," in page
    assert "<span>0." not in page
