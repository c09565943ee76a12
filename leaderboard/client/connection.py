"""Asking a server, and what may come back."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from leaderboard.contract import Message, say

API = "/api/v1"
PATIENCE = 120.0
"""So many seconds a silent server is waited for."""

_LARGEST = 50_000_000
"""No document is longer than this."""


class ClientError(Exception):
    """What a script is told when something cannot be done; `message` says it to a person."""

    def __init__(self, message: Message) -> None:
        self.message = message
        super().__init__(str(message))


class Broken(ClientError):
    """There was no answer: no connection, or it broke. Asking again may help."""


class BadServer(ClientError):
    """What answered is no leaderboard, or not at this address."""


class Refused(ClientError):
    """The server said no. `document` is its problem document, `slug` the word for the kind of problem."""

    def __init__(self, status: int, document: Mapping[str, Any], wait: float | None) -> None:
        self.status = status
        self.document = document
        self.slug = str(document.get("type", "")).rpartition("#")[2]
        self.wait = wait
        super().__init__(say("{detail}", detail=document.get("detail") or document.get("title") or status))


class Body(Protocol):
    """What is sent: read in parts, never whole in memory."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """A document, with the status of HTTP and the headers (names in small letters)."""

    status: int
    document: Any
    headers: Mapping[str, str] = field(default_factory=dict)


class _NoRedirect(HTTPRedirectHandler):
    """A token is for one server; it is not carried on to another."""

    def redirect_request(self, *_arguments: Any, **_options: Any) -> None:
        return None


class Server:
    """A leaderboard at an address, asked with a token or without.

    Proxies are those of the environment (``https_proxy``, ``no_proxy``). `patience` in seconds.
    """

    def __init__(self, url: str, token: str = "", *, patience: float = PATIENCE) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadServer(
                say("{url} is no address of a server; it begins with https:// or http://.", url=url)
            )
        self.url = url.rstrip("/")
        self._token = token
        self._patience = patience
        self._opener = build_opener(_NoRedirect)

    def get(self, *path: object, **parameters: object) -> Answer:
        """The document at an address below the API's. Raises Broken, Refused and BadServer."""
        return self.ask("GET", *path, parameters=parameters)

    def every(self, *path: object, **parameters: object) -> list[Any]:
        """The items of all pages of a list."""
        items: list[Any] = []
        page = 1
        while True:
            answer = self.get(*path, page=page, per_page=200, **parameters).document
            items += answer["items"]
            if not answer["items"] or len(items) >= answer["total"]:
                return items
            page += 1

    def ask(
        self,
        method: str,
        *path: object,
        parameters: Mapping[str, object] | None = None,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Asks, and reads the document of the answer. Raises Broken, Refused and BadServer."""
        with self.open(method, *path, parameters=parameters, body=body, headers=headers) as response:
            content = _read(response)
            return Answer(response.status, _document(content, self.url), _headers(response))

    def open(
        self,
        method: str,
        *path: object,
        parameters: Mapping[str, object] | None = None,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> http.client.HTTPResponse:
        """The same with the answer as a stream, to be closed by who asks."""
        given = {name: str(value) for name, value in (parameters or {}).items() if value not in (None, "")}
        address = f"{self.url}{API}/" + "/".join(quote(str(part), safe="") for part in path)
        # The scheme is one of two, as __init__ made sure.
        request = Request(  # noqa: S310
            f"{address}?{urlencode(given)}" if given else address,
            data=body,
            headers={"Accept": "application/json", "User-Agent": "leaderboard-client", **(headers or {})},
            method=method,
        )
        if self._token:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            response: http.client.HTTPResponse = self._opener.open(request, timeout=self._patience)
        except HTTPError as error:
            raise _refused(error, self.url) from error
        except (OSError, http.client.HTTPException) as error:
            raise _broken(self.url, error) from error
        return response


def _refused(error: HTTPError, url: str) -> ClientError:
    with error:
        if 300 <= error.code < 400:
            place = error.headers.get("Location", "")
            return BadServer(say("{url} leads on to {place}; name that server itself.", url=url, place=place))
        try:
            document = json.loads(error.read(_LARGEST))
        except (OSError, ValueError, http.client.HTTPException):
            document = None
    if not isinstance(document, dict):
        if error.code >= 500:
            return Broken(say("{url} answers {status}, and not more.", url=url, status=error.code))
        return BadServer(
            say("{url} answers {status}; is it the address of a leaderboard?", url=url, status=error.code)
        )
    return Refused(error.code, document, _seconds(error.headers.get("Retry-After")))


def _broken(url: str, error: Exception) -> Broken:
    reason = error.reason if isinstance(error, URLError) else error
    return Broken(
        say("There is no answer from {url}: {why}", url=url, why=str(reason) or type(reason).__name__)
    )


def _read(response: http.client.HTTPResponse) -> bytes:
    try:
        content = response.read(_LARGEST)
    except (OSError, http.client.HTTPException) as error:
        raise Broken(say("The connection broke before the answer was there.")) from error
    promised = response.headers.get("Content-Length")
    if promised is not None and promised.isdecimal() and len(content) < int(promised):
        raise Broken(say("The connection broke before the answer was there."))
    return content


def _document(content: bytes, url: str) -> Any:
    try:
        return json.loads(content)
    except ValueError as error:
        raise BadServer(say("{url} does not answer as a leaderboard does.", url=url)) from error


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _seconds(header: str | None) -> float | None:
    return float(header) if header is not None and header.isdecimal() else None
