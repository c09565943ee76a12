"""An organiser of judging in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

from flask import Flask
from playwright.sync_api import Page, expect

from tests.e2e.looks import faults_of
from tests.e2e.test_accounts import sign_in
from tests.web.browser import Browser, site_of
from tests.web.organisers import give


class OrganiserAt:
    """Olga, who organises a task at a browser; what waits in the queue is done when she waits for it."""

    def __init__(self, app: Flask, page: Page, address: str, task: str) -> None:
        Browser(app).arrive("olga")
        give(app, "olga", "organiser", task)
        self.site = site_of(app)
        self.page = page
        self.place = f"{address}/tasks/{task}/organise"
        page.goto(f"{address}/sign-in")
        sign_in(page, "olga")
        expect(page.get_by_text("Olga").first).to_be_visible()

    def open(self, place: str) -> None:
        self.page.goto(f"{self.place}/{place}")
        assert faults_of(self.page) == []

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def make_tournament(self, title: str, track: str, k: int, consent: str, texts: Path) -> int:
        """A campaign for anybody in which every text of a file is a candidate, open; its number."""
        self.open("judging/new")
        self.page.get_by_label("Title").fill(title)
        self.page.get_by_label(re.compile("^Track")).select_option(track)
        self.page.get_by_label("Best items wanted (k)").fill(str(k))
        self.page.get_by_label("everybody, also without an account").check()
        self.page.get_by_label("What judges agree to, in English").fill(consent)
        self.press("Make the campaign")
        expect(self.page.get_by_text("The campaign is made.")).to_be_visible()
        number = int(self.page.url.rpartition("/")[2])
        self.open(f"judging/{number}/material")
        self.page.locator("#texts-file").set_input_files(texts)
        self.page.get_by_label("Every text of the file is a candidate").check()
        self.page.get_by_label("Track whose grades stay below the levels").select_option(track)
        self.press("Take the texts")
        expect(self.page.get_by_text(re.compile(r"The pool has \d+ candidates"))).to_be_visible()
        self.open(f"judging/{number}")
        self.press("Open it")
        expect(self.page.get_by_text("Judges are at work.")).to_be_visible()
        return number

    def apply_result(self, number: int) -> None:
        """Finishes a campaign, makes a draft of its result, and applies it when all runs are scored."""
        self.open(f"judging/{number}")
        self.press("Finish for good")
        self.open(f"judging/{number}/results")
        self.press("Make a draft")
        expect(self.page.get_by_text("from judging")).to_be_visible()
        self.site.jobs.drain()
        # The page looks by itself whether it is done.
        expect(self.page.locator(".draft-facts")).to_contain_text("ready to apply")
        self.page.get_by_label("I have read what changes").check()
        self.press("Apply the draft")
        self.site.jobs.drain()
        expect(self.page.locator(".draft-facts .badge")).to_have_text("applied")
