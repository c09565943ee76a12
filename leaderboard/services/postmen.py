"""Who carries letters: a mail server, or, where none is set, a folder."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

from leaderboard.config import Encryption
from leaderboard.services.letters import Addressed

log = logging.getLogger(__name__)

TIMEOUT = 20.0
"""So many seconds a mail server may take to answer."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """Sends through an SMTP server."""

    host: str
    port: int
    encryption: Encryption
    user: str
    password: str
    sender: str

    def carry(self, letter: Addressed) -> None:
        """Sends one letter; raises OSError (as all of smtplib's errors are) where the server refuses it."""
        message = compose(letter, self.sender)
        with self._ready() as server:
            server.send_message(message)

    def probe(self) -> None:
        """Does all but send a letter; raises OSError where the server would refuse it."""
        with self._ready() as server:
            server.noop()

    @contextmanager
    def _ready(self) -> Iterator[smtplib.SMTP]:
        with self._connect() as server:
            if self.encryption == "starttls":
                server.starttls(context=ssl.create_default_context())
            if self.user:
                server.login(self.user, self.password)
            yield server

    def _connect(self) -> smtplib.SMTP:
        if self.encryption == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=TIMEOUT, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=TIMEOUT)


@dataclass(frozen=True, slots=True)
class Outbox:
    """Keeps letters as files in a folder, so that a site without a mail server works. Only the owner of the
    files can read them: they hold links that open accounts."""

    folder: Path
    sender: str

    def carry(self, letter: Addressed) -> None:
        """Writes one letter to ``<number>.eml``."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.folder / f"{letter.letter_id:06}.eml"
        file.touch(mode=0o600)
        file.write_bytes(compose(letter, self.sender).as_bytes())
        # The letter itself is not for the log: its links open accounts.
        log.warning("no mail server is set (MAIL_SERVER), so a letter stays in %s", file)


def compose(letter: Addressed, sender: str) -> EmailMessage:
    """The letter as mail servers want it. Raises OSError where the address is not one."""
    message = EmailMessage(policy=SMTP)
    try:
        message["From"] = sender
        message["To"] = Address(addr_spec=letter.recipient)
    except ValueError as error:
        raise OSError(f"not an address: {error}") from error
    message["Subject"] = letter.subject
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.body)
    return message
