from collections.abc import Iterator

import pytest

from fixtures.spans import Spans, kept_spans


@pytest.fixture
def spans() -> Iterator[Spans]:
    """Everything is traced, into memory."""
    with kept_spans() as spans:
        yield spans
