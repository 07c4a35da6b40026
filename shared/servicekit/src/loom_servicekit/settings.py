"""A service's environment, read once into one frozen dataclass: the only home of its defaults."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from loom_servicekit.hosts import is_loopback

Settings = TypeVar("Settings")

Pooler = Literal["session", "transaction"]
"""`transaction`: a pooler may give each transaction another server connection, so no statement is kept prepared."""


def _check_url(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError("the URL of a service is http://HOST:PORT")  # and nothing of the value, nor of its parts
    return text


Port = Annotated[int, Field(ge=0, le=65_535)]
Milliseconds = Annotated[int, Field(ge=1)]
ServiceUrl = Annotated[str, AfterValidator(_check_url)]
DatabaseUrl = Annotated[str, Field(pattern=r"^postgres(ql)?://")]


class SettingsError(ValueError):
    """The environment cannot be read; the message names every fault, one a line."""


def read_settings(cls: type[Settings], environ: Mapping[str, str], prefix: str = "LOOM_") -> Settings:
    """The settings that `environ` spells: `port` is LOOM_PORT, `event_bytes` of `limits` is LOOM_LIMITS_EVENT_BYTES.

    Tuples are separated by commas, flags are 1 and 0 or true and false. An empty variable is an absent one. Raises
    SettingsError with all faults at once; no message repeats a value, which may be a secret.
    """
    found, faults = _read(cls, environ, prefix), dict[str, None]()
    while True:
        try:
            settings = TypeAdapter(cls).validate_python(found)
        except ValidationError as error:
            faults |= dict.fromkeys(_faults(error, prefix))
            faulty = {str(fault["loc"][0]) for fault in error.errors() if fault["loc"]} & found.keys()
            if faulty:  # what depends on several fields is only asked once each of them is well: ask without these
                found = {name: value for name, value in found.items() if name not in faulty}
                continue
        if faults:
            raise SettingsError("\n".join(faults))
        return settings


def settings_or_exit(cls: type[Settings]) -> Settings:
    """The settings of this process; where they are faulty, all faults on stderr and exit status 2."""
    try:
        return read_settings(cls, os.environ)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None


def why_exposed(host: str, dev: bool) -> str | None:
    """Why a process may not listen on `host`; None if it may. Only loopback is private without access control."""
    if dev or is_loopback(host):
        return None
    return f"{host} can be reached by others and there is no access control: use 127.0.0.1, or set LOOM_DEV=1"


def _read(cls: type[Any], environ: Mapping[str, str], prefix: str) -> dict[str, Any]:
    hints = get_type_hints(cls)
    found = {field.name: _value(hints[field.name], environ, prefix + field.name.upper()) for field in fields(cls)}
    return {name: value for name, value in found.items() if value is not None}


def _value(hint: Any, environ: Mapping[str, str], variable: str) -> Any:
    kind = _not_none(hint)
    if is_dataclass(kind):
        assert isinstance(kind, type)
        return _read(kind, environ, variable + "_")
    text = environ.get(variable, "").strip()
    if not text:
        return None
    return [part.strip() for part in text.split(",") if part.strip()] if get_origin(kind) is tuple else text


def _not_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        return next(kind for kind in get_args(hint) if kind is not type(None))
    return hint


def _faults(error: ValidationError, prefix: str) -> Iterator[str]:
    for fault in error.errors(include_url=False, include_input=False):
        name = prefix + "_".join(str(part).upper() for part in fault["loc"])
        told = "is required" if fault["type"] == "missing" else fault["msg"].removeprefix("Value error, ")
        yield f"{name}: {told}" if fault["loc"] else told
