"""What is memory's own: the oracle that other bodies are compared with."""

from dataclasses import replace

from kernel.play import SHOP, Played, Stage, child, event, group, outcome, refused, run, timer
from loom.clock import SystemClock
from loom.errors import LoomError, NotClaimable, NotFound, Stale
from loom.ids import ExecutionId, Namespace, Sequence
from loom.kernel import calls as c
from loom.kernel.features import NODE_KEPT_MS, NODE_LIVE_MS
from loom.kernel.heads import Status
from loom.stores.deciding import POLL_SEEN_MS, ROWS_KEPT, DecidingStore
from loom.stores.event_store import PORT_VERSION, EventStore, Outbox
from loom.stores.event_store import TestHook as Hook
from loom.stores.memory import MemoryEventStore
from loom.wire.paths import PATHS


def poll(stage: Stage, **members) -> c.Claims:
    """A worker's poll."""
    given = {"queue": "default", "workflows": ("w@0",), "max": 10, "nonce": stage.nonce(), "owner": "me"}
    return stage.do(c.ClaimRunnable(**({"namespace": SHOP} | given | members)))


def test_memory_decides_every_method_of_the_port():
    """Design 3: every body decides every method; none is left to the Protocol's dots."""
    for port in (EventStore, Outbox, Hook):
        for name in vars(port):
            if not name.startswith("_"):
                assert getattr(MemoryEventStore, name) is not getattr(port, name)
    assert {path.port for path in PATHS} == {name for name in vars(EventStore) if not name.startswith("_")}
    assert issubclass(MemoryEventStore, DecidingStore)


def test_two_stores_of_one_seed_are_the_same_store():
    """D: the clock and the chances are arguments, so a run can be repeated."""
    heads = []
    for _ in range(2):
        stage = Stage(seed=7)
        stage.owned(id="e").park(timer(5))
        heads.append(stage.store.rows.heads)

    assert heads[0] == heads[1]


def test_without_a_clock_it_is_the_hosts():
    """Law 5: in memory an injected clock; the host's by default."""
    before = SystemClock().now()
    store = MemoryEventStore()

    started = run(
        store.start(c.Start(namespace=SHOP, execution_id=ExecutionId("e"), batch_id="k", workflow="w", queue="q"))
    )

    head = run(store.read_head(c.ReadHead(namespace=SHOP, execution_id=started.execution.execution_id)))
    assert before <= head.created_at <= SystemClock().now()


def test_a_clock_that_steps_back_costs_work_and_never_safety():
    """I26: leases last longer, nothing of a stale owner passes."""
    stage = Stage()
    played = stage.owned()
    late = played.credential
    stage.clock.advance(60_000)
    played.claim()

    stage.clock.advance(-120_000)

    refused(Stale, lambda: played.append("order.placed", credential=late))
    played.append("order.placed")


# --- claims


def started(stage: Stage) -> Played:
    """An execution a millisecond younger than the one before."""
    stage.clock.advance(1)
    return stage.start()


def test_a_poll_gets_the_oldest_runnable_executions_of_its_workflows():
    """Design 5, claims: oldest first; exactly the versions named; what has no queue is nobody's to hand out."""
    stage = Stage()
    first, second, third = started(stage), started(stage), started(stage)
    stage.start(workflow="other")
    stage.start(code_version="1")
    stage.start(queue="elsewhere")
    stage.start(delay_ms=5)
    stage.single()
    first.claim()
    stage.clock.advance(1)
    first.park(timer())
    first.resume()

    claimed = [each.head.execution_id for each in poll(stage, max=2).items]
    rest = [each.head.execution_id for each in poll(stage).items]

    assert claimed == [second.ref.execution_id, third.ref.execution_id]
    assert rest == [first.ref.execution_id]


def test_a_poll_passes_over_what_it_blocks_and_gives_the_next():
    """I27: the ninth claim blocks the execution and takes nothing from the poll."""
    stage = Stage(fruitless_claims=1)
    bad = stage.start()
    bad.claim(ttl_ms=250)
    stage.clock.advance(300)
    good = stage.start()

    claimed = poll(stage, max=1)

    assert [each.head.execution_id for each in claimed.items] == [good.ref.execution_id]
    assert bad.head.shown == "blocked"


def test_no_two_polls_get_the_same_execution():
    """I20: one token, one grant."""
    stage = Stage()
    for _ in range(10):
        stage.start()

    got = [each.credential for _ in range(4) for each in poll(stage, max=3).items]

    assert len({held.execution_id for held in got}) == len(got) == 10


def test_why_knows_who_polled_lately():
    """Design 5, why: whether any worker polls its queue for its workflow."""
    stage = Stage()
    played = stage.start(delay_ms=1)

    def codes() -> list[str]:
        return [reason.code for reason in stage.do(c.ReadWhy(**played.at)).reasons]

    lonely = codes()
    poll(stage)
    polled = codes()
    stage.clock.advance(POLL_SEEN_MS)

    assert "no-worker" in lonely
    assert "runnable" in polled
    assert "no-worker" in codes()


# --- reading


def test_a_log_is_read_in_slices_from_any_sequence():
    """fenced-run-state 1: read by range, in sequence order; an unknown execution is an empty list."""
    stage = Stage()
    played = stage.owned()
    played.append(*["order.placed"] * 5)

    def slice_of(from_seq: int, limit: int) -> list[int]:
        log = stage.do(c.ReadEvents(**played.at, from_seq=Sequence(from_seq), limit=limit))
        assert log.last_seq == 6
        return [entry.seq for entry in log.events]

    assert (slice_of(0, 2), slice_of(1, 2), slice_of(5, 10), slice_of(7, 10)) == ([1, 2], [1, 2], [5, 6], [])
    nobody = c.ReadEvents(namespace=SHOP, execution_id=ExecutionId("never"))
    assert stage.do(nobody) == c.Log(events=(), last_seq=Sequence(0))


def test_executions_are_listed_newest_first_page_by_page():
    """Design 5: filters and keyset cursors."""
    stage = Stage()
    for number in range(5):
        stage.start(f"e{number}", workflow="w" if number % 2 else "v")
    stage.start("x")

    def ids(**members) -> tuple[list[str], str | None]:
        page = stage.do(c.ListExecutions(namespace=SHOP, **members))
        return [head.execution_id for head in page.items], page.cursor

    first, cursor = ids(limit=2, id_prefix="e")
    second, cursor = ids(limit=2, id_prefix="e", cursor=cursor)
    third, end = ids(limit=2, id_prefix="e", cursor=cursor)

    assert (first, second, third, end) == (["e4", "e3"], ["e2", "e1"], ["e0"], None)
    assert ids(workflow="v") == (["e4", "e2", "e0"], None)
    assert ids(statuses=(Status.RUNNING,)) == ([], None)


def test_what_ended_before_an_instant_is_listed_for_retention():
    """Design 4, retention: by ending and age."""
    stage = Stage()
    early = stage.ended()
    stage.clock.advance(10)
    stage.ended()
    stage.start()

    page = stage.do(c.ListExecutions(namespace=SHOP, ended_before=stage.clock.now()))

    assert [head.execution_id for head in page.items] == [early.ref.execution_id]


def test_executions_are_counted_by_status_within_a_namespace():
    """Design 5: counts by status; a namespace exists from its first start."""
    stage = Stage()
    for begin in (stage.start, stage.owned, stage.parked, stage.ended):
        begin()
    stage.start(namespace=Namespace("other"))

    counts = stage.do(c.CountExecutions(namespace=SHOP)).counts

    assert counts == {"pending": 1, "running": 1, "parked": 1, "completed": 1}
    assert stage.do(c.ListNamespaces()).items == ("other", "shop")


def test_a_tombstone_shows_its_head_and_nothing_else():
    """I46: delete removes events, inbox, own edges, grants, refusals and pins; the head stays."""
    stage = Stage()
    played = stage.owned()
    played.start_child("kid", close="abandon")
    played.send()
    stage.do(c.SetPin(**played.seen, owner="ada", reason="audit", ttl_ms=1))
    late = played.credential
    stage.clock.advance(60_000)
    refused(Stale, lambda: played.append("order.placed", credential=late))
    played.terminate()
    played.delete()

    rows = stage.store.rows
    head = played.head
    assert (head.status, head.ending, head.result_digest is not None) == (Status.DELETED, Status.CANCELLED, True)
    assert not played.log
    assert not [edge for edge in rows.edges.values() if edge.parent == played.ref]
    assert not [table for table in (rows.inbox, rows.pin_rows, rows.grants, rows.refusals) if table.get(head.head)]
    assert not [key for key in rows.batches if key[0] == head.head]


def test_what_never_was_is_not_found():
    """Design 5: 404."""
    at = {"namespace": SHOP, "execution_id": ExecutionId("never")}
    stage = Stage()

    for call in (c.ReadHead(**at), c.ReadPark(**at), c.ReadWhy(**at), c.ReadOwnership(**at), c.ReadInbox(**at)):
        refused(NotFound, lambda call=call: stage.do(call))


def test_children_are_listed_in_the_order_of_their_making():
    """Design 2: lists of children go over the edges."""
    stage = Stage()
    parent = stage.owned()
    for key in ("c", "a", "b"):
        parent.start_child(key)

    after = stage.do(c.ReadChildren(**parent.at, after="c", limit=1))

    assert list(parent.edges) == ["c", "a", "b"]
    assert [edge.child_key for edge in after.items] == ["a"]


# --- what sweeps look at


def due(stage: Stage, about: str, **members) -> list[c.Due]:
    """All findings, page by page."""
    found: list[c.Due] = []
    cursor = None
    while True:
        page = stage.do(c.ListDue(about=about, cursor=cursor, limit=1, **members))
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


def test_parks_whose_timer_passed_are_overdue_after_the_grace():
    """I32: what `GET /v1/parks?overdue=5s` lists is woken by a sweep."""
    stage = Stage()
    first, second = stage.parked(timer(100, "t")), stage.parked(timer(200, "t"))
    stage.parked(timer(90_000))

    stage.clock.advance(5_100)

    assert [found.execution for found in due(stage, "overdue", grace_ms=5_000)] == [first.ref]
    assert [found.wait for found in due(stage, "overdue")] == ["t", "t"]
    second.resume("t")
    assert [found.execution for found in due(stage, "overdue")] == [first.ref]


def test_parks_whose_children_have_ended_are_satisfied_and_name_their_keys():
    """I38: what the supervisor's sweep needs to resume them."""
    stage = Stage()
    parent = stage.owned()
    kids = [parent.start_child(key) for key in ("a", "b")]
    parent.park(group("a", "b", policy="any"), child("b"))
    assert due(stage, "satisfied") == []

    kids[0].claim().append(event("EXECUTION_COMPLETED"))

    (found,) = due(stage, "satisfied")
    assert (found.park_seq, found.wait, found.keys) == (parent.park_seq, "group", ("a",))
    parent.resume(found.wait, *found.keys)
    assert due(stage, "satisfied") == []


def test_cancels_and_deadlines_that_passed_are_due_until_dealt_with():
    """Design 4: cancel deadlines and the deadlines of executions are swept."""
    stage = Stage()
    cancelled, late = stage.owned(), stage.owned(timeout_ms=50)
    cancelled.cancel(deadline_ms=10)

    stage.clock.advance(50)

    (cancel,) = due(stage, "cancels")
    assert (cancel.execution, cancel.cancel_seq) == (cancelled.ref, cancelled.head.cancel_seq)
    assert [found.execution for found in due(stage, "deadlines")] == [late.ref]
    cancelled.terminate(cancel_seq=cancel.cancel_seq)
    late.cancel(by="deadline")
    assert due(stage, "cancels") == due(stage, "deadlines") == []


# --- rows beside the head


def test_refusals_are_tallied_and_the_newest_kept():
    """Design 2: grants and refusals keep the newest 1,000 of a living execution."""
    stage = Stage()
    played = stage.owned()
    for counter in range(ROWS_KEPT + 5):
        credential = played.forged(token=played.credential.token.next(1 + counter))
        assert isinstance(outcome(lambda held=credential: played.append("a", credential=held)), LoomError)

    rows = stage.do(c.ReadOwnership(**played.at)).refusals

    assert (len(rows), rows[-1].token.epoch) == (ROWS_KEPT, ROWS_KEPT + 5)


def test_grants_keep_the_newest():
    """Design 2."""
    stage = Stage()
    played = stage.start()
    for _ in range(ROWS_KEPT + 2):
        played.claim()
        played.release()

    assert len(stage.do(c.ReadOwnership(**played.at)).grants) == ROWS_KEPT


def test_a_hint_that_was_refused_so_often_is_read_no_more():
    """Kafka 2.4 point 7."""
    stage = Stage()
    stage.parked()
    first, second = run(stage.store.read_outbox(0, 10))

    assert run(stage.store.refuse_outbox((first[0],), attempts_max=2)) == ()
    assert run(stage.store.read_outbox(0, 10)) == (first, second)
    assert run(stage.store.refuse_outbox((first[0],), attempts_max=2)) == (first[0],)
    assert run(stage.store.read_outbox(0, 10)) == (second,)


def test_an_outbox_row_stays_until_it_is_deleted_by_its_id():
    """I43: rows go by acknowledgement, never by a cursor over ids."""
    stage = Stage()
    stage.parked()
    rows = run(stage.store.read_outbox(0, 10))

    run(stage.store.delete_outbox((rows[1][0],)))

    assert [told.hint.TOPIC for _, told in rows] == ["loom.notify-resume.v1", "loom.execution-parked.v1"]
    assert run(stage.store.read_outbox(0, 10)) == rows[:1]
    assert run(stage.store.read_outbox(rows[0][0], 10)) == ()


def test_a_duty_is_taken_by_compare_and_set_on_its_term():
    """I54: free, run out, or the caller's own; two holders cost work only."""
    stage = Stage()
    take = c.TakeDuty(name="relay", owner="a", term=0, ttl_ms=1_000)
    first = stage.do(take)

    assert (first.term, first.owner, first.last_run) == (1, "a", None)
    assert outcome(lambda: stage.do(c.TakeDuty(name="relay", owner="b", term=1, ttl_ms=1_000))).code == "lease-held"
    assert outcome(lambda: stage.do(take)).code == "unchanged-mismatch"
    ran = stage.do(c.TakeDuty(name="relay", owner="a", term=1, ttl_ms=1_000, ran=True))
    stage.clock.advance(1_000)
    taken = stage.do(c.TakeDuty(name="relay", owner="b", term=ran.term, ttl_ms=1_000))
    assert (taken.owner, taken.last_run) == ("b", ran.last_run)
    assert outcome(lambda: stage.do(c.GiveUpDuty(name="relay", owner="a", term=taken.term))).code
    assert stage.do(c.GiveUpDuty(name="relay", owner="b", term=taken.term)).owner is None


def test_a_node_that_is_silent_for_long_is_in_nobodys_way_and_is_forgotten():
    """I56: the fleet is who told of itself lately; whoever was killed told nobody."""
    stage = Stage()
    tell = c.Heartbeat(instance="old", role="timers", version="0", features=())
    on = c.SwitchFeature(name="redrives", on=True)
    stage.do(c.SwitchFeature(name="redrives", on=False))
    stage.do(tell)

    stage.clock.advance(NODE_LIVE_MS - 1)
    refused = outcome(lambda: stage.do(on))
    stage.clock.advance(1)
    switched = stage.do(on)
    shown = run(stage.store.read_store(c.ReadStore())).fleet
    stage.clock.advance(NODE_KEPT_MS - NODE_LIVE_MS + 1)
    stage.do(replace(tell, instance="new"))

    assert (refused.code, refused.facts["instance"]) == ("fleet-behind", "old")
    assert switched.features == ("redrives",)
    assert [node.instance for node in shown] == ["old"]
    assert [node.instance for node in run(stage.store.read_store(c.ReadStore())).fleet] == ["new"]


def test_a_claim_that_blocks_is_written_although_it_is_refused():
    """Change: an answer that is an error is raised after the commit."""
    stage = Stage(fruitless_claims=1)
    played = stage.start()
    played.claim(ttl_ms=250)
    stage.clock.advance(300)

    refused(NotClaimable, played.claim)

    assert played.kinds == ["EXECUTION_STARTED", "EXECUTION_SUSPENDED"]


def test_a_store_says_what_it_is():
    """Design 3: the port carries a version; its limits are the store's."""
    info = Stage(event_bytes=7).do(c.ReadStore())

    assert (info.port_version, info.epoch, info.limits.event_bytes) == (PORT_VERSION, 1, 7)
