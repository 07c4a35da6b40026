import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom_cli.targets import NoTarget, find_workflows, list_parameters

TWO = """
import loom
from neighbour import helper

@loom.workflow
async def order(ctx: loom.Context, sku: str, count: int, gift: bool = False, *more: str) -> str:
    return sku

@loom.workflow(name="pay-out", version="2")
async def pay(ctx: loom.Context) -> None: ...
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a file of two workflows, its neighbour, and a package."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    (tmp_path / "shop.py").write_text(TWO)
    (tmp_path / "neighbour.py").write_text("def helper(): ...")
    (tmp_path / "empty.py").write_text("x = 1")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "__init__.py").write_text("")
    (tmp_path / "inner" / "flows.py").write_text("from shop import order")
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("target", "keys"),
    [
        ("shop", ["order@0", "pay-out@2"]),
        ("shop.py", ["order@0", "pay-out@2"]),
        ("./shop.py", ["order@0", "pay-out@2"]),
        ("shop:order", ["order@0"]),
        ("shop.py:pay", ["pay-out@2"]),
        ("shop:pay-out", ["pay-out@2"]),
        ("inner.flows", ["order@0"]),
    ],
)
def test_a_target_names_a_file_a_module_or_one_workflow(here: Path, target: str, keys: list[str]) -> None:
    """Issue 3: `loom run module:workflow` or `loom run file.py`."""
    assert [workflow.key for workflow in find_workflows(target)] == keys


def test_a_file_elsewhere_finds_its_neighbours(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with `python folder/file.py`, the folder of the file is where its imports are looked for."""
    monkeypatch.chdir("/")

    assert len(find_workflows(str(here / "shop.py"))) == 2


@pytest.mark.parametrize("target", ["nothing", "nothing.py", "no.such.module", "empty", "shop:refund", "", "..", "a b"])
def test_a_target_that_is_none_says_what_was_looked_for(here: Path, target: str) -> None:
    """No traceback for a slip of the finger."""
    with pytest.raises(NoTarget, match=r"there is neither|has no"):
        find_workflows(target)


def test_a_fault_in_the_users_file_is_shown_as_python_shows_it(here: Path) -> None:
    """Negative control: what is wrong in the file itself is not called a missing file."""
    (here / "broken.py").write_text("import no_such_thing")

    with pytest.raises(ModuleNotFoundError, match="no_such_thing"):
        find_workflows("broken")


def test_the_hint_names_what_a_start_must_give(here: Path) -> None:
    """What has a default can be left out, so that the hint can be typed as it stands."""
    order, pay = find_workflows("shop")

    assert list_parameters(order) == ("SKU", "COUNT")
    assert list_parameters(pay) == ()
