"""From an address to a team of two, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import serve
from tests.e2e.looks import faults_at_every_size
from tests.web.installation import Installation

pytestmark = pytest.mark.browser

PASSWORD = "four unrelated words here"


@pytest.fixture
def made(tmp_path: Path, tasks_folder: Path) -> Installation:
    installation = Installation.make(tmp_path, tasks_folder)
    installation.install("russe")
    return installation


@pytest.fixture
def site(made: Installation) -> Iterator[str]:
    yield from serve(made)


def letters_to(made: Installation, recipient: str) -> list[EmailMessage]:
    files = sorted((made.settings.instance / "outbox").glob("*.eml"))
    messages = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]
    return [
        message for message in messages if isinstance(message, EmailMessage) and message["To"] == recipient
    ]


def newest_link(page: Page, made: Installation, recipient: str) -> str:
    """The address in the newest letter to somebody, which goes out after the page has come.

    Werkzeug's own server forgets what is to be done after an answer when the browser has dropped the
    connection. A consumer sends such letters within a minute; here the test takes its part.
    """
    for waited in range(1, 401):
        if letters_to(made, recipient):
            break
        page.wait_for_timeout(25)
        if waited % 40 == 0:
            made.site.deliver_letters()
    found = re.search(r"https?://\S+", letters_to(made, recipient)[-1].get_content())
    assert found is not None
    return found.group()


def address_of(name: str) -> str:
    return f"{name.lower()}@example.org"


def register(page: Page, site: str, made: Installation, name: str) -> None:
    page.goto(f"{site}/register")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("E-mail address").fill(address_of(name))
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("The same password again").fill(PASSWORD)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("status")).to_contain_text(address_of(name))
    page.goto(newest_link(page, made, address_of(name)))
    page.get_by_role("button", name="Yes, this is my address").click()
    expect(page.get_by_role("status")).to_contain_text("Your address is confirmed")


def sign_in(page: Page, name: str) -> None:
    page.get_by_label("E-mail address").fill(address_of(name))
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_two_people_register_and_become_a_team(
    browser: Browser, made: Installation, site: str, scripts: bool
) -> None:
    ann = browser.new_context(java_script_enabled=scripts).new_page()
    register(ann, site, made, "Ann")
    sign_in(ann, "Ann")
    ann.goto(f"{site}/tasks/russe")
    ann.get_by_role("link", name="Your team").click()
    ann.get_by_label("Name of the team").fill("Foxes")
    ann.get_by_role("button", name="Make the team").click()
    expect(ann.get_by_role("heading", name="Foxes")).to_be_visible()
    ann.get_by_role("button", name="Make an invitation link").click()
    link = ann.locator("#fresh-link").inner_text()

    bob = browser.new_context(java_script_enabled=scripts).new_page()
    bob.goto(link)
    expect(bob.get_by_role("heading")).to_contain_text("Foxes")
    register(bob, site, made, "Bob")
    sign_in(bob, "Bob")
    bob.get_by_role("button", name="Join the team").click()
    expect(bob.get_by_role("heading", name="Foxes")).to_be_visible()
    ann.reload()
    expect(ann.get_by_text("bob@example.org")).to_be_visible()
    ann.context.close()
    bob.context.close()


def test_the_account_menu_works_by_keyboard(browser: Browser, made: Installation, site: str) -> None:
    page = browser.new_context().new_page()
    register(page, site, made, "Ann")
    sign_in(page, "Ann")
    page.locator("details.menu summary").focus()
    page.keyboard.press("Enter")
    out = page.get_by_role("button", name="Sign out")
    expect(out).to_be_visible()
    for _ in range(page.locator("details.menu :is(a, button)").count()):
        page.keyboard.press("Tab")
    expect(out).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.context.close()


def test_pages_of_accounts_and_teams_can_be_used_by_everybody(
    browser: Browser, made: Installation, site: str
) -> None:
    context = browser.new_context()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        faults = faults_at_every_size(page)
        if faults:
            found[name] = faults

    for address in ("/register", "/sign-in", "/reset", "/confirm", "/privacy", "/invitations/none"):
        page.goto(site + address)
        look(address)
    register(page, site, made, "Ann")
    sign_in(page, "Ann")
    for address in (
        "/account",
        "/account/password",
        "/account/sign-ins",
        "/account/delete",
        "/tasks/russe/team",
    ):
        page.goto(site + address)
        look(address)
    page.get_by_label("Name of the team").fill("Foxes")
    page.get_by_role("button", name="Make the team").click()
    page.get_by_role("button", name="Make an invitation link").click()
    look("the team")
    page.goto(f"{site}/account/second-factor")
    page.get_by_role("button", name="Set it up").click()
    look("the second factor")
    page.goto(f"{site}/account/recovery-codes")
    page.get_by_role("button", name="Make new codes").click()
    look("recovery codes")
    # The page of a closed invitation answers 410, which the console notes.
    assert [text for text in complaints if "410" not in text] == []
    assert found == {}
    context.close()
