"""Values of workflow authors as JSON, and back by their annotations."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, get_type_hints

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic_core import to_jsonable_python

from loom.kernel.raw_json import RawJson

logger = logging.getLogger(__name__)


def encode_value(value: Any) -> RawJson:
    """The JSON text of plain values, dataclasses, pydantic models, dates, decimals, sets (sorted), bytes, enums.

    Raises TypeError or ValueError for what has none: other objects, NaN, a cycle.
    """
    try:
        return _write(_plain(value))
    except RecursionError:
        raise ValueError(
            f"{type(value).__name__} has no JSON form: it holds itself, or goes too deep in itself"
        ) from None


def digest_value(value: Any) -> str:
    """32 hexadecimal digits that are equal when the JSON forms are, whatever the order of their keys."""
    text = json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def decode_value(value: Any, annotation: Any) -> Any:
    """A parsed JSON value as its annotation says, unchanged if that is no type for JSON.

    Raises pydantic's ValidationError, and whatever a validator raises.
    """
    return value if annotation is Any else _adapter(annotation).validate_python(value)


def encode_arguments(args: Sequence[Any]) -> RawJson:
    """The input of a workflow: the list of its arguments."""
    return encode_value(list(args))


def decode_arguments(function: Callable[..., Any], form: Any, *, skip: int) -> tuple[list[Any], dict[str, Any]]:
    """The arguments in an input: a list is by position, an object by name, null is none, anything else is the only one.

    The first `skip` parameters come from elsewhere. Raises TypeError or pydantic's ValidationError.
    """
    args, kwargs = _by_place_and_name(form)
    signature, hints = inspect.signature(function), read_hints(function)
    bound = signature.bind(*[None] * skip, *args, **kwargs)
    names = list(bound.arguments)[:skip]
    for name, value in bound.arguments.items():
        if name not in names:
            bound.arguments[name] = _decode_parameter(signature.parameters[name], value, hints.get(name, Any))
    return list(bound.args[skip:]), bound.kwargs


def _by_place_and_name(form: Any) -> tuple[list[Any], dict[str, Any]]:
    match form:
        case None:
            return [], {}
        case list():
            return form, {}
        case dict():
            return [], form
    return [form], {}


def _decode_parameter(parameter: inspect.Parameter, value: Any, annotation: Any) -> Any:
    match parameter.kind:
        case inspect.Parameter.VAR_POSITIONAL:
            return tuple(decode_value(item, annotation) for item in value)
        case inspect.Parameter.VAR_KEYWORD:
            return {name: decode_value(item, annotation) for name, item in value.items()}
    return decode_value(value, annotation)


def read_hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The annotations of a function; where one cannot be resolved all are Any, with a line in the log."""
    if not getattr(function, "__annotations__", None):
        return {}
    try:
        return get_type_hints(function)
    except Exception as error:  # annotations in quotes are code
        logger.warning("annotations of %s are not resolved, values arrive as plain JSON: %s", function, error)
        return {}


def _adapter(annotation: Any) -> TypeAdapter[Any]:
    try:
        return _cached_adapter(annotation)
    except TypeError:  # an annotation that does not hash
        return _new_adapter(annotation)


@lru_cache(maxsize=1024)
def _cached_adapter(annotation: Any) -> TypeAdapter[Any]:
    return _new_adapter(annotation)


def _new_adapter(annotation: Any) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(annotation)
    except (PydanticUserError, NameError) as error:
        logger.warning("%s is no type for JSON, values arrive as plain JSON: %s", annotation, error)
        return TypeAdapter(Any)


def _write(plain: Any) -> RawJson:
    text = RawJson.of(plain)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate travels as its escape
        return RawJson(json.dumps(plain, separators=(",", ":"), allow_nan=False))
    return text


def _plain(value: Any) -> Any:
    match value:
        case None | bool() | int() | float() | str():
            return value if type(value) in _PLAIN else to_jsonable_python(value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {_key(key): _plain(item) for key, item in value.items()}
        case set() | frozenset():
            return sorted(map(_plain, value), key=lambda item: json.dumps(item, sort_keys=True))
        case BaseModel():
            return _plain(value.model_dump(mode="python"))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return _other(value)


_PLAIN = (type(None), bool, int, float, str)


def _key(key: Any) -> Any:
    return key if isinstance(key, str | int) else next(iter(to_jsonable_python({key: None})))


def _other(value: Any) -> Any:
    try:
        return to_jsonable_python(value)
    except ValueError as error:  # pydantic's PydanticSerializationError
        raise TypeError(f"{type(value).__name__} has no JSON form: {error}") from error
