import ast
from collections.abc import Iterator

from repo.tree import read_texts

# Joined from pieces, so that a search for them finds no test.
EVASIONS = {"sk" + "ip", "sk" + "ipif", "x" + "fail", "importor" + "sk" + "ip", "sk" + "ipTest", "Sk" + "ipTest"}


def list_evasions(source: str) -> list[int]:
    """The lines that call off a test or expect it to fail."""
    return [line for name, line in _list_names(ast.parse(source)) if name in EVASIONS]


def _list_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, lineno=line) | ast.Name(id=name, lineno=line):
                yield name, line
            case ast.ImportFrom(names=aliases, lineno=line):
                yield from ((alias.name, line) for alias in aliases)


def test_no_test_is_called_off() -> None:
    """A test runs and passes, or it is mended or removed: nothing is jumped over, nothing may fail."""
    tests = [(path, text) for path, text in read_texts(".py") if path.startswith("tests/")]

    assert tests
    assert {path: lines for path, text in tests if (lines := list_evasions(text))} == {}


def test_a_test_called_off_is_noticed() -> None:
    """Negative control for the rule above."""
    for name in EVASIONS:
        assert list_evasions(f"import pytest\n@pytest.mark.{name}\ndef test_it(): ...") == [2]
        assert list_evasions(f"from pytest import {name}") == [1]
    assert list_evasions("cases.discard(1)") == []
