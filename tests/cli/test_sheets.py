from loom_cli.sheets import Facts, Sheet, lay_out, shorten, visible


def test_a_plain_table_is_columns_and_nothing_else() -> None:
    """Field report 4.5: what a pipe reads has no colour, no frame, and no cell is cut."""
    sheet = Sheet(("key", "what"), (("a", "x" * 300), ("long-key", "y")), "children")

    assert list(lay_out(sheet)) == ["children", "KEY       WHAT", "a         " + "x" * 300, "long-key  y"]
    assert list(lay_out(Facts((("status", "running"), ("token", "1.3"))))) == ["status  running", "token   1.3"]


def test_an_empty_table_has_its_heading() -> None:
    """A script that reads lines finds the columns even where there is nothing to list."""
    assert list(lay_out(Sheet(("execution", "status"), ()))) == ["EXECUTION  STATUS"]
    assert list(lay_out(Facts(()))) == []


def test_what_strangers_wrote_never_reaches_the_terminal_as_a_command() -> None:
    """Kinds, names and payloads are other people's: escapes, line ends and lone surrogates are spelled out."""
    assert visible("a\x1b[2Jb\nc\x9bd\ud800é→") == "a\\x1b[2Jb\\nc\\x9bd\\ud800é→"
    assert list(lay_out(Sheet(("a",), (("\x1b]0;x\x07",),)))) == ["A", "\\x1b]0;x\\x07"]


def test_a_cut_is_seen() -> None:
    """Negative control: what fits is not marked."""
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"
