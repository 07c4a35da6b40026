"""A store of which one guard is removed, in the database: what a storm has to notice."""

from __future__ import annotations

from loom_servicekit.tables import read_statements

GUARD = "token = p_token AND grant_hash = p_grant_hash"
"""Equality of token and grant: who is not the owner may not write."""
GUARDED = ("append_v1", "park_v1", "renew_v1")


def without_guard() -> str:
    """The functions of an owner's writes, none of which asks whose grant it is; a lease must live, anybody's."""
    functions = read_statements("loom_event_store.postgres", "functions")
    for name in GUARDED:
        assert GUARD in functions[name], f"{name} does not say {GUARD!r} any more: the mutant must be written anew"
    return "\n".join(functions[name].replace(GUARD, "true") for name in GUARDED)
