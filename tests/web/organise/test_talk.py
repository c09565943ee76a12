"""Announcements and questions through the pages."""

from __future__ import annotations

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import Member, app_of
from tests.web.organisers import Organiser

FILLED = {"title_ru": "", "text_ru": "", "public": "y", "mail": "all"}


def test_an_announcement_is_seen_first_then_made_read_and_withdrawn(own: Installation) -> None:
    app = app_of(own)
    Member(app, "mary", "Foxes")
    olga = Organiser(app)
    address = olga.at("announcements")
    olga.open(address)
    words = {
        **FILLED,
        "title_en": "A new deadline",
        "text_en": "See **here** or [there](https://example.org/x). <script>x</script>",
    }
    page = olga.send(address, preview="y", **words)
    assert "<strong>here</strong>" in page
    assert "Nothing is announced yet." in page
    assert "A new deadline" not in Browser(app).open("/tasks/russe")
    page = olga.send(address, **words)
    assert "1 letter goes out." in page
    reader = Browser(app)
    assert "A new deadline" in reader.open("/tasks/russe")
    shown = reader.open("/tasks/russe/announcements")
    assert "<strong>here</strong>" in shown
    assert "<script>x" not in shown
    feed = reader.open("/tasks/russe/changes.atom")
    assert "<title>A new deadline</title>" in feed
    assert "&lt;strong&gt;here" in feed
    letter = olga.letters()[-1]
    assert letter["To"] == "mary@example.org"
    assert "A new deadline" in letter["Subject"]
    assert "/tasks/russe/announcements" in letter.get_content()
    assert "See here or there (https://example.org/x)." in letter.get_content()
    olga.open(address)
    olga.send(f"{address}/1/withdraw")
    for page_of in ("/tasks/russe", "/tasks/russe/announcements", "/tasks/russe/changes.atom"):
        assert "A new deadline" not in reader.open(page_of)


def test_a_question_is_asked_answered_by_letter_and_for_all_without_a_name(own: Installation) -> None:
    app = app_of(own)
    mary, olga, reader = Member(app, "mary", "Foxes"), Organiser(app), Browser(app)
    mary.open("/tasks/russe/questions")
    assert "Write something first" in mary.send("/tasks/russe/questions", text=" ")
    assert "is with the organisers" in mary.send("/tasks/russe/questions", text="May we use <b>?")
    assert "May we use" not in reader.open("/tasks/russe/questions")
    page = olga.open(olga.at("questions"))
    assert "waits for an answer" in page
    assert "(<bdi>Foxes</bdi>)" in page
    olga.open(olga.at("questions/1"))
    olga.send(olga.at("questions/1"), answer="Yes, *all* of you.", public="y")
    shown = reader.open("/tasks/russe/questions")
    assert "May we use &lt;b&gt;?" in shown
    assert "<em>all</em>" in shown
    assert "Mary" not in shown
    assert "Foxes" not in shown
    assert "May we use" in reader.open("/tasks/russe/changes.atom")
    letter = olga.letters()[-1]
    assert (letter["To"], "Yes, all of you." in letter.get_content()) == ("mary@example.org", True)
    assert olga.client.get(olga.at("questions/9")).status_code == 404


def test_a_button_that_is_clicked_twice_writes_once(own: Installation) -> None:
    app = app_of(own)
    mary, olga = Member(app, "mary", "Foxes"), Organiser(app)
    mary.open("/tasks/russe/questions")
    mary.send("/tasks/russe/questions", text="May we?")
    words = {**FILLED, "title_en": "News", "text_en": "All is well."}
    for page, form, filled, said in (
        ("announcements", "announcements", words, "announced already"),
        ("questions/1", "questions/1", {"answer": "Yes."}, "answered already"),
        ("teams/1", "teams/1/letter", {"subject": "Hello", "letter": "All is well."}, "went out already"),
    ):
        olga.open(olga.at(page))
        opened = olga.last
        olga.send(olga.at(form), **filled)
        before = len(olga.letters())
        olga.last = opened
        assert said in olga.send(olga.at(form), **filled)
        assert len(olga.letters()) == before
        # The same from a page that was opened anew is meant.
        olga.open(olga.at(page))
        olga.send(olga.at(form), **filled)
        assert len(olga.letters()) == before + 1
    assert olga.open(olga.at("announcements")).count("<bdi>News</bdi>") == 2
