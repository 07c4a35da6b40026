"""Digests: of what a call wrote, of a nonce, of a result; and the id derived for a child."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import fields, is_dataclass
from typing import Any

from loom.ids import ExecutionId, ExecutionRef, Nonce
from loom.kernel.raw_json import encode

_WHO = frozenset({"credential", "incarnation", "batch_id"})


def digest_of(call: Any) -> str:
    """The digest by which a repeat is told from another call under the same key (I3): what it says, not who says it.

    What a member says by default is left out, so that a repeat is known across an upgrade that added a member.
    """
    return digest_of_text(f"{type(call).__name__}{encode(_said(call))}")


def _said(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_said, value))
    if not is_dataclass(value):
        return value
    members = ((field, getattr(value, field.name)) for field in fields(value) if field.name not in _WHO)
    return {field.name: _said(member) for field, member in members if member != field.default}


def digest_of_text(text: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def grant_hash(nonce: Nonce) -> str:
    """What the head keeps of a nonce."""
    return digest_of_text(f"nonce:{nonce}")


def ended_link_id(link: ExecutionRef) -> ExecutionId:
    """`<id>~<its own incarnation>`: where an ended link is found, while the id names the newest one (I58)."""
    return ExecutionId(f"{link.execution_id}~{int(link.incarnation)}")


def child_id(parent: ExecutionRef, child_key: str) -> ExecutionId:
    """`<parent, cut to 190 characters>~c<26 characters>`: one child per parent incarnation and key (I39)."""
    text = f"{parent.namespace}/{parent.execution_id}/{int(parent.incarnation)}/{child_key}"
    name = base64.b32encode(hashlib.sha256(text.encode()).digest()).decode().lower()[:26]
    return ExecutionId(f"{parent.execution_id[:190]}~c{name}")
