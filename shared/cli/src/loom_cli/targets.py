"""From what a user types to the workflows meant: a file, a module, or one workflow of either."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loom.worker.registry import Workflow


class NoTarget(Exception):
    """There is nothing to work on; the message says what was looked for."""


def find_workflows(target: str) -> tuple[Workflow[..., Any], ...]:
    """The workflows of `hello`, `hello.py`, `package.module`; with `:name` only the one so called.

    What the module imports counts: it wants to see it run. Raises NoTarget, and whatever the module raises.
    """
    from loom.worker.registry import Workflow

    place, _, name = target.partition(":")
    module = _load(place)
    found = {each.key: each for each in vars(module).values() if isinstance(each, Workflow)}
    if name:
        found = {key: each for key, each in found.items() if name in (each.name, each.function.__name__)}
    if not found:
        what = f"workflow {name}" if name else "function decorated with @loom.workflow"
        raise NoTarget(f"{place} has no {what}")
    return tuple(found.values())


def _load(place: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    path = Path(place if place.endswith(".py") else f"{place}.py")
    if path.is_file():
        return _load_file(path)
    if not place.endswith(".py") and _is_module(place):
        return importlib.import_module(place)
    raise NoTarget(f"there is neither a file {path} nor a module {place} here")


def _load_file(path: Path) -> ModuleType:
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # a file finds its neighbours
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # its parent is none, or it is no name
        return False


def list_parameters(workflow: Workflow[..., Any]) -> tuple[str, ...]:
    """The names of what a start must give: the context and what has a default left out."""
    given = list(inspect.signature(workflow.function).parameters.values())[1:]
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(each.name.upper() for each in given if each.kind in plain and each.default is inspect.Parameter.empty)
