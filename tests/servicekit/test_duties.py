import pytest

from fixtures.wrapped import Wrapped, failing
from loom.clock import ManualClock
from loom.errors import StoreUnavailable, UnchangedMismatch
from loom.kernel.calls import ReadDuty
from loom.kernel.heads import Duty as DutyRow
from loom.stores.memory import MemoryEventStore
from loom_servicekit.duties import Duty, new_owner


@pytest.fixture
def clock() -> ManualClock:
    """The store's."""
    return ManualClock()


@pytest.fixture
def store(clock: ManualClock) -> Wrapped:
    """Whose calls can be made to fail."""
    return Wrapped(MemoryEventStore(clock))


def duty(store: Wrapped, owner: str) -> Duty:
    """Of one replica."""
    return Duty(store, "sweep", owner, ttl_ms=15_000)


async def row(store: Wrapped) -> DutyRow:
    """As it is stored."""
    return await store.read_duty(ReadDuty(name="sweep"))


async def test_one_replica_holds_a_duty_and_prolongs_it(store: Wrapped, clock: ManualClock) -> None:
    """I54, design 4: compare-and-set on the term, which grows each time."""
    one, two = duty(store, "one"), duty(store, "two")
    for _ in range(5):
        assert await one.hold()
        assert not await two.hold()
        clock.advance(10_000)

    assert ((await row(store)).owner, (await row(store)).term) == ("one", 5)


async def test_a_dead_holders_duty_is_taken_over(store: Wrapped, clock: ManualClock) -> None:
    """I38: a crash delays a round by the time-to-live at most; whoever comes back finds it taken."""
    one, two = duty(store, "one"), duty(store, "two")
    await one.hold()
    clock.advance(15_000)

    assert await two.hold()
    assert not await one.hold()


async def test_a_duty_given_up_is_free_at_once(store: Wrapped) -> None:
    """Design 4: on SIGTERM a service gives up its duties."""
    one, two = duty(store, "one"), duty(store, "two")
    await one.hold()

    await one.give_up()

    assert await two.hold()
    await one.give_up()
    assert (await row(store)).owner == "two"


async def test_a_round_that_ran_is_stored_by_the_next_hold_or_on_giving_up(store: Wrapped, clock: ManualClock) -> None:
    """Design 4: the last run is stored, so that another replica knows whether it is due."""
    one, two = duty(store, "one"), duty(store, "two")
    await one.hold()
    assert one.is_due(60_000)
    one.ran()
    clock.advance(5)
    await one.give_up()

    await two.hold()
    assert (await row(store)).last_run == clock.now()
    assert not two.is_due(60_000)
    clock.advance(14_000)
    await two.hold()
    assert not two.is_due(60_000)
    assert two.is_due(14_000)
    assert (await row(store)).last_run == clock.now() - 14_000


async def test_the_duty_tells_the_stores_time(store: Wrapped, clock: ManualClock) -> None:
    """Law 5: what is due is measured on the store's clock, not on the replica's."""
    one = duty(store, "one")
    await one.hold()

    assert one.now() == clock.now()


async def test_any_error_forgets_the_duty_and_the_next_try_reads_it_again(store: Wrapped) -> None:
    """Design 4: forgotten on any error. The lost answer may have been a success: the term is read, not assumed."""
    one = duty(store, "one")
    await one.hold()
    take_duty = store.take_duty

    async def lose_the_answer(call: object) -> object:
        await take_duty(call)
        raise StoreUnavailable("the answer was lost")

    store.replaced["take_duty"] = lose_the_answer
    with pytest.raises(StoreUnavailable):
        await one.hold()
    store.replaced.clear()

    assert await one.hold()
    assert (await row(store)).term == 3


async def test_a_duty_remembered_over_an_error_is_refused(store: Wrapped) -> None:
    """Negative control for the rule above: with the term from before, the store says no."""
    one = duty(store, "one")
    await one.hold()
    remembered = one._row
    await one.hold()
    one._row = remembered

    assert not await one.hold()


async def test_a_failed_reading_is_raised_so_that_the_loop_backs_off(store: Wrapped) -> None:
    """An outage is no "another has it"."""
    store.replaced["read_duty"] = failing(StoreUnavailable("down"), 1, store.read_duty)
    one = duty(store, "one")

    with pytest.raises(StoreUnavailable):
        await one.hold()
    assert await one.hold()


async def test_an_operators_hand_in_the_row_costs_one_round(store: Wrapped) -> None:
    """The term is compared: who was overtaken hears it, and reads the row again."""
    one, twin = duty(store, "one"), duty(store, "one")
    await one.hold()
    await twin.hold()

    assert not await one.hold()
    assert await one.hold()
    assert UnchangedMismatch.retryable is False


def test_no_two_starts_of_a_process_have_one_name() -> None:
    """Design 6: owners are named by a random id per process start."""
    assert len({new_owner() for _ in range(100)}) == 100
