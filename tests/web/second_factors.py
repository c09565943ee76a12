"""People who sign in with a second factor."""

from __future__ import annotations

import re

from passlib.totp import TOTP

from tests.web.browser import Browser


def turn_on(browser: Browser) -> TOTP:
    browser.open("/account/second-factor")
    page = browser.send("/account/second-factor", setup="authenticator")
    key = re.search(r'class="secret-text">([^<]+)<', page)
    assert key is not None
    app = TOTP(key.group(1).replace("-", "").replace(" ", ""))
    page = browser.send("/account/second-factor/", code=app.generate().token)
    assert "The second factor is on" in page
    return app
