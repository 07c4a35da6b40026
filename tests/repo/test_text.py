import re
from pathlib import PurePosixPath

from repo.tree import list_files, read_texts

# The words are joined from pieces, so that this file does not contain what it looks for.
REGISTRIES = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("proxy", "golang", "org"))] + [
    "maven" + ".org",
    "maven" + ".apache.org",
    "npm" + "js.",
    "cr" + "ates.io",
]
ASSISTANTS = ["cl" + "aude", "chat" + "gpt", "co" + "pilot", "anth" + "ropic"]

MACHINE_PATH = re.compile(r"(?:^|[^\w.])/(?:work|farm|home/\w+|Users/\w+|root/\.\w+)/")
VAGUE = {"util", "utils", "common", "helper", "helpers", "manager", "managers", "base"}


def locate(words: list[str], text: str) -> list[str]:
    """The words that a text contains, whole, in any case."""
    return [word for word in words if re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)]


def is_tied_to_a_machine(text: str) -> bool:
    """Does it name a folder that exists on one machine only?"""
    return any(MACHINE_PATH.search(line) for line in text.splitlines())


def is_vague(path: str) -> bool:
    """Is it a module or package named after nothing?"""
    parts = PurePosixPath(path).with_suffix("").parts
    return path.endswith(".py") and not VAGUE.isdisjoint(parts)


def test_no_file_names_a_registry() -> None:
    """Where packages come from is the environment's business; a host written down breaks whoever uses another."""
    assert {path: found for path, text in read_texts() if (found := locate(REGISTRIES, text))} == {}


def test_no_file_names_a_private_tool() -> None:
    """The repository speaks of Loom, not of the desk it was written at."""
    assert {path: found for path, text in read_texts() if (found := locate(ASSISTANTS, text))} == {}


def test_words_are_found_in_any_case_and_address() -> None:
    """Negative control for the two rules above."""
    assert locate(REGISTRIES, "see files." + REGISTRIES[1] + "/x") == [REGISTRIES[1]]
    assert locate(ASSISTANTS, "by " + ASSISTANTS[0].upper()) == [ASSISTANTS[0]]
    assert locate(ASSISTANTS, "a keyset cursor") == []


def test_no_file_names_a_path_of_one_machine() -> None:
    """A clone works wherever it lies."""
    assert [path for path, text in read_texts() if is_tied_to_a_machine(text)] == []


def test_a_path_of_one_machine_is_noticed() -> None:
    """Negative control for the rule above; addresses and relative paths are fine."""
    assert is_tied_to_a_machine("cd /ho" + "me/ada/loom")
    assert is_tied_to_a_machine("x=/wo" + "rk/main")
    assert not is_tied_to_a_machine("GET /v1/work/1 and ../home/x and patch" + "work/main/")


def test_modules_are_named_by_their_noun() -> None:
    """No module is called utils, common, helpers, manager or base: whatever has no name has no place."""
    assert [path for path in list_files() if is_vague(path)] == []


def test_a_vague_module_is_noticed() -> None:
    """Negative control for the rule above."""
    assert is_vague("shared/sdk/src/loom/utils.py")
    assert is_vague("tests/common/clock.py")
    assert not is_vague("shared/sdk/src/loom/kernel/backoff.py")
