import pytest

from loom_conformance import Case, Subject
from loom_conformance.pytest_plugin import each_case, prove

BODY = "postgres-pgbouncer"


@each_case
@pytest.mark.asyncio(loop_scope="module")
async def test_the_contract_holds(case: Case, subject: Subject) -> None:
    """Every case of the contract, each on executions of its own."""
    await prove(case, subject)
