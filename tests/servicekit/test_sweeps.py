from typing import Any

import pytest

from fixtures.wrapped import Wrapped
from loom.clock import ManualClock
from loom.errors import NotParked, StoreUnavailable
from loom.ids import Chain, ExecutionId, ExecutionRef, Incarnation, Namespace
from loom.kernel.calls import Due, DueList, ListDue
from loom.stores.memory import MemoryEventStore
from loom_servicekit.duties import Duty
from loom_servicekit.sweeps import PAGE, Sweep


def finding(number: int) -> Due:
    """An execution that something must be done about."""
    execution = ExecutionRef(
        namespace=Namespace("shop"), execution_id=ExecutionId(f"e{number}"), incarnation=Incarnation(number)
    )
    return Due(execution=execution, chain=Chain(number))


class Listing:
    """A store that finds so many, page by page."""

    def __init__(self, count: int) -> None:
        self.findings = [finding(number) for number in range(count)]
        self.asked: list[ListDue] = []

    async def list_due(self, call: ListDue) -> DueList:
        self.asked.append(call)
        first = int(call.cursor or 0)
        last = first + call.limit
        page = tuple(self.findings[first:last])
        return DueList(items=page, cursor=str(last) if last < len(self.findings) else None)


class Remedy:
    """Keeps what it was given; answers or raises as told, by number."""

    def __init__(self, **outcomes: Any) -> None:
        self.outcomes = outcomes
        self.given: list[str] = []

    async def act(self, due: Due) -> bool:
        self.given.append(due.execution.execution_id)
        outcome = self.outcomes.get(due.execution.execution_id, True)
        if isinstance(outcome, Exception):
            raise outcome
        return bool(outcome)


@pytest.fixture
def store() -> Wrapped:
    """For the duties."""
    return Wrapped(MemoryEventStore(ManualClock()))


def sweep(store: Wrapped, remedy: Remedy, owner: str = "one") -> Sweep:
    """Of one replica."""
    return Sweep(store, Duty(store, "sweep", owner), "overdue", remedy.act, grace_ms=5_000)


async def test_a_sweep_looks_at_every_page(store: Wrapped) -> None:
    """Design 4: 500 a page; what only the sweep found is counted."""
    listing, remedy = Listing(2 * PAGE + 1), Remedy()
    store.replaced["list_due"] = listing.list_due
    one = sweep(store, remedy)

    await one.step()

    assert sorted(remedy.given) == sorted(due.execution.execution_id for due in listing.findings)
    assert [call.cursor for call in listing.asked] == [None, "500", "1000"]
    assert {(call.about, call.grace_ms, call.limit) for call in listing.asked} == {("overdue", 5_000, PAGE)}
    assert one.found == 2 * PAGE + 1


async def test_what_somebody_else_did_first_is_not_counted(store: Wrapped) -> None:
    """Design 4: the count stays near 0 while the bus works."""
    store.replaced["list_due"] = Listing(3).list_due
    one = sweep(store, Remedy(e0=NotParked(), e1=False))

    await one.step()

    assert one.found == 1


async def test_a_finding_that_fails_keeps_nobody_else_waiting(store: Wrapped) -> None:
    """I38: one execution that cannot be helped must not be the end of the sweep; the round fails visibly."""
    store.replaced["list_due"] = Listing(PAGE + 20).list_due
    remedy = Remedy(e0=ZeroDivisionError())
    one = sweep(store, remedy)

    with pytest.raises(ZeroDivisionError):
        await one.step()

    assert len(remedy.given) == PAGE + 20
    assert one.found == PAGE + 19


async def test_an_outage_fails_the_round(store: Wrapped) -> None:
    """The loop backs off, and the service becomes unready."""
    store.replaced["list_due"] = Listing(3).list_due

    with pytest.raises(StoreUnavailable):
        await sweep(store, Remedy(e1=StoreUnavailable("down"))).step()


async def test_only_the_holder_of_the_duty_sweeps(store: Wrapped) -> None:
    """Design 4: one replica each by its duty, and the next at once when it stops."""
    store.replaced["list_due"] = Listing(1).list_due
    mine, others = Remedy(), Remedy()
    one, two = sweep(store, mine, "one"), sweep(store, others, "two")
    await one.step()
    await two.step()
    assert (len(mine.given), len(others.given)) == (1, 0)

    await one.stop()
    await two.step()

    assert len(others.given) == 1


async def test_a_sweep_that_lost_its_duty_stops_between_pages(store: Wrapped) -> None:
    """Design 4: checked before every round; a page is one."""
    listing, remedy = Listing(3 * PAGE), Remedy()

    async def list_and_be_overtaken(call: ListDue) -> DueList:
        if call.cursor == str(PAGE):
            store.replaced["take_duty"] = refuse
        return await listing.list_due(call)

    async def refuse(call: Any) -> Any:
        raise NotParked("stands for any refusal")

    store.replaced["list_due"] = list_and_be_overtaken

    await sweep(store, remedy).step()

    assert len(remedy.given) == 2 * PAGE
