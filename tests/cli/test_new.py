import os
from pathlib import Path

import pytest

from cli.shell import Shell


async def test_new_writes_one_file_and_says_what_comes_next(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report 4.2: one file, one decorator, plain async Python; each command leads to the next."""
    monkeypatch.chdir(tmp_path)

    said = await shell("new", "my-first")

    assert (said.exit, said.out) == (0, "my_first.py\n")
    assert os.listdir(tmp_path) == ["my_first.py"]
    assert [line.split("   #")[0] for line in said.err.splitlines()] == [
        "next: loom dev",
        "next: loom run my_first.py",
        "next: loom start my_first Ada --wait",
    ]


async def test_new_never_overwrites(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody's work may be in that file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hello.py").write_text("mine")

    said = await shell("new", "hello")

    assert said.exit == 2
    assert "hello.py is there already" in said.err
    assert (tmp_path / "hello.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "1st", "class", "a b", "../x", "Ünî", "loom", "x" * 61])
async def test_new_takes_only_what_names_a_function(
    shell: Shell, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name becomes a function and a file; `loom` would hide the SDK from its own workflow."""
    monkeypatch.chdir(tmp_path)

    assert (await shell("new", name)).exit == 2
    assert os.listdir(tmp_path) == []
