"""Forms that are to do their work once, however often their button is clicked."""

from __future__ import annotations

import hashlib
import uuid

from flask import request
from flask_wtf import FlaskForm
from sqlalchemy.orm import Session
from wtforms import HiddenField

from leaderboard.services import request_keys
from leaderboard.services.request_keys import Answer
from leaderboard.site import utc_now
from leaderboard.web.own_team import me


class OnceForm(FlaskForm):
    """A form that knows, by a word that its page was given, whether it was sent before with this content."""

    once = HiddenField(default=lambda: uuid.uuid4().hex)

    def is_repeated(self, session: Session) -> bool:
        """Whether its work is done already; else it counts as done, in the transaction that does it."""
        user_id, key = me().user_id, f"form-{self._stamp()}"
        if request_keys.begin(session, user_id, key, request.path, utc_now()) is not None:
            return True
        request_keys.finish(session, user_id, key, Answer(303, ""))
        return False

    def _stamp(self) -> str:
        """Changes whenever anything that was filled in does, and with every new page."""
        sent = [(name, request.form.getlist(name)) for name in sorted(request.form) if name != "csrf_token"]
        return hashlib.sha256(repr((request.path, sent)).encode()).hexdigest()
