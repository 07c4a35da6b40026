import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.wrapped import Wrapped
from loom.clock import ManualClock
from loom.errors import StoreUnavailable
from loom.ids import ExecutionId, ExecutionRef
from loom.kernel.calls import AppendIfUnchanged, ReadEvents, RemovePin, SetPin, Start
from loom.kernel.events import NewEvent
from loom.kernel.raw_json import RawJson
from loom.stores.memory import MemoryEventStore
from loom_retention.archive import PAGE, FolderArchive, read_archived
from loom_retention.catalogue import Catalogue
from loom_retention.policy import DAY_MS, Keep
from loom_retention.reports import Report
from loom_retention.sweep import Rounds, Sweeper
from retention.executions import (
    NAMESPACE,
    append,
    cancel_execution,
    end_execution,
    read_head,
    send,
    start_execution,
)

KEEP = Keep(completed=30 * DAY_MS, failed=90 * DAY_MS, cancelled=None)


async def ours() -> bool:
    """The duty is held."""
    return True


@pytest.fixture
def archive(tmp_path: Path) -> FolderArchive:
    """In a folder that does not exist yet."""
    return FolderArchive(tmp_path / "archive")


@pytest.fixture
def sweep(
    store: MemoryEventStore, catalogue: Catalogue, archive: FolderArchive, clock: ManualClock
) -> Callable[..., Awaitable[Report]]:
    """A sweep at the store's instant."""

    async def run(of: Any = None, *, dry_run: bool = False, to: FolderArchive | None = archive) -> Report:
        sweeper = Sweeper(of or store, catalogue, to, KEEP)
        return await sweeper.run(clock.now(), dry_run=dry_run, proceed=ours)

    return run


async def test_what_ended_long_enough_ago_is_archived_and_deleted(store, sweep, clock, catalogue, tmp_path) -> None:
    """I45, I46: archive, mark, delete; the head stays as a tombstone that knows its ending."""
    old = await end_execution(store, "old", '{"a": 1}')
    clock.advance(31 * DAY_MS)
    young = await end_execution(store, "young")

    report = await sweep()

    assert report.counts == {"deleted": 1}
    tombstone = await read_head(store, old)
    assert (tombstone.status, tombstone.ending) == ("deleted", "completed")
    assert (await read_head(store, young)).status == "completed"
    (manifest,) = await catalogue.read_archives(NAMESPACE, old.execution_id)
    assert (manifest.incarnation, manifest.events, manifest.last_seq) == (old.incarnation, 3, 3)


async def test_each_ending_has_its_own_age(store, sweep, clock) -> None:
    """Design 4: by ending and age."""
    await end_execution(store, "a")
    await end_execution(store, "b", kind="EXECUTION_FAILED")
    await cancel_execution(store, "c")
    clock.advance(31 * DAY_MS)
    assert (await sweep()).counts == {"deleted": 1}
    clock.advance(60 * DAY_MS)
    assert (await sweep()).counts == {"deleted": 1}
    clock.advance(1000 * DAY_MS)
    assert (await sweep()).counts == {}


async def test_a_namespace_is_swept_by_its_own_policy(store, sweep, clock, catalogue) -> None:
    """Design 4: retention owns policies."""
    await end_execution(store, "a")
    await catalogue.write_policy(NAMESPACE, Keep(completed=None))
    clock.advance(31 * DAY_MS)
    assert (await sweep()).counts == {}

    await catalogue.remove_policy(NAMESPACE)

    assert (await sweep()).counts == {"deleted": 1}


async def test_a_dry_run_says_what_would_go_and_why_and_removes_nothing(store, sweep, clock, tmp_path) -> None:
    """Design 4: judged by the store's own rule, not by a copy of it."""
    plain = await end_execution(store, "plain")
    pinned = await end_execution(store, "pinned")
    await pin(store, pinned)
    clock.advance(31 * DAY_MS)

    report = await sweep(dry_run=True)

    assert {item.execution.execution_id: item.fate for item in report.items} == {"plain": "would-go", "pinned": "kept"}
    assert "audit" in next(item.why for item in report.items if item.fate == "kept")
    assert (await read_head(store, plain)).status == "completed"
    assert not (tmp_path / "archive").exists()


async def test_a_pin_keeps_a_log_until_it_is_removed(store, sweep, clock, tmp_path) -> None:
    """I45: what is pinned is left as it is, and not archived at every sweep either."""
    execution = await end_execution(store, "a")
    await pin(store, execution)
    clock.advance(31 * DAY_MS)
    assert (await sweep()).counts == {"kept": 1}
    assert not (tmp_path / "archive").exists()

    await store.remove_pin(RemovePin(**where(execution), owner="audit"))

    assert (await sweep()).counts == {"deleted": 1}


async def test_an_event_between_archive_and_delete_keeps_the_log_for_another_archive(store, sweep, clock) -> None:
    """I45: an OUTCOME_RECORDED lands in between; `archived_seq` is no longer `last_seq`."""
    execution = await end_execution(store, "a")
    clock.advance(31 * DAY_MS)

    async def mark_archived(call: Any) -> Any:
        marked = await store.mark_archived(call)
        await store.append_if_unchanged(AppendIfUnchanged(**where(execution), kind="OUTCOME_RECORDED"))
        return marked

    assert (await sweep(Wrapped(store, mark_archived=mark_archived))).counts == {"kept": 1}
    assert (await read_head(store, execution)).status == "completed"
    assert (await sweep()).counts == {"deleted": 1}


async def test_a_delete_that_does_not_compare_the_archive_loses_that_event(store, sweep, clock) -> None:
    """Negative control for the rule above: without `archived`, what landed in between is gone unarchived."""
    execution = await end_execution(store, "a")
    clock.advance(31 * DAY_MS)

    async def delete(call: Any) -> Any:
        if not call.dry_run:
            await store.append_if_unchanged(AppendIfUnchanged(**where(execution), kind="OUTCOME_RECORDED"))
        return await store.delete(type(call)(**where(execution), archived=False, dry_run=call.dry_run))

    assert (await sweep(Wrapped(store, delete=delete))).counts == {"deleted": 1}


async def test_a_new_incarnation_under_a_listed_id_is_left_alone(store, sweep, clock) -> None:
    """I45, I48: the delete names the incarnation that was listed, not the id."""
    execution = await end_execution(store, "a")
    clock.advance(31 * DAY_MS)
    reborn: list[ExecutionRef] = []

    async def list_executions(call: Any) -> Any:
        page = await store.list_executions(call)
        if page.items and not reborn:
            await sweep(to=None)
            reborn.append(await end_execution_again(store))
        return page

    report = await sweep(Wrapped(store, list_executions=list_executions))

    assert report.counts == {"deleted": 1}
    assert report.items[0].why == "it was gone already"
    assert (await read_head(store, execution)).ref == reborn[0]


async def test_payloads_are_archived_byte_for_byte_and_never_parsed(store, sweep, clock, catalogue, tmp_path) -> None:
    """I47: what Loom only carries comes back as it was, newlines and lone surrogates included, one line an event."""
    texts = ['{"b":1,\n "a":"\\ud800\\u0000"}', "1" * 400, '"\u2028"', "[1.0, 1e2]"]
    execution = await end_execution(store, "a", *texts)
    clock.advance(31 * DAY_MS)
    await sweep()

    (manifest,) = await catalogue.read_archives(NAMESPACE, execution.execution_id)
    lines = [json.loads(line) for line in read_archived(tmp_path / "archive", manifest)]

    assert [line["event"]["payload"] for line in lines if "event" in line][1:-1] == texts
    assert lines[0]["head"]["incarnation"] == str(int(execution.incarnation))


async def test_a_shredded_log_goes_by_the_same_rule_as_any_other(store, sweep, clock) -> None:
    """I47: nobody can decrypt these payloads, and nobody needs to."""
    await end_execution(store, "a", RawJson.of("\ufffd" * 100))
    clock.advance(31 * DAY_MS)

    assert (await sweep()).counts == {"deleted": 1}


async def test_an_unreadable_row_keeps_the_log_and_fails_visibly(store, sweep, clock) -> None:
    """I47: neither "every error means pinned" nor "every error means deletable"; the others go on."""
    broken = await end_execution(store, "broken")
    await end_execution(store, "whole")
    clock.advance(31 * DAY_MS)

    report = await sweep(Wrapped(store, read_events=unreadable(store, broken)))

    assert report.counts == {"failed": 1, "deleted": 1}
    assert "RuntimeError" in next(item.why for item in report.items if item.fate == "failed")
    assert (await read_head(store, broken)).status == "completed"


async def test_a_log_of_which_events_are_missing_is_kept(store, sweep, clock) -> None:
    """I47: an archive that is not whole is none."""
    execution = await end_execution(store, "a", "1", "2")
    store.rows.events[(await read_head(store, execution)).head].pop(1)
    clock.advance(31 * DAY_MS)

    assert (await sweep()).counts == {"failed": 1}


async def test_every_unread_message_is_archived_however_many_there_are(
    store, sweep, clock, catalogue, tmp_path
) -> None:
    """Design 4: unread messages go along, page behind page, in their order."""
    execution = await start_execution(store, "a")
    for number in range(2 * PAGE + 1):
        await send(store, execution, str(number))
    await append(store, execution, NewEvent(kind="EXECUTION_COMPLETED"))
    clock.advance(31 * DAY_MS)

    assert (await sweep()).counts == {"deleted": 1}

    (manifest,) = await catalogue.read_archives(NAMESPACE, execution.execution_id)
    rows = (json.loads(line) for line in read_archived(tmp_path / "archive", manifest))
    archived = [row["message"]["message_id"] for row in rows if "message" in row]
    assert archived == [str(number) for number in range(2 * PAGE + 1)]
    assert manifest.messages == len(archived)


async def test_a_store_that_cannot_be_reached_ends_the_sweep(store, sweep, clock) -> None:
    """Design 4: an outage says nothing about any log, so nothing is counted as failed or kept."""
    await end_execution(store, "a")
    clock.advance(31 * DAY_MS)

    async def delete(call: Any) -> Any:
        raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        await sweep(Wrapped(store, delete=delete))


async def test_a_changed_archive_is_noticed(store, sweep, clock, catalogue, tmp_path) -> None:
    """The manifest's digest is of the file."""
    execution = await end_execution(store, "a")
    clock.advance(31 * DAY_MS)
    await sweep()
    (manifest,) = await catalogue.read_archives(NAMESPACE, execution.execution_id)
    (tmp_path / "archive" / manifest.file).write_bytes(b"")

    with pytest.raises(ValueError, match="digest"):
        list(read_archived(tmp_path / "archive", manifest))


async def test_an_overdue_round_runs_at_once_and_then_waits_its_time(store, catalogue, clock) -> None:
    """Design 4, duties: the last run is stored, by whichever replica it was."""
    await end_execution(store, "a")
    clock.advance(31 * DAY_MS)
    one, two = (rounds(store, catalogue, owner) for owner in ("one", "two"))

    await one.step()
    await two.step()
    await one.stop()
    await two.step()

    assert [report.counts for report in await catalogue.read_sweeps(10)] == [{"deleted": 1}]
    clock.advance(3_600_000)
    await two.step()
    assert len(await catalogue.read_sweeps(10)) == 2


async def test_the_age_is_measured_on_the_stores_clock(store, catalogue, clock) -> None:
    """Law 5: a retention host whose clock is a year ahead deletes nothing early; it never asks that clock."""
    execution = await end_execution(store, "a")

    await rounds(store, catalogue, "one").step()

    assert (await read_head(store, execution)).status == "completed"


def rounds(store: MemoryEventStore, catalogue: Catalogue, owner: str) -> Rounds:
    """One replica."""
    return Rounds(store, Sweeper(store, catalogue, None, KEEP), catalogue, owner, every_ms=3_600_000)


def where(execution: ExecutionRef) -> dict[str, Any]:
    """What addresses the execution."""
    return {
        "namespace": execution.namespace,
        "execution_id": execution.execution_id,
        "incarnation": execution.incarnation,
    }


async def pin(store: MemoryEventStore, execution: ExecutionRef) -> None:
    """An operator's."""
    await store.set_pin(SetPin(**where(execution), owner="audit", reason="until March"))


async def end_execution_again(store: MemoryEventStore) -> ExecutionRef:
    """Another incarnation under the id of a deleted one."""
    started = await store.start(
        Start(namespace=NAMESPACE, execution_id=ExecutionId("a"), batch_id="again", workflow="w", recreate=True)
    )
    await append(store, started.execution, NewEvent(kind="EXECUTION_COMPLETED"))
    return started.execution


def unreadable(store: MemoryEventStore, execution: ExecutionRef) -> Callable[[ReadEvents], Awaitable[Any]]:
    """A read that fails for this execution."""

    async def read_events(call: ReadEvents) -> Any:
        if call.execution_id == execution.execution_id:
            raise RuntimeError("page 7 is damaged")
        return await store.read_events(call)

    return read_events
