import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement

from repo.tree import DISTRIBUTIONS, ROOT, list_files, read_project


def list_out_of_step(version: str, requirements: list[str]) -> list[str]:
    """The first-party requirements that are not pinned to exactly this version."""
    ours = [want for want in map(Requirement, requirements) if want.name in DISTRIBUTIONS]
    return [str(want) for want in ours if str(want.specifier) != f"=={version}"]


def test_the_eight_distributions_move_in_lockstep() -> None:
    """One version for all: a service beside an SDK of another day is a combination nobody tested."""
    projects = [read_project(name)["project"] for name in DISTRIBUTIONS]
    versions = {project["version"] for project in projects}
    requirements = [text for project in projects for text in project["dependencies"]]

    assert len(versions) == 1
    assert list_out_of_step(versions.pop(), requirements) == []


def test_a_straggler_is_noticed() -> None:
    """Negative control for the rule above."""
    assert list_out_of_step("0.2.0", ["loom-durable==0.1.0", "loom-servicekit", "httpx>=1"]) == [
        "loom-durable==0.1.0",
        "loom-servicekit",
    ]


def test_there_are_no_other_distributions() -> None:
    """One folder is one distribution; the Makefile, the locks and these tests know them all."""
    folders = {path.rpartition("/")[0] for path in list_files() if path.endswith("/pyproject.toml")}

    assert folders == set(DISTRIBUTIONS.values())
    assert [name for name in DISTRIBUTIONS if read_project(name)["project"]["name"] != name] == []


def list_left_behind(tracked: set[str], shipped: set[str]) -> set[str]:
    """What is kept below `src` and would not be in the wheel."""
    return {path for path in tracked if path.startswith("src/")} - shipped


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_everything_below_src_ships(distribution: str) -> None:
    """A package reads its own files (`.sql`, templates, `py.typed`), so the wheel holds every one of them."""
    folder = DISTRIBUTIONS[distribution]
    tracked = {path.removeprefix(folder + "/") for path in list_files() if path.startswith(folder + "/")}
    shipped = {file.relative_path for file in WheelBuilder(str(ROOT / folder)).recurse_included_files()}

    assert list_left_behind(tracked, shipped) == set()


def test_a_file_left_behind_is_noticed() -> None:
    """Negative control for the rule above."""
    assert list_left_behind({"src/loom/a.sql", "README.md"}, {"src/loom/a.py"}) == {"src/loom/a.sql"}
