"""What holds of every page, in light and in dark."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from playwright.sync_api import Page


def faults_of(page: Page) -> list[str]:
    """What axe has to say of the page as it stands, and whether it is wider than the screen.

    The same page is looked at in light and in dark: loading it twice would double the time of all these
    tests. Motion is off, or axe would measure colours on their way from one to the other.
    """
    found: list[str] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        violations = Axe().run(page).response["violations"]
        found += [f"{page.url}, {scheme}: {violation['id']} {violation['nodes']}" for violation in violations]
    if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
        found.append(f"{page.url}: too wide")
    return found
