"""Instrumented copies of the store's SQL functions: a session stops between any two of their statements."""

from __future__ import annotations

import re

from loom_servicekit.postgres import read_statements

FUNCTIONS = read_statements("loom_event_store.postgres", "functions")

MARKED = "loom.mark "
"""What a session says at a mark, before the mark's number."""
ODD = 1 << 32
"""Marks stop at two locks in turn, so that one is always held: a session's number, for odd marks with this added."""

MARK = f"""
CREATE OR REPLACE FUNCTION event_store.mark() RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = event_store, pg_temp AS $$
DECLARE
    gate text := current_setting('loom.gate', true);
    number bigint;
    lock bigint;
BEGIN
    IF gate IS NULL OR gate = '' THEN
        RETURN false;
    END IF;
    number := nextval(('event_store.mark_' || gate)::regclass);
    lock := gate::bigint + number % 2 * {ODD};
    RAISE NOTICE '{MARKED}%', number;
    PERFORM pg_advisory_lock(lock);
    PERFORM pg_advisory_unlock(lock);
    RETURN false;
END
$$;
"""

# An IF leaves FOUND as the statement before it set it; a PERFORM would not.
_STOP = "IF event_store.mark() THEN NULL; END IF;"
_BODY = re.compile(r"(LANGUAGE plpgsql.*?AS \$\$)(.*?)(\$\$;)", re.DOTALL)
_SQL_BODY = re.compile(r"(LANGUAGE sql.*?AS \$\$)(.*?)(\$\$;?)", re.DOTALL)
_STATEMENT = re.compile(
    r"(?:^|(?<=;)|(?<=\bTHEN)|(?<=\bELSE)|(?<=\bLOOP)|(?<=\bBEGIN))(\s*)"
    r"(?=(UPDATE|INSERT|DELETE|SELECT|PERFORM|WITH|RETURN QUERY|FOR \w+ IN|IF\b[^;]*?\bEXISTS)\b)"
)


def instrumented(text: str) -> str:
    """The file with a mark before every statement that looks at a table, but the first of its function."""
    return _SQL_BODY.sub(_marked_sql, _BODY.sub(_marked_body, text))


def _marked_body(match: re.Match[str]) -> str:
    head, body, tail = match.groups()
    declared, begin, statements = body.partition("BEGIN")
    return f"{head}{declared}{begin}{_marked(statements)}{tail}"


def _marked(statements: str) -> str:
    quiet = _blanked(statements)
    found = [at for at in _STATEMENT.finditer(quiet) if not _is_case(quiet, at) and not _is_plain(quiet, at)]
    marked = statements
    for at in reversed(found[1:]):
        start = at.end()
        marked = f"{marked[:start]}{_STOP} {marked[start:]}"
    return marked


def _is_case(text: str, at: re.Match[str]) -> bool:
    """Is what looks like a statement the branch of an expression?"""
    return at.group(2) == "SELECT" and text[: at.start()].rstrip().endswith("(")


def _is_plain(text: str, at: re.Match[str]) -> bool:
    return text[at.end() :].startswith("PERFORM check_isolation()")


def _marked_sql(match: re.Match[str]) -> str:
    head, body, tail = match.groups()
    statements = [part for part in body.split(";") if part.strip()]
    return head + "; SELECT event_store.mark();".join(statements) + tail


def _blanked(text: str) -> str:
    """The text with its comments and strings blanked out, every character in its place."""
    return re.sub(r"--[^\n]*|'(?:[^']|'')*'", lambda match: " " * len(match.group()), text)
