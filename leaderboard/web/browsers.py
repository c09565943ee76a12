"""What a browser calls itself, in words that people know."""

from __future__ import annotations

from flask import Flask
from flask_babel import gettext

PROGRAMS = (
    # Most browsers also claim to be those further down.
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("YaBrowser/", "Yandex"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def init_browsers(app: Flask) -> None:
    """Gives templates the filter `browser`."""
    app.add_template_filter(browser, "browser")


def browser(agent: str) -> str:
    """The program and the system, where they are known; else the words as they came."""
    program = next((name for sign, name in PROGRAMS if sign in agent), None)
    system = next((name for sign, name in SYSTEMS if sign in agent), None)
    if program and system:
        return str(gettext("%(program)s on %(system)s", program=program, system=system))
    return program or system or agent or str(gettext("A browser that does not say what it is"))
