"""The page that explains the API, made from its OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response
from flask_babel import gettext

from leaderboard.web.access import EVERYBODY, allow
from leaderboard.web.answers import page
from leaderboard.web.api.problems import KINDS
from leaderboard.web.api.setup import document

METHODS = ("get", "post", "patch", "put", "delete")

blueprint = Blueprint("api_reference", __name__)


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter, or a member of a document: its name, where it stands, its type and what it means."""

    name: str
    place: str
    kind: str
    needed: bool
    words: str


@dataclass(frozen=True, slots=True)
class Body:
    """A body that is taken or answered: its media type, and the members of its document. `schema` names the
    document where it has a name."""

    label: str
    media_type: str
    words: str
    schema: str | None
    members: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for."""

    anchor: str
    method: str
    path: str
    summary: str
    words: str
    scope: str
    parameters: tuple[Value, ...]
    sent: tuple[Body, ...]
    answers: tuple[Body, ...]


@blueprint.get("/api")
@allow(EVERYBODY)
def show() -> Response:
    """Every operation with its parameters, documents and problems."""
    groups: dict[str, list[Operation]] = {}
    for path, operations in document()["paths"].items():
        shared = operations.get("parameters", [])
        for method in METHODS:
            if method in operations:
                found = _operation(path, method, operations[method], shared)
                groups.setdefault(operations[method]["tags"][0], []).append(found)
    schemas = {name: _members(schema) for name, schema in document()["components"]["schemas"].items()}
    return page("api/reference.html", groups=groups, problems=KINDS.values(), schemas=_used(groups, schemas))


def _operation(path: str, method: str, asked: Mapping[str, Any], shared: list[Any]) -> Operation:
    security = asked.get("security", [])
    return Operation(
        anchor=asked["operationId"],
        method=method.upper(),
        path=path,
        summary=_told(asked.get("summary", "")),
        words=_told(asked.get("description", "")),
        scope=next((scope for each in security for scopes in each.values() for scope in scopes), ""),
        parameters=tuple(_parameter(each) for each in [*shared, *asked.get("parameters", [])]),
        sent=tuple(_bodies("", asked.get("requestBody", {}))),
        answers=tuple(
            body
            for status, answer in sorted(asked["responses"].items())
            if status != "default"
            for body in _bodies(status, answer)
        ),
    )


def _parameter(each: Mapping[str, Any]) -> Value:
    kind = _kind(each.get("schema", {}))
    return Value(
        each["name"], each["in"], kind, each.get("required", False), _told(each.get("description", ""))
    )


def _bodies(label: str, holder: Mapping[str, Any]) -> Iterator[Body]:
    if "$ref" in holder:
        # The library's words for a request that is not as it should be, the same everywhere.
        return
    for media_type, content in holder.get("content", {}).items():
        schema = content.get("schema", {})
        name = _name(schema)
        yield Body(
            str(label),
            media_type,
            _told(holder.get("description", "")),
            name,
            () if name else _members(schema),
        )


def _members(schema: Mapping[str, Any]) -> tuple[Value, ...]:
    required = schema.get("required", ())
    return tuple(
        Value(name, "", _kind(member), name in required, _told(member.get("description", "")))
        for name, member in schema.get("properties", {}).items()
    )


def _kind(schema: Mapping[str, Any]) -> str:
    """The type in a few words, with the name of the document where it is one."""
    if name := _name(schema):
        return name
    if "anyOf" in schema:
        return " | ".join(_kind(each) for each in schema["anyOf"])
    types = schema.get("type", "any")
    types = types if isinstance(types, list) else [types]
    return " | ".join(_one_kind(each, schema) for each in types)


def _one_kind(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "array":
        return f"[{_kind(schema.get('items', {}))}]"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return "{…: " + _kind(schema["additionalProperties"]) + "}"
    if kind == "string" and "enum" in schema:
        return " | ".join(f'"{each}"' for each in schema["enum"] if each is not None)
    return str(schema.get("format", kind)) if kind == "string" else str(kind)


def _name(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    return str(reference).rpartition("/")[2] if reference else None


def _used(
    groups: Mapping[str, list[Operation]], schemas: Mapping[str, tuple[Value, ...]]
) -> dict[str, tuple[Value, ...]]:
    """The documents that have members, by name."""
    return {name: members for name, members in sorted(schemas.items()) if members and groups}


def _told(words: str) -> str:
    """Words of the document in the reader's language."""
    return gettext(words) if words else ""
