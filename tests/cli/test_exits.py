from loom.errors import ERRORS, Contended, ExecutionGone, Invalid, NotFound, StoreUnavailable
from loom_cli.exits import Exit, exit_of_error, exit_of_status


def test_the_numbers_are_the_table_of_the_design() -> None:
    """Design 5: 0 completed, 1 failed, 2 usage, 3 cancelled, 4 terminated, 5 blocked, 6 not found, 7, 8 time-out."""
    names = [
        "COMPLETED",
        "FAILED",
        "USAGE",
        "CANCELLED",
        "TERMINATED",
        "BLOCKED",
        "NOT_FOUND",
        "UNREACHABLE",
        "TIMED_OUT",
    ]

    assert [exit.name for exit in sorted(Exit)] == names
    assert [int(exit) for exit in sorted(Exit)] == list(range(9))
    assert all(exit.meaning for exit in Exit)


def test_every_code_of_the_store_has_a_number() -> None:
    """No error of the one table ends the command with 0."""
    exits = {code: exit_of_error(cls()) for code, cls in ERRORS.items()}

    assert Exit.COMPLETED not in exits.values()
    for code, cls in ERRORS.items():
        if issubclass(cls, NotFound | ExecutionGone):
            assert exits[code] is Exit.NOT_FOUND
        elif issubclass(cls, StoreUnavailable):
            assert exits[code] is Exit.UNREACHABLE
        elif issubclass(cls, Invalid):
            assert exits[code] is Exit.USAGE
        else:
            assert exits[code] is Exit.FAILED


def test_contended_is_neither_not_found_nor_usage() -> None:
    """Negative control for the rule above: come back later is not a reason to mend the words typed."""
    contended = {exit_of_error(cls()) for cls in ERRORS.values() if issubclass(cls, Contended)}

    assert contended == {Exit.FAILED, Exit.UNREACHABLE}


def test_every_status_has_a_number() -> None:
    """Design 5: what `show`, `why` and `result` end with."""
    assert exit_of_status("completed") is Exit.COMPLETED
    assert exit_of_status("failed") is Exit.FAILED
    assert exit_of_status("cancelled", "request") is Exit.CANCELLED
    assert exit_of_status("cancelled", "parent") is Exit.CANCELLED
    assert exit_of_status("cancelled", "terminate") is Exit.TERMINATED
    assert exit_of_status("cancelled", "deadline") is Exit.TERMINATED
    assert exit_of_status("blocked") is Exit.BLOCKED
    assert exit_of_status("deleted") is Exit.NOT_FOUND
    for under_way in ("pending", "running", "runnable", "parked", "continued"):
        assert exit_of_status(under_way) is Exit.COMPLETED
