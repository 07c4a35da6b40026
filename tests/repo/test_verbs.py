import re

from repo.tree import ROOT, read_texts

VERB = re.compile(r"^([a-z][a-z-]*):(?!=)(.*)$", re.MULTILINE)
MENTION = re.compile(r"`make ([a-z][a-z -]*[a-z])\b")


def read_verbs(makefile: str) -> dict[str, str]:
    """Verb to help text; empty where it has none."""
    return {name: rest.partition("## ")[2].strip() for name, rest in VERB.findall(makefile)}


def list_unknown_verbs(document: str, verbs: set[str]) -> list[str]:
    """The verbs that a document promises and the Makefile does not have."""
    return [word for mention in MENTION.findall(document) for word in mention.split() if word not in verbs]


def read_makefile() -> str:
    """The Makefile at the root."""
    return (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_verb_is_documented() -> None:
    """`make` alone lists the verbs: each has a help text, and is a verb rather than a file."""
    makefile = read_makefile()
    verbs = read_verbs(makefile)
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)

    assert [name for name, text in verbs.items() if not text] == []
    assert phony
    assert set(phony[1].split()) == set(verbs)


def test_a_verb_without_a_help_text_is_noticed() -> None:
    """Negative control for the rule above."""
    assert read_verbs("a: b ## Do a\nrun:\n\techo\nX := 1\nuv:= 2\n") == {"a": "Do a", "run": ""}


def test_documents_name_only_verbs_that_exist() -> None:
    """What a document tells a reader to type works."""
    verbs = set(read_verbs(read_makefile()))

    assert {path: found for path, text in read_texts(".md") if (found := list_unknown_verbs(text, verbs))} == {}


def test_a_verb_that_does_not_exist_is_noticed() -> None:
    """Negative control for the rule above."""
    assert list_unknown_verbs("`make check tset` and `make demo`", {"check", "demo"}) == ["tset"]


def test_every_tracked_document_points_to_files_that_exist() -> None:
    """A relative link in a document leads somewhere."""
    broken = [
        (path, target)
        for path, text in read_texts(".md")
        for target in list_links(text)
        if not ((ROOT / path).parent / target).exists()
    ]

    assert broken == []


def test_a_link_is_read() -> None:
    """Negative control for the rule above: files are looked at, addresses and anchors are not."""
    assert list_links("[a](docs/a.md) [b](docs/b.md#c) [d](ht" + "tps://x) [e](#f)") == ["docs/a.md", "docs/b.md"]


def list_links(document: str) -> list[str]:
    """The relative targets of a document's links, without anchors."""
    targets = re.findall(r"\]\(([^)\s]+)\)", document)
    return [target.partition("#")[0] for target in targets if "://" not in target and not target.startswith("#")]
