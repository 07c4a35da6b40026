import asyncio
import json
from typing import Any

import pytest

from cli.shell import NAMESPACE, Shell
from loom.errors import StoreUnavailable
from loom.ids import ExecutionId, Sequence
from loom.kernel import calls as c
from loom.kernel import parks as p
from loom.kernel.events import NewEvent
from loom.kernel.raw_json import RawJson
from loom.stores.timer_store import REDRIVE, WAKE, Schedule, TimerKey
from loom_cli.acts import make_id

PAID = p.MessageWait(id="w1", message=p.Message(name="paid", key="7"))
BLOCK = p.OperatorWait(id="b1", operator=p.Operator(reason="NonDeterminism", expected="step a", actual="step b"))


async def read_first(shell: Shell, id: str) -> dict[str, Any]:
    """The payload of an execution's first event."""
    log = await shell.store.read_events(c.ReadEvents(namespace=NAMESPACE, execution_id=ExecutionId(id)))
    return json.loads(log.events[0].payload)


# --- start


async def test_start_prints_the_id_and_nothing_else(shell: Shell) -> None:
    """Design 5: results on stdout: `id=$(loom start order)` works."""
    said = await shell("start", "order", "Ada", "5", '{"a": 1}', "--id", "o-1")

    assert (said.exit, said.out) == (0, "o-1\n")
    assert "next: loom result o-1" in said.err


async def test_start_writes_the_list_of_its_arguments(shell: Shell) -> None:
    """What is JSON is taken as JSON, all else is text; --input gives the whole input; options may stand anywhere."""
    await shell("start", "order@2", "--id", "o-1", "Ada", "5", '{"a": 1}', "--queue", "fast")
    await shell("start", "order", "--id", "o-2", "--input", '{"name": "Ada"}')
    await shell("start", "order", "--id", "o-3")

    started = await read_first(shell, "o-1")
    assert (started["workflow"], started["code_version"], started["queue"]) == ("order", "2", "fast")
    assert started["input"] == ["Ada", 5, {"a": 1}]
    assert (await read_first(shell, "o-2"))["input"] == {"name": "Ada"}
    assert (await read_first(shell, "o-3"))["input"] == []


async def test_start_makes_up_an_id_that_is_one(shell: Shell) -> None:
    """Design 5: ids are `[A-Za-z0-9._-]{1,200}`, whatever a workflow is called."""
    said = await shell("start", "order_" + "x" * 190)

    assert said.exit == 0
    assert len(said.out) < 200
    assert make_id("déjà vu~").startswith("d-j--vu--")


async def test_a_second_start_is_refused_and_says_what_to_do(shell: Shell) -> None:
    """Design 6: `if_exists` raise is the default; return answers with what is there."""
    await shell("start", "order", "--id", "o-1")

    refused = await shell("start", "order", "--id", "o-1")
    returned = await shell("start", "order", "--id", "o-1", "--if-exists", "return", "--json")

    assert (refused.exit, refused.out) == (1, "")
    assert "already-exists" in refused.err
    assert "--if-exists return" in refused.err
    assert returned.exit == 0
    assert returned.document["created"] is False


async def test_start_can_wait_for_the_result(shell: Shell) -> None:
    """The third of the three commands of a first workflow: it prints what the workflow returned."""
    await shell.start("o-1")
    await shell.end("o-1", "EXECUTION_COMPLETED", RawJson('"hello"'))

    said = await shell("start", "order", "--id", "o-1", "--if-exists", "return", "--wait")

    assert (said.exit, said.out) == (0, '"hello"\n')


# --- list


async def test_list_shows_the_newest_first_in_plain_columns(shell: Shell) -> None:
    """Design 5: list with filters; plain output when not a terminal."""
    for id in ("a-1", "a-2", "b-1"):
        await shell.start(id)
    await shell.claim("a-2")

    said = await shell("list")
    rows = [line.split()[:2] for line in said.out.splitlines()]

    assert said.exit == 0
    assert rows == [["EXECUTION", "STATUS"], ["b-1", "pending"], ["a-2", "running"], ["a-1", "pending"]]
    assert "\x1b" not in said.out + said.err


async def test_list_filters(shell: Shell) -> None:
    """By status, stored or shown, by workflow, by the beginning of the id."""
    await shell.start("a-1")
    await shell.start("a-2", workflow="pay")
    await shell.start("b-1")
    await shell.park(await shell.claim("b-1"), BLOCK)

    async def ids(*words: str) -> list[str]:
        return [item["execution_id"] for item in (await shell("list", "--json", *words)).document["items"]]

    assert await ids("--status", "pending") == ["a-2", "a-1"]
    assert await ids("--status", "blocked") == ["b-1"]
    assert await ids("--status", "parked", "--status", "pending") == ["b-1", "a-2", "a-1"]
    assert await ids("--status", "runnable") == []
    assert await ids("--workflow", "pay") == ["a-2"]
    assert await ids("--prefix", "a-") == ["a-2", "a-1"]
    assert await ids("--namespace", "other") == []


async def test_list_says_when_there_is_more(shell: Shell) -> None:
    """A list that was cut and does not say so is read as the whole."""
    for n in range(3):
        await shell.start(f"a-{n}")

    cut, whole = await shell("list", "--limit", "2"), await shell("list", "--limit", "3")

    assert len(cut.out.splitlines()) == 3
    assert "--limit" in cut.err
    assert whole.err == ""
    assert (await shell("list", "--limit", "2", "--json")).document["more"] is True


async def test_list_counts(shell: Shell) -> None:
    """Design 5: counts by status."""
    await shell.start("a-1")
    await shell.start("a-2")
    await shell.end("a-2", "EXECUTION_COMPLETED")

    assert (await shell("list", "--counts", "--json")).document == {"counts": {"pending": 1, "completed": 1}}


# --- show


async def test_show_prints_head_and_timeline(shell: Shell) -> None:
    """Field report 4: the whole history one command away; the token of each event as `epoch.counter`."""
    await shell.start("o-1", ["Ada"])
    claimed = await shell.claim("o-1")
    await shell.append(claimed, NewEvent(kind="invoice.sent", payload=RawJson('{"no": 4}')))

    said = await shell("show", "o-1")
    lines = [line.split() for line in said.out.splitlines()]

    assert said.exit == 0
    assert ["status", "running"] in lines
    assert ["token", "1.1"] in lines
    assert lines[-3:-1][0] == ["SEQ", "WHEN", "TOKEN", "KIND", "WHAT"]
    assert lines[-1] == ["2", "+0ms", "1.1", "invoice.sent", '{"no":', "4}"]
    assert claimed.credential.nonce not in said.out


async def test_show_prints_the_newest_events_unless_told_otherwise(shell: Shell) -> None:
    """A log may have 50,000 events; what is left out is said."""
    await shell.start("o-1")
    claimed = await shell.claim("o-1")
    for n in range(3):
        await shell.append(claimed, *[NewEvent(kind=f"e{n}") for _ in range(100)])

    newest, whole = await shell("show", "o-1"), await shell("show", "o-1", "--all", "--json")

    assert len([line for line in newest.out.splitlines() if line.endswith(" e2")]) == 100
    assert "201 earlier events: --all" in newest.err
    assert [event["seq"] for event in whole.document["events"]] == list(range(1, 302))


async def test_show_carries_payloads_byte_for_byte(shell: Shell) -> None:
    """I4: what Loom only carries comes back as it was written, in the document too."""
    odd = RawJson('{"b": 1.0, "a": 1e400, "s": "\\ud800\\u0000"}')
    await shell.start("o-1")
    await shell.append(await shell.claim("o-1"), NewEvent(kind="x", payload=odd))

    assert odd in (await shell("show", "o-1", "--json")).out


# --- send, cancel, terminate, fail


async def test_send_resumes_whoever_waits(shell: Shell) -> None:
    """Design 2: in the same transaction a send resumes an execution parked on it."""
    await shell.start("o-1")
    await shell.park(await shell.claim("o-1"), PAID)

    kept = await shell("send", "o-1", "other", "Ada", "--json")
    resumed = await shell("send", "o-1", "paid", '{"sum": 5}', "--key", "7", "--id", "m-1", "--json")
    repeated = await shell("send", "o-1", "paid", '{"sum": 5}', "--key", "7", "--id", "m-1", "--json")

    assert kept.document["resumed"] is False
    assert resumed.document == {"message_id": "m-1", "inbox_seq": 2, "resumed": True}
    assert repeated.document == resumed.document


async def test_a_message_may_start_its_receiver(shell: Shell) -> None:
    """Design 6, `send(start=)`: started and delivered at once; whoever is there already only gets the message."""
    first = await shell("send", "till-3", "paid", "5", "--start", "ledger@2", "--arg", "7", "--id", "m-1")
    second = await shell("send", "till-3", "paid", "6", "--start", "other", "--id", "m-2")

    head = await shell.store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=ExecutionId("till-3")))
    log = await shell.store.read_events(c.ReadEvents(namespace=NAMESPACE, execution_id=ExecutionId("till-3")))
    assert (first.out, second.out) == ("m-1\n", "m-2\n")
    assert (head.workflow, head.code_version, head.queue) == ("ledger", "2", "default")
    assert log.events[0].payload.parsed()["input"] == [7]
    assert (await shell("send", "nobody", "paid", "5")).exit == 6


async def test_a_result_is_the_chains(shell: Shell) -> None:
    """I58: who waits for an id waits for its last link, and for no link on the way."""
    await shell.start("o-1")
    first = (await shell.claim("o-1")).credential
    waiting = asyncio.ensure_future(shell("result", "o-1"))
    await asyncio.sleep(0)
    at = {"namespace": NAMESPACE, "execution_id": ExecutionId("o-1")}
    await shell.store.continue_as_new(c.ContinueAsNew(**at, credential=first, batch_id="k"))
    await shell.end("o-1", "EXECUTION_COMPLETED")

    assert (await waiting).exit == 0


async def test_evict_takes_an_execution_from_its_owner(shell: Shell) -> None:
    """Design 2: by an operator, on the token seen; the owner's next write is refused."""
    await shell.start("o-1")
    owner = (await shell.claim("o-1")).credential

    assert (await shell("evict", "o-1", "--token", "1.7")).exit not in (0, 2)
    taken = await shell("evict", "o-1", "--token", owner.token.shown, "--reason", "it hangs")

    assert (taken.exit, taken.out) == (0, f"{owner.token.epoch}.{owner.token.counter + 1}\n")
    assert "runnable" in taken.err
    head = await shell.store.read_head(c.ReadHead(namespace=NAMESPACE, execution_id=ExecutionId("o-1")))
    assert (head.shown, head.owner) == ("runnable", None)
    assert (await shell("evict", "o-1")).exit not in (0, 2)


async def test_cancel_asks_and_terminate_and_fail_end(shell: Shell) -> None:
    """Design 2: cancel is a request, ended at once only while pending; terminate and fail end at once."""
    for id in ("pending", "running", "ended", "failed"):
        await shell.start(id)
        if id != "pending":
            await shell.claim(id)

    assert (await shell("cancel", "pending", "--reason", "late")).out == "cancelled\n"
    assert (await shell("cancel", "running", "--deadline", "5m")).out == "running\n"
    assert (await shell("terminate", "ended", "--reason", "stuck")).out == "cancelled\n"
    assert (await shell("fail", "failed", "--message", "no hope", "--json")).document["status"] == "failed"

    assert (await shell("result", "pending")).exit == 3
    assert (await shell("result", "ended")).exit == 4
    failed = await shell("result", "failed")
    assert (failed.exit, failed.out) == (1, "")
    assert "no hope" in failed.err


async def test_an_end_is_only_for_the_incarnation_named(shell: Shell) -> None:
    """Design 2, law 4: a person may write `*`; whoever remembers an incarnation says so, and another life is safe."""
    started = await shell.start("o-1")
    other, same = int(started.execution.incarnation) ^ 1, int(started.execution.incarnation)

    assert (await shell("terminate", "o-1", "--incarnation", str(other))).exit == 6
    assert (await shell("cancel", "o-1", "--chain", str(other))).exit == 6
    assert (await shell("send", "o-1", "x", "--chain", str(other))).exit == 6
    assert (await shell("terminate", "o-1", "--incarnation", str(same))).exit == 0


# --- resume


async def test_resume_opens_a_block(shell: Shell) -> None:
    """Design 2: only an operator's resume, a cancel, fail or terminate answers an operator wait."""
    await shell.start("o-1")
    parked = await shell.park(await shell.claim("o-1"), BLOCK)

    blocked = await shell("result", "o-1", "--timeout", "0")
    said = await shell("resume", "o-1", "--json")

    assert blocked.exit == 5
    assert "loom resume o-1" in blocked.err
    assert said.exit == 0
    assert said.document["resumed_seq"] == parked.park_seq + 1
    assert (await shell("list", "--status", "runnable", "--json")).document["items"][0]["execution_id"] == "o-1"


async def test_resume_answers_the_park_it_was_given_and_no_other(shell: Shell) -> None:
    """I9: the park at p, else nothing changes; a final no names the way on."""
    await shell.start("o-1")
    parked = await shell.park(await shell.claim("o-1"), PAID)

    other = await shell("resume", "o-1", "--park", str(parked.park_seq + 1))
    this = await shell("resume", "o-1", "--park", str(parked.park_seq))
    again = await shell("resume", "o-1")

    assert (other.exit, this.exit, again.exit) == (1, 0, 1)
    assert "not-parked" in other.err
    assert "loom why o-1" in again.err


async def test_resume_of_an_unknown_tail_is_contended(shell: Shell) -> None:
    """Design 2: with an answer that this server does not know, resume is contended and nothing is answered."""
    started = await shell.start("o-1")
    await shell.park(await shell.claim("o-1"), PAID)
    await shell.store.append_stamped(started.execution, "EXECUTION_FROM_TOMORROW")

    said = await shell("resume", "o-1")

    assert said.exit == 1
    assert "resume-contended" in said.err


# --- result


@pytest.mark.parametrize(
    ("kind", "payload", "exit", "out"),
    [
        ("EXECUTION_COMPLETED", '{"b": 1.0, "a": 1e400}', 0, '{"b": 1.0, "a": 1e400}\n'),
        ("EXECUTION_FAILED", '{"type":"Boom","message":"it broke","details":null,"traceback":""}', 1, ""),
    ],
)
async def test_result_prints_what_was_returned_and_ends_accordingly(
    shell: Shell, kind: str, payload: str, exit: int, out: str
) -> None:
    """Design 5: 0 completed, with the result byte for byte; 1 failed, with the failure on stderr."""
    await shell.start("o-1")
    await shell.end("o-1", kind, RawJson(payload))

    said = await shell("result", "o-1")
    document = (await shell("result", "o-1", "--json")).out

    assert (said.exit, said.out) == (exit, out)
    assert payload in document
    assert ("it broke" in said.err) is (exit == 1)


async def test_result_finds_the_end_behind_what_was_noted_later(shell: Shell) -> None:
    """Audit kinds are legal after the end, so the terminal event need not be the last."""
    await shell.start("o-1")
    await shell.end("o-1", "EXECUTION_COMPLETED", RawJson("7"))
    for n in range(3):
        note = c.AppendIfUnchanged(
            namespace=NAMESPACE, execution_id=ExecutionId("o-1"), incarnation="*", kind="ANNOTATED", batch_id=f"n{n}"
        )
        await shell.store.append_if_unchanged(note)

    assert (await shell("result", "o-1")).out == "7\n"


async def test_result_times_out_with_a_number_of_its_own(shell: Shell) -> None:
    """Design 5: 8 is the time-out; the execution goes on."""
    await shell.start("o-1")

    said = await shell("result", "o-1", "--timeout", "0")

    assert (said.exit, said.out) == (8, "")
    assert "waits for a worker of order@0 on queue default" in said.err


async def test_what_does_not_exist_is_not_found(shell: Shell) -> None:
    """Design 5: 6 not found, for every command that names an execution."""
    for words in (
        ["show", "x"],
        ["result", "x"],
        ["why", "x"],
        ["ownership", "x"],
        ["trace", "x"],
        ["send", "x", "paid"],
        ["cancel", "x"],
        ["terminate", "x"],
        ["evict", "x"],
        ["resume", "x"],
        ["fail", "x"],
    ):
        said = await shell(*words)
        assert (said.exit, said.out) == (6, ""), words
        assert "not-found" in said.err


async def test_what_was_deleted_says_how_it_ended(shell: Shell) -> None:
    """Design 5: `deleted`, with the ending that the tombstone kept."""
    await shell.start("o-1")
    await shell.end("o-1", "EXECUTION_COMPLETED")
    await shell.store.delete(c.Delete(namespace=NAMESPACE, execution_id=ExecutionId("o-1"), incarnation="*"))

    said = await shell("result", "o-1", "--json")

    assert said.exit == 6
    problem = json.loads(said.err)
    assert problem["code"] == "deleted"
    assert problem["ending"] == "completed"

    shown = await shell("show", "o-1")
    assert shown.exit == 6
    assert "completed" in shown.out


async def test_show_and_why_end_as_the_execution_stands(shell: Shell) -> None:
    """Design 5: one table of exit codes for commands that report on an execution."""
    for id in ("running", "completed", "failed", "cancelled", "terminated", "blocked"):
        await shell.start(id)
    await shell.claim("running")
    await shell.end("completed", "EXECUTION_COMPLETED")
    await shell("fail", "failed")
    await shell("cancel", "cancelled")
    await shell.claim("terminated")
    await shell("terminate", "terminated")
    await shell.park(await shell.claim("blocked"), BLOCK)

    exits = {"running": 0, "completed": 0, "failed": 1, "cancelled": 3, "terminated": 4, "blocked": 5}
    for command in ("show", "why"):
        assert {id: (await shell(command, id)).exit for id in exits} == exits


# --- why


async def test_why_joins_what_timers_knows(shell: Shell) -> None:
    """Design 5: one causal chain: the wait, the row of timers, its attempts and the next try."""
    started = await shell.start("o-1")
    wait = p.TimerWait(id="w1", timer=p.Timer(delay_ms=60_000))
    parked = await shell.park(await shell.claim("o-1"), wait)
    for park_seq, kind, attempt in ((parked.park_seq, WAKE, 0), (parked.park_seq, REDRIVE, 3), (99, WAKE, 0)):
        key = TimerKey.of(started.execution, Sequence(park_seq), "w1", kind)
        await shell.timers.schedule(Schedule(key=key, attempt=attempt, delay_ms=60_000))

    said = await shell("why", "o-1")

    assert "w1: a timer, due in 60000 ms" in said.out
    assert said.out.count("wake of w1: next try at") == 1
    assert "redrive of w1: next try at 2023-11-14 22:14:20.000Z, contended 3 times" in said.out
    (cause,) = (await shell("why", "o-1", "--json")).document["causes"]
    assert [row["key"]["kind"] for row in cause["timers"]] == ["wake", "redrive"]


async def test_why_follows_the_children(shell: Shell) -> None:
    """Field report 2.5: waiting on a child, which waits for a message: one chain down to what is missing."""
    await shell.start("parent")
    claimed = await shell.claim("parent")
    child = await shell.store.start_child(
        c.StartChild(
            namespace=NAMESPACE,
            execution_id=ExecutionId("parent"),
            credential=claimed.credential,
            batch_id="child",
            child_key="pay",
            workflow="pay",
            queue="default",
        )
    )
    await shell.park(await shell.claim(child.child.execution_id, "m" * 32), PAID)
    await shell.park(claimed, p.ChildWait(id="w9", child=p.Child(key="pay")))

    said = await shell("why", "parent")

    causes = (await shell("why", "parent", "--json")).document["causes"]
    assert [(cause["depth"], cause["head"]["execution_id"]) for cause in causes] == [
        (0, "parent"),
        (1, child.child.execution_id),
    ]
    assert "a message paid with the key 7 that nobody has sent" in said.out


async def test_why_names_the_worker_that_is_missing(shell: Shell) -> None:
    """Field report 2.5: no worker polls queue q for workflow w; the remedy is a command."""
    await shell.start("o-1")

    said = await shell("why", "o-1")

    assert "no worker polls the queue default for order@0" in said.out
    assert "next: loom run FILE" in said.err


async def test_why_works_without_timers(shell: Shell) -> None:
    """A service that is down must not hide what the others know, and is a cause worth reading."""

    class Down:
        async def read(self, call: Any) -> Any:
            raise StoreUnavailable("no")

    shell.timers = Down()  # type: ignore[assignment]
    await shell.start("o-1")
    before = await shell("why", "o-1")
    await shell.park(await shell.claim("o-1"), PAID)

    said = await shell("why", "o-1")

    assert said.exit == 0
    assert "timers cannot be reached" in said.out
    assert "timers" not in before.out  # nothing is parked, so there is nothing that they could know


# --- ownership


async def test_ownership_tells_the_story_of_a_frozen_worker(shell: Shell) -> None:
    """Field report 2.6: who held which token, what each wrote, which late writes were refused, with both tokens."""
    await shell.start("o-1")
    frozen = await shell.claim("o-1")
    shell.clock.advance(61_000)
    taker = await shell.claim("o-1", "t" * 32)
    await shell.append(taker, NewEvent(kind="x"))
    with pytest.raises(Exception, match=r"1\.1 presented"):
        await shell.append(frozen, NewEvent(kind="y"))
    await shell.park(taker, PAID)
    await shell("send", "o-1", "paid", "--key", "7")

    said = await shell("ownership", "o-1")
    tokens = (await shell("ownership", "o-1", "--json")).document["tokens"]

    assert said.exit == 0
    assert [(row["shown"], row["rule"], row["owner"]) for row in tokens] == [
        ("0.0", "start", None),
        ("1.1", "claim", "worker-1"),
        ("1.2", "claim", "worker-1"),
        ("1.3", "send", None),
    ]
    refused = next(line for line in said.out.splitlines() if line.startswith("1.1"))
    assert "events 1 times: stale, 1.2 was current" in refused
    assert frozen.credential.nonce not in said.out
