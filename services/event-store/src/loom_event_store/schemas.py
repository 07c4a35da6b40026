"""The OpenAPI of the path table, made of the same dataclasses that the routes decode."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter

from loom.errors import ERRORS
from loom.stores.surfaces import Surface
from loom.wire.codec import KEY_HEADER, stands_in_query, takes_body
from loom.wire.members import NOUNS, members_of
from loom.wire.paths import PATHS, Path

_REF = "#/components/schemas/{model}"

PROBLEM = {
    "type": "object",
    "description": "RFC 9457, with a stable code and the ids involved",
    "required": ["type", "title", "status", "detail", "instance", "code", "retryable"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "code": {"type": "string", "enum": sorted([*ERRORS, "internal"])},
        "retryable": {"type": "boolean"},
    },
}


def _schemas_of(nouns: Iterable[type[Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A reference for each noun, by its name, and the components that they refer to."""
    named: list[tuple[str, Any, TypeAdapter[Any]]] = [
        (noun.__name__, "validation", TypeAdapter(noun)) for noun in nouns
    ]
    found, document = TypeAdapter.json_schemas(named, ref_template=_REF)
    return {name: schema for (name, _), schema in found.items()}, document.get("$defs", {})


_NOUNS = dict.fromkeys([*(path.call for path in PATHS), *(path.answer for path in PATHS), Surface])
_REFERENCES, _COMPONENTS = _schemas_of(_NOUNS)


def operation(path: Path) -> dict[str, Any]:
    """What the document says of one call."""
    described: dict[str, Any] = {
        "description": path.summary if _is_generated(path.call) else inspect.getdoc(path.call),
        "parameters": list(_parameters(path)),
        "responses": answers(_REFERENCES[path.answer.__name__], path.status),
    }
    if takes_body(path):
        schema = {"$ref": _REF.format(model=path.call.__name__)}
        described["requestBody"] = {"required": path.has_body, "content": {"application/json": {"schema": schema}}}
    return described


def answers(schema: Any, status: int = 200) -> dict[str, Any]:
    """The answers of an operation: its own, and a problem."""
    problem = {"application/problem+json": {"schema": {"$ref": _REF.format(model="Problem")}}}
    return {
        str(status): {"description": "Done", "content": {"application/json": {"schema": schema}}},
        "default": {"description": "Not done, or not known to be", "content": problem},
    }


def components() -> dict[str, Any]:
    """All schemas; of a call only what stands in the body."""
    bodies = {path.call.__name__: _body(path) for path in PATHS if takes_body(path)}
    elsewhere = {path.call.__name__ for path in PATHS} - bodies.keys()
    kept = {name: _as_sent(name, schema) for name, schema in _COMPONENTS.items() if name not in elsewhere}
    return {**kept, **bodies, "Problem": PROBLEM}


def _as_sent(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Without the members that never leave a store, with those that are shown besides."""
    noun = _BY_NAME.get(name)
    if noun is None:
        return schema
    hidden = {field.name for field in fields(noun) if field.metadata.get("hidden")}
    sent = {member: part for member, part in schema["properties"].items() if member not in hidden}
    return {**schema, "properties": {**sent, **{shown: {"type": "string"} for shown in getattr(noun, "SHOWN", ())}}}


_BY_NAME = {noun.__name__: noun for noun in NOUNS if members_of(noun)}


SURFACES_ANSWER = answers({"type": "array", "items": _REFERENCES[Surface.__name__]})


def _parameters(path: Path) -> Iterator[dict[str, Any]]:
    schema = _COMPONENTS[path.call.__name__]
    for name in members_of(path.call):
        place = "path" if name in path.in_path else "query" if stands_in_query(path, name) else None
        if place:
            required = place == "path" or name in schema.get("required", ())
            yield {"name": name, "in": place, "required": required, "schema": schema["properties"][name]}
    if path.has_key:
        required = "batch_id" in schema.get("required", ())
        text = {"type": "string", "minLength": 1, "maxLength": 255}
        yield {"name": KEY_HEADER, "in": "header", "required": required, "schema": text}


def _body(path: Path) -> dict[str, Any]:
    schema = _COMPONENTS[path.call.__name__]
    inside = {
        name: member
        for name, member in schema["properties"].items()
        if name not in path.in_path and name != "batch_id" and not stands_in_query(path, name)
    }
    required = [name for name in schema.get("required", ()) if name in inside]
    return {**schema, "properties": inside, **({"required": required} if required else {"required": []})}


def _is_generated(noun: type[Any]) -> bool:
    """Is the docstring the one that the dataclass decorator writes?"""
    return (noun.__doc__ or "").startswith(f"{noun.__name__}(")
