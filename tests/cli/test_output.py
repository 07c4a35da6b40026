import io
import json

import pytest

from loom.errors import ERRORS, NotFound, Stale, StoreUnavailable
from loom.ids import Token
from loom_cli.advice import advise
from loom_cli.output import Output
from loom_cli.sheets import Facts, Sheet


class Terminal(io.StringIO):
    """A stream that says that a person sits there."""

    def isatty(self) -> bool:
        return True


def an_output(
    stream: type[io.StringIO] = io.StringIO, *, json: bool = False
) -> tuple[Output, io.StringIO, io.StringIO]:
    """An output over two such streams, and these."""
    stdout, stderr = stream(), stream()
    return Output(json=json, stdout=stdout, stderr=stderr), stdout, stderr


def test_results_go_to_stdout_and_the_rest_to_stderr() -> None:
    """Design 5: a script reads stdout and meets nothing but the result."""
    output, stdout, stderr = an_output()

    output.result({"a": 1}, Facts((("a", "1"),)), Sheet(("b",), (("2",),)))
    output.note("noted")
    output.hint("loom list", "to see it")
    output.problem(NotFound("no execution x", execution_id="x"))

    assert stdout.getvalue() == "a  1\n\nB\n2\n"
    assert stderr.getvalue().splitlines() == [
        "noted",
        "next: loom list   # to see it",
        "loom: not-found: no execution x",
        "  execution_id  x",
        "  next: loom list",
    ]


def test_json_is_one_document_and_problems_are_json_too() -> None:
    """Design 5: `--json` everywhere; whoever parses stdout never meets a hint, whoever parses stderr gets the code."""
    output, stdout, stderr = an_output(json=True)

    output.result({"token": Token((1 << 32) | 3)}, Facts((("a", "1"),)))
    output.hint("loom list")
    output.problem(Stale("too late", current_token=Token(7), execution_id="x"))

    assert json.loads(stdout.getvalue()) == {"token": str((1 << 32) | 3)}
    assert json.loads(stderr.getvalue()) == {
        "code": "stale",
        "detail": "too late",
        "exit": 1,
        "next": "loom ownership x   # who holds it now",
        "current_token": "7",
        "execution_id": "x",
    }


def test_what_is_no_terminal_gets_no_escape() -> None:
    """Design 5: plain output when not a terminal; a terminal gets colour, which is the control."""
    plain, plain_stdout, _ = an_output()
    drawn, drawn_stdout, _ = an_output(Terminal)
    sheet = Sheet(("status", "what"), (("failed", "[bold]not markup[/bold] :smile:"),))

    plain.result(None, sheet)
    drawn.result(None, sheet)

    assert "\x1b" not in plain_stdout.getvalue()
    assert "[bold]not markup[/bold] :smile:" in drawn_stdout.getvalue()


def test_a_terminal_gets_every_character_of_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """An id cut to the width of a window is of no use: cells fold."""
    monkeypatch.setenv("COLUMNS", "40")
    output, stdout, _ = an_output(Terminal)

    output.result(None, Sheet(("id",), (("x" * 100,),)))

    assert stdout.getvalue().count("x") == 100


def test_progress_is_said_once_a_change_where_no_terminal_is() -> None:
    """A log file gets a line when something happened, not one a look."""
    output, stdout, stderr = an_output()

    with output.progress() as say:
        for text in ("pending", "pending", "running"):
            say(text)

    assert stderr.getvalue() == "pending\nrunning\n"
    assert stdout.getvalue() == ""


def test_progress_moves_in_place_on_a_terminal() -> None:
    """The control of the rule above: there it is drawn, and gone when the waiting is over."""
    output, stdout, _ = an_output(Terminal)

    with output.progress() as say:
        say("pending")

    assert stdout.getvalue() == ""


def test_unreachable_says_the_address_and_the_remedy() -> None:
    """Field report 4.8: an error names what to do next."""
    output, _, stderr = an_output()

    output.problem(StoreUnavailable("nobody listens there"), "http://127.0.0.1:7420")

    assert "http://127.0.0.1:7420" in stderr.getvalue()
    assert "loom dev" in stderr.getvalue()


@pytest.mark.parametrize("code", ERRORS)
def test_advice_is_a_command_that_exists_or_a_sentence(code: str) -> None:
    """Whatever is advised can be typed: no command that Loom does not have."""
    from loom_cli.__main__ import COMMANDS

    advice = advise(ERRORS[code]("no", execution_id="x"), "http://localhost") or ""

    if advice.startswith("loom "):
        assert advice.split()[1] in {command.name for command in COMMANDS}
