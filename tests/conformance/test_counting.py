from conformance.counting import BODIES, closing_line, count_cases, list_short

ITEMS = [
    f"tests/conformance/test_{body.replace('-', '_')}.py::test_the_contract_holds[a/{n}]"
    for body in BODIES
    for n in (1, 2)
]


def test_cases_are_counted_by_body() -> None:
    """A run says how many cases each body passed; other tests are no cases."""
    counts = count_cases([*ITEMS, "tests/repo/test_text.py::test_the_contract_holds"])

    assert closing_line(counts) == "cases: " + " · ".join(f"{body} 2" for body in BODIES)
    assert list_short(counts) == []


def test_a_body_with_fewer_cases_is_noticed() -> None:
    """Negative control: one case of one body is missing; a body that did not run at all was not asked for."""
    counts = count_cases(ITEMS[:3] + ITEMS[4:6])

    assert list_short(counts) == ["sqlite"]
    assert closing_line(counts).endswith("; fewer than memory: sqlite")
