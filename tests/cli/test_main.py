import json
import subprocess
from pathlib import Path

import pytest

from cli.processes import LOOM, loom
from cli.shell import Shell
from loom_cli.__main__ import COMMANDS, parser_of
from loom_cli.exits import Exit


async def test_the_overview_lists_every_command_and_every_exit_code(shell: Shell) -> None:
    """Design 5: one table of exit codes, printed where a user looks for it."""
    said = await shell("--help")

    assert said.exit == 0
    for command in COMMANDS:
        assert f"  {command.name} " in said.out
        assert command.summary in said.out
    for exit in Exit:
        assert f"  {exit:d}  {exit.meaning}" in said.out
    assert (await shell()).out == said.out


async def test_a_command_that_is_none_is_usage(shell: Shell) -> None:
    """Design 5: 2 is usage; a slip of the finger is recognised."""
    said = await shell("strat", "order")

    assert (said.exit, said.out) == (2, "")
    assert "did you mean start?" in said.err


@pytest.mark.parametrize(
    "words",
    [
        ["start"],
        ["start", "order", "--input", "{"],
        ["start", "order", "--delay", "soon"],
        ["start", "order", "--if-exists", "perhaps"],
        ["list", "--status", "lost"],
        ["list", "--url", "127.0.0.1:7300"],
        ["list", "--url", "http://[::1"],
        ["terminate", "o-1", "--incarnation", "99999999999999999999"],
        ["show"],
        ["show", "o-1", "--jso"],
    ],
)
async def test_words_that_cannot_be_read_are_usage(
    shell: Shell, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is asked of a server before the words are understood; abbreviations are not guessed."""
    said = await shell(*words)

    assert (said.exit, said.out, shell.urls) == (2, "", [])
    assert "usage: loom" in capsys.readouterr().err


async def test_what_the_server_calls_invalid_is_usage(shell: Shell) -> None:
    """Design 5: the request is malformed wherever that is noticed."""
    said = await shell("start", "order", "--id", "not/an/id")

    assert said.exit == 2
    assert "loom: invalid:" in said.err


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_offers_json(command: object) -> None:
    """Design 5: `--json` everywhere."""
    parser = parser_of(command)  # type: ignore[arg-type]

    assert "--json" in parser.format_help()


def test_unreachable_is_seven_and_names_the_remedy(tmp_path: Path) -> None:
    """Design 5: 7 unreachable; the message has the URL and `loom dev`, and is no traceback."""
    said = loom("list", "--url", "http://127.0.0.1:9", cwd=tmp_path)
    told = loom("list", "--json", cwd=tmp_path, LOOM_URL="http://127.0.0.1:9")

    assert (said.returncode, said.stdout) == (7, "")
    assert "http://127.0.0.1:9" in said.stderr
    assert "loom dev" in said.stderr
    assert "Traceback" not in said.stderr
    assert told.returncode == 7
    assert json.loads(told.stderr)["code"] == "unavailable"


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    """`loom list | head -1` ends quietly."""
    with subprocess.Popen(
        [*LOOM, "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
