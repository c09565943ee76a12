"""Mail goes out once its reason is committed, and is tried again where that fails."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import select

from leaderboard.services import letters
from leaderboard.services.letters import Addressed
from leaderboard.services.postmen import MailServer, Outbox
from leaderboard.store.models import Letter
from leaderboard.store.session import Database
from tests.services.toy import NOON


class Bag:
    """A postman who keeps what he carries; the first `failures` times he fails."""

    def __init__(self, failures: int = 0) -> None:
        self.carried: list[Addressed] = []
        self.failures = failures

    def carry(self, letter: Addressed) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("no answer")
        self.carried.append(letter)


def write(database: Database, subject: str = "Hello", recipient: str = "ann@example.org") -> None:
    with database.writing() as session:
        letters.write(session, recipient, subject, "Line one\nЛиния", NOON)


def test_a_letter_goes_out_once_and_its_text_is_forgotten(database: Database) -> None:
    write(database)
    bag = Bag()
    assert letters.deliver(database.writing, bag, NOON) == 1
    assert letters.deliver(database.writing, bag, NOON + timedelta(days=1)) == 0
    assert [(letter.recipient, letter.subject) for letter in bag.carried] == [("ann@example.org", "Hello")]
    with database.reading() as session:
        assert session.scalars(select(Letter.body)).one() == ""


def test_a_letter_whose_reason_is_taken_back_never_goes_out(database: Database) -> None:
    with database.writing() as session:
        letters.write(session, "ann@example.org", "Hello", "text", NOON)
        session.rollback()
    assert letters.deliver(database.writing, Bag(), NOON) == 0


def test_a_letter_that_could_not_be_sent_is_tried_again_later(database: Database) -> None:
    write(database)
    bag = Bag(failures=1)
    assert letters.deliver(database.writing, bag, NOON) == 0
    assert letters.deliver(database.writing, bag, NOON + timedelta(minutes=1)) == 0
    assert letters.deliver(database.writing, bag, NOON + timedelta(minutes=2)) == 1


def test_one_bad_letter_does_not_hold_back_the_others(database: Database) -> None:
    write(database, "first")
    write(database, "second")
    bag = Bag(failures=1)
    assert letters.deliver(database.writing, bag, NOON) == 1
    assert [letter.subject for letter in bag.carried] == ["second"]


def test_a_letter_is_given_up_in_the_end(database: Database) -> None:
    write(database)
    bag = Bag(failures=100)
    now = NOON
    for _ in range(20):
        letters.deliver(database.writing, bag, now)
        now += timedelta(days=2)
    assert bag.failures == 100 - letters.MOST_ATTEMPTS


def test_two_who_deliver_at_once_send_each_letter_once(database: Database) -> None:
    for number in range(10):
        write(database, str(number))
    bag = Bag()
    with ThreadPoolExecutor(4) as threads:
        sent = list(threads.map(lambda _: letters.deliver(database.writing, bag, NOON), range(4)))
    assert sum(sent) == 10
    assert len({letter.letter_id for letter in bag.carried}) == len(bag.carried) == 10


def test_a_subject_stays_on_one_line(database: Database) -> None:
    write(database, "Hello\r\nBcc: eve@example.org")
    bag = Bag()
    letters.deliver(database.writing, bag, NOON)
    assert bag.carried[0].subject == "Hello Bcc: eve@example.org"


LETTER = Addressed(7, "ann@example.org", "Привет", "Line one\nЛиния\n")


def test_the_outbox_keeps_letters_that_only_the_owner_reads(tmp_path: Path) -> None:
    Outbox(tmp_path / "outbox", "site@example.org").carry(LETTER)
    file = tmp_path / "outbox" / "000007.eml"
    message = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert (message["To"], message["From"], message["Subject"]) == (
        "ann@example.org",
        "site@example.org",
        "Привет",
    )
    assert isinstance(message, EmailMessage)
    assert message.get_content().splitlines() == ["Line one", "Линия"]
    assert file.stat().st_mode & 0o077 == 0
    assert file.parent.stat().st_mode & 0o077 == 0


def test_what_is_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="not an address"):
        Outbox(tmp_path, "site@example.org").carry(Addressed(1, "a@b\r\nBcc: c@d", "x", "y"))


class MailSession(socketserver.StreamRequestHandler):
    """As much SMTP as a sender needs."""

    def handle(self) -> None:
        self.say("220 here")
        while line := self.rfile.readline().decode().strip():
            verb = line.split()[0].upper()
            if verb == "DATA":
                self.say("354 go on")
                received = b""
                while not received.endswith(b"\r\n.\r\n"):
                    received += self.rfile.readline()
                self.server.received.append(received)  # type: ignore[attr-defined]
                self.say("250 kept")
            elif verb == "RCPT" and "nobody" in line:
                self.say("550 unknown")
            elif verb == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 fine")

    def say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")


@pytest.fixture
def mail_server() -> Iterator[socketserver.ThreadingTCPServer]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), MailSession) as server:
        server.received = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_mail_server_is_given_the_letter(mail_server: socketserver.ThreadingTCPServer) -> None:
    port = int(mail_server.server_address[1])
    MailServer("127.0.0.1", port, "none", "", "", "site@example.org").carry(LETTER)
    (received,) = mail_server.received  # type: ignore[attr-defined]
    assert b"To: ann@example.org" in received


def test_a_mail_server_is_tried_without_a_letter(mail_server: socketserver.ThreadingTCPServer) -> None:
    port = int(mail_server.server_address[1])
    MailServer("127.0.0.1", port, "none", "", "", "site@example.org").probe()
    with pytest.raises(OSError, match="STARTTLS"):
        MailServer("127.0.0.1", port, "starttls", "", "", "site@example.org").probe()
    with pytest.raises(OSError, match="AUTH"):
        MailServer("127.0.0.1", port, "none", "site", "wrong", "site@example.org").probe()
    assert mail_server.received == []  # type: ignore[attr-defined]


def test_an_address_that_a_mail_server_refuses_is_a_failure(
    mail_server: socketserver.ThreadingTCPServer,
) -> None:
    port = int(mail_server.server_address[1])
    with pytest.raises(OSError, match="unknown"):
        MailServer("127.0.0.1", port, "none", "", "", "site@example.org").carry(
            Addressed(1, "nobody@example.org", "x", "y")
        )
