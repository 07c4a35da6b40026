from itertools import pairwise

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from repo.tree import DISTRIBUTIONS, ROOT, read_project

LOCKS = ("requirements-dev.txt", "requirements.txt")


def read_lock(name: str) -> str:
    """The text of a lock at the root."""
    return (ROOT / name).read_text(encoding="utf-8")


def read_pins(lock: str) -> dict[str, Version]:
    """Name to version, as `name==version` stands at the beginning of a line."""
    heads = [line.split()[0] for line in lock.splitlines() if line[:1].isalnum()]
    pairs = [head.split("==") for head in heads]
    return {name: Version(version) for name, version in pairs}


def why_leaky(line: str) -> str | None:
    """Why a line of a lock says where something comes from, or None."""
    body = line.split(";")[0].strip()
    if "://" in body:
        return "a URL"
    if " @ " in body or "/" in body:
        return "a path"
    option = body.startswith("-") and not body.startswith("--hash=sha256:")
    return "an option other than a hash" if option else None


def list_unmet(requirements: list[str], pins: dict[str, Version]) -> list[str]:
    """The requirements of strangers' packages that no pin satisfies."""
    wanted = [Requirement(text) for text in requirements]
    strangers = [want for want in wanted if want.name not in DISTRIBUTIONS]
    return [str(want) for want in strangers if want.name not in pins or pins[want.name] not in want.specifier]


def list_runtime_requirements() -> list[str]:
    """What our eight packages ask for, extras included."""
    projects = [read_project(name)["project"] for name in DISTRIBUTIONS]
    extras = [
        text for project in projects for texts in project.get("optional-dependencies", {}).values() for text in texts
    ]
    return [text for project in projects for text in project["dependencies"]] + extras


def list_developer_requirements() -> list[str]:
    """What requirements-dev.in and the build systems ask for."""
    lines = [line.split("#")[0].strip() for line in read_lock("requirements-dev.in").splitlines()]
    builds = [text for name in DISTRIBUTIONS for text in read_project(name)["build-system"]["requires"]]
    return [line for line in lines if line] + builds


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_says_what_and_never_where(lock: str) -> None:
    """A lock holds pins and hashes: no URL, no host, no path, no option that chooses a registry."""
    leaks = [(line, why_leaky(line)) for line in read_lock(lock).splitlines()]

    assert [leak for leak in leaks if leak[1]] == []


def test_a_leaky_line_is_noticed() -> None:
    """Negative control for the rule above."""
    leaky = ["--index" + "-url x", "a @ b", "-e shared/sdk", "a==1 --hash=sha256:0 ht" + "tps://x"]

    assert all(why_leaky(line) for line in leaky)
    assert why_leaky("click==8.5.1 ; sys_platform == 'win32' \\") is None


@pytest.mark.parametrize("lock", LOCKS)
def test_no_first_party_name_is_in_a_lock(lock: str) -> None:
    """Our packages come from their folders only: a name looked up in a registry may belong to a stranger."""
    assert {name for name in read_pins(read_lock(lock)) if name.split("-")[0] == "loom"} == set()


def test_a_first_party_name_would_be_read_as_a_pin() -> None:
    """Negative control for the rule above."""
    assert "loom-durable" in read_pins("loom-durable==0.1.0 \\\n    --hash=sha256:0\n")


def test_the_developers_lock_is_fresh() -> None:
    """Every declared requirement has a pin that satisfies it; `make lock` resolves again."""
    pins = read_pins(read_lock("requirements-dev.txt"))

    assert list_unmet(list_runtime_requirements() + list_developer_requirements(), pins) == []


def test_the_images_lock_is_fresh_and_agrees() -> None:
    """The image installs what CI tested: each runtime requirement is pinned as in the developers' lock."""
    pins = read_pins(read_lock("requirements.txt"))
    developers = read_pins(read_lock("requirements-dev.txt"))

    assert list_unmet(list_runtime_requirements(), pins) == []
    assert {name: version for name, version in pins.items() if developers.get(name) != version} == {}


def test_a_stale_lock_is_noticed() -> None:
    """Negative control for the two rules above: a pin too old, and a requirement without a pin."""
    assert list_unmet(["httpx>=2", "rich", "loom-durable==9"], {"httpx": Version("1.0")}) == ["httpx>=2", "rich"]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_a_hash(lock: str) -> None:
    """What is installed is what was locked, byte for byte."""
    assert list_unhashed(read_lock(lock)) == []


def test_a_pin_without_a_hash_is_noticed() -> None:
    """Negative control for the rule above."""
    assert list_unhashed("a==1 \\\n    --hash=sha256:0\nb==2\n") == ["b==2"]


def list_unhashed(lock: str) -> list[str]:
    """The pins of a lock that no hash follows."""
    lines = [*lock.splitlines(), ""]
    return [
        line
        for line, following in pairwise(lines)
        if line[:1].isalnum() and not following.strip().startswith("--hash=sha256:")
    ]
