"""docs/invariants.md promises only what a named test proves."""

from __future__ import annotations

from repo.invariants import DOCUMENT, list_cited, list_undefended, read_citations, with_citations


def test_the_document_names_the_tests_that_cite_each_invariant() -> None:
    """design: docs stay true in the same commit as the code; `make invariants` writes the column."""
    document = DOCUMENT.read_text("utf-8")

    assert with_citations(document, read_citations()) == document


def test_every_invariant_that_is_promised_is_defended() -> None:
    """I1..I61: a truth that nothing defends is marked `later`, or it is not promised."""
    assert list_undefended(with_citations(DOCUMENT.read_text("utf-8"), read_citations())) == []


def test_an_invariant_without_a_citation_is_noticed() -> None:
    """The negative control of both."""
    document = "| I7 | Only legal events. | kit `legality` |\n| I49 | The log first. | later |"

    stale = with_citations(document, {})

    assert list_undefended(stale) == ["I7"]
    assert list_cited("I32..I34, I9 and AI5") == {"I32", "I33", "I34", "I9"}
