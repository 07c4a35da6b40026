from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from conformance.bodies import upgraded_postgres, upgraded_sqlite
from dumps.keeping import POSTGRES, SQLITE
from loom_conformance import Case, Subject
from loom_conformance.pytest_plugin import each_case, prove

DUMPS = [*sorted(POSTGRES.glob("*.sql")), *sorted(SQLITE.glob("event-store.*.sql"))]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=DUMPS, ids=lambda dump: dump.stem)
async def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Subject]:
    """A store of an earlier release, upgraded, with what was in it."""
    dump: Path = request.param
    made = upgraded_postgres(dump) if dump.parent == POSTGRES else upgraded_sqlite(dump, tmp_path_factory.mktemp("old"))
    async with made as opened:
        yield opened


@each_case
@pytest.mark.asyncio(loop_scope="module")
async def test_the_contract_holds_on_what_was_upgraded(case: Case, subject: Subject) -> None:
    """Issue 4: a dump of every released schema is upgraded, and every case of the contract passes on the result."""
    await prove(case, subject)
