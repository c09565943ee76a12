"""The pages of administrators: accounts and the log of the site."""

from __future__ import annotations

from tests.web.browser import Browser
from tests.web.installation import Installation
from tests.web.members import app_of
from tests.web.organisers import Administrator


def test_an_administrator_freezes_an_account_and_lets_it_in_again(own: Installation) -> None:
    app = app_of(own)
    ada, mary = Administrator(app), Browser(app)
    mary.register("mary")
    ada.open("/administration/people?text=mary")
    freeze = next(form.action for form in ada.forms() if "/freeze" in form.action)
    assert "Say why" in ada.send(freeze, reason=" ")
    page = ada.send(freeze, reason="sells runs")
    assert "The account is frozen" in page
    assert "sells runs" in page
    mary.open("/account")
    assert mary.last.request.path == "/sign-in"
    mary.sign_in("mary")
    assert mary.last.request.path == "/sign-in"
    ada.open("/administration/people?frozen=y")
    ada.send(next(form.action for form in ada.forms() if "/unfreeze" in form.action))
    assert "mary@example.org" in mary.sign_in("mary")
    assert "froze the account of" in ada.open("/administration/log")


def test_administrators_make_others_and_the_last_one_stays(own: Installation) -> None:
    app = app_of(own)
    ada, bea = Administrator(app), Browser(app)
    bea.register("bea")
    ada.open("/administration/people")
    page = ada.send(next(form.action for form in ada.forms() if "/give" in form.action))
    assert "There is another administrator now." in page
    bea.sign_in("bea")
    assert "People of the site" in bea.open("/administration/people")
    first, second = (form.action for form in bea.forms() if "/take" in form.action)
    assert "The right is taken away." in bea.send(first)
    ada.sign_in("ada")
    assert ada.client.get("/administration/people").status_code == 403
    assert "This is the last administrator" in bea.send(second)


def test_the_log_of_the_site_is_filtered_and_downloaded(own: Installation) -> None:
    ada = Administrator(app_of(own))
    page = ada.open("/administration/log?kind=account&since=2020-01-01")
    assert "gave a right to" in page
    answer = ada.client.get("/administration/log/log.csv?kind=account", buffered=True)
    assert answer.mimetype == "text/csv"
    assert "right.given" in answer.text
    assert ada.client.get("/administration/log/log.jsonl", buffered=True).text.startswith("{")
    for wrong in ("log/log.exe", "log?since=x", "log?page=x", "people?page=x"):
        assert ada.client.get(f"/administration/{wrong}").status_code == 404
