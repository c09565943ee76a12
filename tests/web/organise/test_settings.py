"""The pages where organisers set words, rules and who sees a task."""

from __future__ import annotations

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Administrator, Organiser

FILLED = {
    "title_en": "RUSSE, once more",
    "title_ru": "RUSSE ещё раз",
    "summary_en": "Word pairs.",
    "summary_ru": "",
    "counting": "latest",
    "citation": "Nobody (2026)",
    "bibtex": "",
}


def test_words_and_the_rule_are_set_and_shown_beside_what_is_declared(own: Installation) -> None:
    olga = Organiser(app_of(own))
    olga.open(olga.at("settings"))
    page = olga.send(olga.at("settings"), **FILLED)
    assert "It is set." in page
    assert page.count("The task's folder declares:") >= 4
    assert "the best on each track" in page
    public = Browser(olga.app).open("/tasks/russe")
    assert "RUSSE, once more" in public
    assert "The last run that a team submitted counts now." in public
    olga.open(olga.at("settings"))
    assert "as the task&#39;s folder declares it again" in post(olga, "settings/back/title")
    assert "RUSSE, once more" not in Browser(olga.app).open("/tasks/russe")


def post(olga: Organiser, page: str) -> str:
    """Presses a button that sends the page's form somewhere else."""
    form = next(form for form in olga.forms() if "organise" in form.action)
    olga.last = olga.client.post(
        olga.at(page), data=form.values, headers=olga.headers, follow_redirects=True, buffered=True
    )
    return olga.last.text


def test_a_setting_that_cannot_be_used_is_said_and_what_was_typed_stays(own: Installation) -> None:
    olga = Organiser(app_of(own))
    olga.open(olga.at("settings"))
    page = olga.send(olga.at("settings"), **{**FILLED, "title_en": " ", "citation": "kept"})
    assert olga.last.status_code == 422
    assert "Write it in English at least" in page
    assert "kept" in page


def test_the_text_is_previewed_cleaned_and_shown_in_place_of_the_readme(own: Installation) -> None:
    olga, reader = Organiser(app_of(own)), Browser(app_of(own))
    written = {"text_en": "## Rules\n\n<script>alert(1)</script>Be *fair*.", "text_ru": "## Правила"}
    olga.open(olga.at("settings/text"))
    page = olga.send(olga.at("settings/text"), wanted="preview", **written)
    assert "Be <em>fair</em>." in page
    assert "not set yet" in page
    assert "<script>alert" not in page
    assert "Be <em>fair</em>" not in reader.open("/tasks/russe")
    assert "on the task&#39;s page now" in olga.send(olga.at("settings/text"), wanted="set", **written)
    public = reader.open("/tasks/russe")
    assert "Be <em>fair</em>." in public
    assert "alert(1)" not in public
    assert "Правила" in reader.open("/tasks/russe?lang=ru")
    assert "What the README says" in olga.open(olga.at("settings/text"))
    post(olga, "settings/back/text")
    assert "Be <em>fair</em>" not in reader.open("/tasks/russe")


def test_a_hidden_task_is_for_its_organisers_only(own: Installation) -> None:
    app = app_of(own)
    olga, reader, mary, ada = Organiser(app), Browser(app), Browser(app), Administrator(app)
    mary.register("mary")
    olga.open(olga.at("settings"))
    olga.send(olga.at("settings/openness"), visibility="organisers", names="never")
    assert "its organisers only" in olga.open(olga.at("settings"))
    pages = ("", "/board", "/board.csv", "/study", "/questions", "/submit", "/inputs/pairs", "/changes.atom")
    for address in (f"/tasks/russe{page}" for page in pages):
        for other in (reader, mary):
            other.open(address)
            assert other.last.status_code == 404 or other.last.request.path == "/sign-in", address
        for organiser in (olga, ada):
            page = organiser.open(address)
            assert organiser.last.status_code == 200, address
            assert ("This task is not public" in page) == (organiser.last.mimetype == "text/html")
            assert organiser.last.headers["Cache-Control"] == "no-store", address
    assert "/tasks/russe" in olga.open("/")
    assert "/tasks/russe" not in mary.open("/")
    assert olga.client.get("/api/v1/tasks/russe", headers=olga.headers).status_code == 404


def test_names_are_told_from_a_date_which_must_be_there(own: Installation) -> None:
    olga = Organiser(app_of(own))
    address = olga.at("settings/openness")
    olga.open(olga.at("settings"))
    assert "Enter the date." in olga.send(address, visibility="public", names="date", names_at="")
    olga.open(olga.at("settings"))
    page = olga.send(address, visibility="public", names="date", names_at="2030-01-02T03:04")
    assert 'value="2030-01-02T03:04:00"' in page
    assert "Names of teams are shown from:" in Browser(olga.app).open("/tasks/russe")


def test_changes_of_settings_are_in_the_feed(own: Installation) -> None:
    olga = Organiser(app_of(own))
    olga.open(olga.at("settings"))
    olga.send(olga.at("settings"), **FILLED)
    feed = olga.open("/tasks/russe/changes.atom")
    assert "The organisers changed settings" in feed
    assert "counts now" in feed


EXACT = {"kind_hj": "exact", "kind_rt": "exact", "kind_ae": "exact"}


def test_what_is_told_of_values_is_set_and_set_back(own: Installation) -> None:
    own.submit("russe", "embeddings.csv", "Foxes")
    olga = Organiser(app_of(own))
    board = "/tasks/russe/board?track=hj"
    olga.open(olga.at("settings"))
    exact = Browser(olga.app).open(board)
    page = olga.send(olga.at("settings/public-values"), **EXACT | {"kind_hj": "rounded", "number_hj": "1"})
    assert "It is set." in page
    assert "HJ <code>exact</code>" in page
    told = Browser(olga.app).open(board)
    assert "Values are rounded to 1 decimal." in told
    assert exact != told
    assert "hj does not show exact values any more" in Browser(olga.app).open("/tasks/russe")
    olga.open(olga.at("settings"))
    page = olga.send(olga.at("settings/public-values"), **EXACT | {"kind_hj": "ladder-step", "number_hj": ""})
    assert olga.last.status_code == 422
    assert "enter its number" in page
    olga.open(olga.at("settings"))
    assert "as the task&#39;s folder declares it again" in post(olga, "settings/public-values/back")
    assert "rounded to" not in Browser(olga.app).open(board)


def test_a_track_that_tells_less_is_not_studied(own: Installation) -> None:
    own.submit("russe", "embeddings.csv", "Foxes")
    olga = Organiser(app_of(own))
    olga.open(olga.at("settings"))
    olga.send(olga.at("settings/public-values"), **EXACT | {"kind_rt": "ladder-step", "number_rt": "0.01"})
    page = Browser(olga.app).open("/tasks/russe/study")
    assert "less than exact values of the track" in page
