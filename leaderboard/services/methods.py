"""What a team says about how its run was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from leaderboard.contract import Message, say
from leaderboard.services.errors import ServiceError

Manner = Literal["", "automatic", "manual"]

MANNERS: tuple[Manner, ...] = ("", "automatic", "manual")

LONGEST_SYSTEM = 100
LONGEST_RESOURCES = 1000
LONGEST_LINK = 300
LONGEST_DESCRIPTION = 4000


@dataclass(frozen=True, slots=True)
class Method:
    """The kind of system, the external resources it used, whether people had a hand in the single run
    ("manual") or not, and where a paper or code is. Each is empty where the team says nothing.

    The link is shown to readers and never fetched.
    """

    system: str = ""
    resources: str = ""
    manner: Manner = ""
    link: str = ""


UNSAID = Method()
"""What a team says that says nothing."""


class MethodRefused(ServiceError):
    """Something said about the method cannot be kept; `field` is the one of `Method`, or "description"."""

    def __init__(self, field: str, message: Message) -> None:
        self.field = field
        super().__init__(message)


def clean_method(method: Method) -> Method:
    """The same without needless white space. Raises MethodRefused."""
    if method.manner not in MANNERS:
        raise MethodRefused("manner", say("Choose automatic or manual, or leave it open."))
    return Method(
        system=clean_text(method.system, "system", LONGEST_SYSTEM),
        resources=clean_text(method.resources, "resources", LONGEST_RESOURCES),
        manner=method.manner,
        link=clean_link(method.link),
    )


def clean_text(text: str, field: str, longest: int) -> str:
    """A text as typed, with plain line ends and none around it. Raises MethodRefused."""
    clean = text.replace("\r\n", "\n").replace("\0", "").strip()
    if len(clean) > longest:
        raise MethodRefused(
            field,
            say("This text has {length} characters; shorten it to {most}.", length=len(clean), most=longest),
        )
    return clean


def clean_link(link: str) -> str:
    """A web address that can be put into a page: http or https, with a host and without a password.

    Raises MethodRefused.
    """
    clean = link.strip()
    if not clean:
        return ""
    if len(clean) > LONGEST_LINK:
        raise MethodRefused("link", say("The link is longer than {most} characters.", most=LONGEST_LINK))
    if not _is_web_address(clean):
        raise MethodRefused(
            "link", say("This is no link that can be followed; it begins with https:// and names a host.")
        )
    return clean


def _is_web_address(link: str) -> bool:
    if not link.isprintable() or any(character.isspace() or character in '\\<>"' for character in link):
        return False
    try:
        parts = urlsplit(link)
        _ = parts.port
    except ValueError:
        return False
    has_password = parts.username is not None or parts.password is not None
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not has_password
