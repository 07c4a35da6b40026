import ast

from repo.tree import read_texts

DRIVERS = {"sqlite3", "asyncpg"}
SPEAKS_SQL = (
    "services/event-store/src/loom_event_store/postgres/",
    "services/event-store/src/loom_event_store/sqlite/",
    "shared/servicekit/src/loom_servicekit/migrations.py",
    "shared/servicekit/src/loom_servicekit/postgres.py",
    "shared/servicekit/src/loom_servicekit/sqlite.py",
)


def list_imports(source: str) -> set[str]:
    """The top-level packages that a module imports."""
    nodes = list(ast.walk(ast.parse(source)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    taken = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in plain | taken}


def test_only_the_stores_import_a_driver() -> None:
    """A driver is met by the event store's bodies and by the kit, through which timers and retention speak SQL."""
    packages = [(path, text) for path, text in read_texts(".py") if "/src/" in path]
    others = [(path, text) for path, text in packages if not path.startswith(SPEAKS_SQL)]

    assert [path for path, text in others if not DRIVERS.isdisjoint(list_imports(text))] == []


def test_a_driver_is_noticed() -> None:
    """Negative control for the rule above."""
    assert list_imports("def f():\n    import sqlite3 as s\n    from asyncpg.pool import Pool") == DRIVERS
