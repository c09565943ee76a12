"""What holds of every page, in light and in dark."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it ships no types
from playwright.sync_api import Page

ALL = """async () => (await axe.run({resultTypes: ["violations"]})).violations"""
"""What axe has to say of a page that it has been put into before. What it is content with stays there:
carrying that here takes as long as looking."""

DARK = """async () => {
  const runOnly = ["color-contrast", "link-in-text-block"];
  return (await axe.run({runOnly, resultTypes: ["violations"]})).violations;
}"""
"""The same of colours alone."""

AXE = Axe().axe_script

SIZES = {"phone": (390, 844), "wide": (1280, 900)}


def faults_of(page: Page) -> list[str]:
    """What axe has to say of the page as it stands, and whether it is wider than the screen.

    The same page is looked at in light and in dark: loading it twice would double the time of all these
    tests. In dark only the colours are others. Motion is off, or axe would measure colours on their way from
    one to the other.
    """
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE)
    found = {"light": page.evaluate(ALL)}
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    found["dark"] = page.evaluate(DARK)
    faults = [
        f"{page.url}, {scheme}: {violation['id']} {violation['nodes']}"
        for scheme, violations in found.items()
        for violation in violations
    ]
    if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
        faults.append(f"{page.url}: too wide")
    return faults


def faults_at_every_size(page: Page) -> list[str]:
    """The same on a phone and on a wide screen, of the page as it was loaded once."""
    found: list[str] = []
    for width, height in SIZES.values():
        page.set_viewport_size({"width": width, "height": height})
        found += faults_of(page)
    return found
