"""The way of a participant who reads Russian, in a real browser, on a phone and on a wide screen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.copies import copied
from tests.e2e.conftest import serve_app
from tests.e2e.looks import SIZES
from tests.e2e.test_accounts import newest_link
from tests.e2e.test_pages import PAGES, opened
from tests.web.browser import PASSWORD, site_of
from tests.web.installation import Installation
from tests.web.members import Clock, Member, app_of
from tests.web.phased import evaluated

pytestmark = pytest.mark.browser

MORNING = datetime(2026, 3, 2, 9, tzinfo=UTC)
FAULTY = "word1,word2,sim\nдом,изба,0.5\nдом,крыша,много\n"
CUT = """() => {
  const cut = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.checkVisibility() || element.closest(".visually-hidden, .skip, svg, option")) continue;
    const words = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!words) continue;
    const hides = getComputedStyle(element).overflowX === "hidden";
    let beyond = hides && element.scrollWidth > element.clientWidth + 1;
    for (let box = element.parentElement; box && !beyond; box = box.parentElement) {
      const overflow = getComputedStyle(box).overflowX;
      if (overflow === "auto" || overflow === "scroll") break;
      if (box === document.body || overflow === "hidden" || overflow === "clip") {
        const inner = element.getBoundingClientRect(), outer = box.getBoundingClientRect();
        beyond = inner.width > 0 && (inner.right > outer.right + 1 || inner.left < outer.left - 1);
      }
    }
    if (beyond) cut.push(element.textContent.trim().slice(0, 60));
  }
  return cut;
}"""
"""The words of the page that do not fit where they stand and cannot be scrolled to."""


def look(page: Page) -> None:
    """The page is Russian, and all of it can be read without scrolling sideways."""
    assert page.get_attribute("html", "lang") == "ru"
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1], page.url
    assert page.evaluate(CUT) == [], page.url


def test_nothing_is_cut_off_on_public_pages(browser: Browser, pages: str) -> None:
    with opened(browser, "phone", "light", "ru-RU") as page:
        for address in (*PAGES.values(), "/register", "/sign-in", "/reset", "/privacy"):
            page.goto(pages + address)
            for width, height in SIZES.values():
                page.set_viewport_size({"width": width, "height": height})
                look(page)


def test_what_is_cut_off_is_noticed(browser: Browser, pages: str) -> None:
    with opened(browser, "phone", "light", "ru-RU") as page:
        page.goto(pages)
        page.evaluate(
            "document.querySelector('h1').style.cssText ="
            " 'width: 4rem; overflow: hidden; white-space: nowrap'"
        )
        assert page.evaluate(CUT) == ["Соревнования"]


@pytest.fixture
def installation(
    tmp_path: Path, tasks_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Installation]:
    """RUSSE while it is evaluated, with two runs a day, and a run of another team."""
    Clock(MORNING).install(monkeypatch)

    def fill(original: Path) -> None:
        made = evaluated(original, tasks_folder, "russe")
        bob = Member(app_of(made), "bob", "Bears")
        bob.submit(made.spec("russe").folder / "sample" / "runs" / "char_trigrams.csv")
        site_of(bob.app).close()
        made.site.close()

    copied("Bears", tmp_path, fill)
    made = Installation.at(tmp_path, tmp_path / "tasks")
    yield made
    made.site.close()


@pytest.fixture
def site(browser: Browser, installation: Installation) -> Iterator[str]:
    yield from serve_app(app_of(installation))


def register(page: Page, site: str, made: Installation) -> None:
    page.goto(site)
    page.get_by_role("link", name="Зарегистрироваться").click()
    look(page)
    page.get_by_label("Ваше имя").fill("Анна")
    page.get_by_label("Адрес электронной почты").fill("anna@example.org")
    page.get_by_label("Пароль", exact=True).fill(PASSWORD)
    page.get_by_label("Тот же пароль ещё раз").fill(PASSWORD)
    page.locator("main [type=checkbox]").check()
    page.get_by_role("button", name="Зарегистрироваться").click()
    expect(page.get_by_text("Почти готово")).to_be_visible()
    look(page)
    page.goto(newest_link(page, made, "anna@example.org"))
    look(page)
    page.get_by_role("button", name="Да, это мой адрес").click()
    expect(page.get_by_text("Адрес подтверждён")).to_be_visible()
    page.get_by_label("Адрес электронной почты").fill("anna@example.org")
    page.get_by_label("Пароль", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Войти").click()
    expect(page.get_by_text("Анна").first).to_be_visible()


def found_team(page: Page, site: str) -> None:
    page.goto(f"{site}/tasks/russe/team")
    look(page)
    page.get_by_label("Название команды").fill("Ёжики в тумане")
    page.get_by_role("button", name="Создать команду").click()
    expect(page.get_by_text("Команда создана.")).to_be_visible()
    expect(page.get_by_role("heading", name="1 участник")).to_be_visible()
    look(page)


def submit(page: Page, site: str, file: Path) -> None:
    page.goto(f"{site}/tasks/russe/submit")
    look(page)
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name="Отправить", exact=True).click()


@pytest.mark.parametrize("size", list(SIZES))
def test_from_registering_to_a_place_in_the_ranking(
    browser: Browser, site: str, installation: Installation, tmp_path: Path, size: str
) -> None:
    faulty = tmp_path / "faulty.csv"
    faulty.write_text(FAULTY, "utf-8")
    with opened(browser, size, "light", "ru-RU") as page:
        register(page, site, installation)
        found_team(page, site)
        submit(page, site, faulty)
        expect(page.get_by_role("alert")).to_contain_text("В файле 1 ошибка")
        expect(page.get_by_role("alert")).to_contain_text("не число")
        look(page)
        submit(page, site, installation.spec("russe").folder / "sample" / "runs" / "embeddings.csv")
        expect(page.get_by_text("Файл принят.")).to_be_visible()
        expect(page.locator("#track-hj ~ p")).to_contain_text("место 1 среди 2 команд")
        expect(page.locator("main")).to_contain_text("2 мар. 2026")
        look(page)
        page.goto(f"{site}/tasks/russe/board?track=hj")
        expect(page.locator("tbody tr").first).to_contain_text("Ёжики в тумане")
        expect(page.locator("tbody tr .main").first).to_contain_text("0,")
        for address in (
            "/account",
            "/account/sign-ins",
            "/account/second-factor",
            "/account/tokens",
            "/privacy",
        ):
            page.goto(site + address)
            look(page)
        for address in ("", "/board", "/team", "/team/runs", "/team/runs/2", "/team/runs/2/edit", "/submit"):
            page.goto(f"{site}/tasks/russe{address}")
            look(page)
        expect(page.locator("aside")).to_contain_text("осталось 1 из 2")
        expect(page.locator("aside")).to_contain_text("5 мар. 2026, 12:00 UTC")
