"""Was every promise kept? Pure: from what clients wrote down and what the store holds to violations (hazards 5.3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from event_store.schedules.invariants import why_broken
from event_store.schedules.tables import Tables
from loom.kernel.events import Event
from loom.kernel.execution import fold, why_drifted
from loom.kernel.heads import Head, Mail
from storm.book import Book, Written
from storm.history import Operation

LOCK_WAIT_MS = 2_000
"""How long after a guard let it pass a write may be: the store's lock_timeout."""

_BY_OTHERS = frozenset(
    {
        "EXECUTION_STARTED",
        "EXECUTION_RESUMED",
        "EXECUTION_CANCEL_REQUESTED",
        "EXECUTION_CANCELLED",
        "EXECUTION_CONTINUED",
        "CHILD_OUTCOME",
        "MESSAGE_CONSUMED",
    }
)
"""Kinds that services, senders or the store itself may have written: nobody has to have written down the call."""

_BUMPING = frozenset(
    {"EXECUTION_RESUMED", "EXECUTION_CANCELLED", "EXECUTION_FAILED", "MESSAGE_CONSUMED", "CHILD_OUTCOME", "ANNOTATED"}
)


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken promise: the check that found it, where, and what is there instead."""

    check: str
    where: str
    found: str


def check(operations: Iterable[Operation], tables: Tables) -> list[Violation]:
    """Every violation that the checks find."""
    book = Book(operations, tables)
    found = [Violation(name, where, said) for name, find in CHECKS.items() for where, said in find(book)]
    return found or [Violation("auditor", "tables", said) for said in _audited(book)]


Findings = Iterator[tuple[str, str]]

# --- 1: each log, and what was acknowledged ---------------------------------------------------------------------------


def _gapless(book: Book) -> Findings:
    for head in book.heads.values():
        seqs = [event.seq for event in book.log(head)]
        if seqs != list(range(1, len(seqs) + 1)):
            yield book.named(head), f"sequences are {seqs}"


def _acknowledged(book: Book) -> Findings:
    for written in book.written:
        if written.end == "ok" and (said := _why_lost(book, written)):
            yield written.name, said
    for operation, claimed in book.claims:
        head, token = _head_of(book, claimed["credential"]), int(claimed["credential"]["token"])
        if head is not None and token not in {int(grant.token) for grant in book.tables.grants[head.head]}:
            yield book.named(head), f"the claim that {operation.client} was given under {token} is not recorded"
    yield from _lost_mail(book)


def _why_lost(book: Book, written: Written) -> str | None:
    for answer in written.answers:
        if "child" in answer and int(answer["child"]["incarnation"]) not in book.heads:
            return "the child that it was given is not there"
    found = book.found(written)
    if not found:
        return None if _wrote_nothing(written) else "acknowledged, and not in the log"
    told = {int(answer[name]) for answer in written.answers for name in _SEQS if answer.get(name) is not None}
    if told and told != {found[0].seq}:
        return f"acknowledged as {sorted(told)}, and stands at {found[0].seq}"
    return written.why_unlike(found)


_SEQS = ("first_seq", "park_seq", "seq", "resumed_seq", "cancel_seq")


def _wrote_nothing(written: Written) -> bool:
    """A key that has its child already, a cancel of what was pending or asked before: acknowledged, nothing written."""
    return written.method in ("start_child", "attach", "cancel", "start") and any(
        answer.get("created") is False or written.method == "cancel" for answer in written.answers
    )


def _lost_mail(book: Book) -> Findings:
    inboxes: dict[str, list[Mail]] = defaultdict(list)
    for head in book.heads.values():
        for mail in book.tables.inbox[head.head]:
            inboxes[mail.message_id].append(mail)
    for operation in book.operations:
        if operation.method == "send" and operation.end == "ok":
            there = inboxes[operation.call["message_id"]]
            if not any(mail.payload.parsed() == operation.call.get("payload") for mail in there):
                yield operation.call["execution_id"], f"message {operation.call['message_id']} was taken and is gone"


def _refused(book: Book) -> Findings:
    for written in book.written:
        found = book.found(written)
        if written.end == "fail" and found and not book.is_anothers(written, found[0].fence):
            codes = sorted({one.said for one in written.tries})
            yield written.name, f"refused as {codes}, and in the log at {found[0].seq}"


def _whole(book: Book) -> Findings:
    for written in book.written:
        found = book.found(written)
        if written.end == "unknown" and found and (said := written.why_unlike(found)):
            yield written.name, f"nobody knew whether it was done, and it was in part: {said}"


def _once(book: Book) -> Findings:
    for head in book.heads.values():
        log = book.log(head)
        said = Counter((event.kind, event.payload) for event in log if event.kind not in _BY_OTHERS)
        for (kind, payload), times in said.items():
            if times > 1 and kind != "EXECUTION_SUSPENDED":
                yield book.named(head), f"{kind} {payload[:80]} is in the log {times} times"


def _explained(book: Book) -> Findings:
    """Who wrote it? Each event that only an owner writes belongs to a call that somebody wrote down."""
    known: set[tuple[int, int]] = set()
    for written in book.written:
        for event in book.found(written)[: max(1, len(written.events))]:
            known.add((written.incarnation or 0, event.seq))
    for incarnation, head in book.heads.items():
        for event in book.log(head):
            if event.kind not in _BY_OTHERS and (incarnation, event.seq) not in known and not _is_block(event):
                yield book.named(head), f"nobody wrote the {event.kind} at {event.seq}"


def _is_block(event: Event) -> bool:
    """The store's own park, after too many claims from which nothing came back."""
    unkeyed = event.kind == "EXECUTION_SUSPENDED" and event.batch_id is None
    return unkeyed and any("operator" in wait for wait in event.payload.parsed()["waits"])


# --- 2: real time -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Placed:
    """One event that clients wrote: when it was first called for, and when it was first acknowledged."""

    names: list[str]
    invoked_at: int
    acknowledged_at: float


def _in_real_time(book: Book) -> Findings:
    """If X was acknowledged before Y was called for, X stands before Y."""
    for incarnation, placed in _placed(book).items():
        later: tuple[int, _Placed] | None = None  # of those behind, the one that was acknowledged first
        for seq, one in sorted(placed.items(), reverse=True):
            if later is not None and later[1].acknowledged_at < one.invoked_at:
                where = book.named(book.heads[incarnation])
                yield where, f"{one.names[0]} stands at {seq}, before {later[1].names[0]} at {later[0]}, done earlier"
            if later is None or one.acknowledged_at < later[1].acknowledged_at:
                later = (seq, one)


def _placed(book: Book) -> dict[int, dict[int, _Placed]]:
    """By incarnation and sequence. What several grants called for under one key was written once."""
    found: dict[int, dict[int, _Placed]] = defaultdict(dict)
    for written in book.written:
        log = book.found(written)
        if not log or written.end == "fail":
            continue
        at = written.acknowledged_at
        acknowledged_at = float("inf") if at is None else at
        one = found[written.incarnation or 0].setdefault(log[0].seq, _Placed([], written.invoked_at, acknowledged_at))
        one.names.append(written.name)
        one.invoked_at = min(one.invoked_at, written.invoked_at)
        one.acknowledged_at = min(one.acknowledged_at, acknowledged_at)
    return found


# --- 3, 4: tokens -----------------------------------------------------------------------------------------------------


def _granted(book: Book) -> Findings:
    """Tokens do not decrease, and each new one was granted, or came with an event that bumps."""
    for head in book.heads.values():
        tokens = Counter(grant.token for grant in book.tables.grants[head.head])
        for token, times in tokens.items():
            if times > 1:
                yield book.named(head), f"{token.shown} was granted {times} times"
        for before, event in pairwise(book.log(head)):
            if event.fence < before.fence:
                yield book.named(head), f"the token fell from {before.fence.shown} to {event.fence.shown}"
            elif event.fence != before.fence and event.fence not in tokens and event.kind not in _BUMPING:
                yield book.named(head), f"nobody was given {event.fence.shown}, under which {event.kind} was written"


def _owned(book: Book) -> Findings:
    """What an owner wrote stands under the token that it presented."""
    for written in book.written:
        found = book.found(written)
        if written.token is None or not found or written.end == "fail" or written.method == "resume":
            continue
        if found[0].fence != written.token and not book.is_anothers(written, found[0].fence):
            presented, stored = written.token, int(found[0].fence)
            yield written.name, f"presented {presented & 0xFFFFFFFF} and was let write under {stored & 0xFFFFFFFF}"


def _folded(book: Book) -> Findings:
    """The serial history replays to the final row."""
    for head in book.heads.values():
        drifted = why_drifted(head, fold(book.log(head)))
        if drifted:
            yield book.named(head), drifted


# --- 5: parks ---------------------------------------------------------------------------------------------------------


def _answered(book: Book) -> Findings:
    """One answer per park, by a token greater than the park's; in single-writer mode it is the same."""
    for head in book.heads.values():
        log = book.log(head)
        parks = {event.seq: event for event in log if event.kind == "EXECUTION_SUSPENDED"}
        answers = Counter(event.answers_park for event in log if event.answers_park is not None)
        for event in log:
            if event.answers_park is None:
                continue
            park = parks.get(event.answers_park)
            if park is None:
                yield book.named(head), f"{event.seq} answers {event.answers_park}, which is no park"
            elif event.fence < park.fence or (event.fence == park.fence and not _is_single(book, head, park.fence)):
                yield book.named(head), f"the park at {park.seq} was answered under its own token, {event.fence.shown}"
        for seq, times in answers.items():
            if times > 1:
                yield book.named(head), f"the park at {seq} was answered {times} times"


def _is_single(book: Book, head: Head, fence: int) -> bool:
    return all(grant.token > fence for grant in book.tables.grants[head.head])


# --- 6: leases --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Lease:
    """What a grant was promised: from an instant of the store on, until another."""

    since: int
    until: int


Leases = dict[tuple[int, int], list[_Lease]]
"""What each grant was promised, by incarnation and token, in the order in which the store promised it."""


def _leased(book: Book) -> Findings:
    """No lease overlaps the next grant's, and nothing is accepted after its end, on the store's clock."""
    leases = _leases(book)
    yield from _overlapping(book, leases)
    yield from _overdue(book, leases)


def _overlapping(book: Book, leases: Leases) -> Findings:
    for head in book.heads.values():
        for before, after in pairwise(sorted(book.tables.grants[head.head], key=lambda grant: grant.token)):
            key = (int(head.incarnation), int(before.token))
            promised = _promised_at_last(leases.get(key, []), book.grants.get(key, []))
            is_next = after.token == before.token + 1 and after.rule == "claim"
            if is_next and promised is not None and after.at < promised:
                early = promised - after.at
                yield book.named(head), f"{after.token.shown} was granted {early} ms before the lease before it ended"


def _overdue(book: Book, leases: Leases) -> Findings:
    """A renewal of which nobody knows may have made any lease longer: then nothing can be said."""
    for written in book.written:
        found = book.found(written)
        key = (written.incarnation or 0, written.token or 0)
        is_owners = written.token is not None and found and written.end != "fail" and found[0].fence == written.token
        if not is_owners or _has_unknown(book.grants.get(key, []), "renew"):
            continue
        at = found[0].recorded_at
        held = [lease for lease in leases.get(key, []) if lease.since <= at]
        if held and at > held[-1].until + LOCK_WAIT_MS:
            yield written.name, f"accepted {at - held[-1].until} ms after its lease had ended"


def _leases(book: Book) -> Leases:
    """What was promised to each grant, by the claim and by every renewal that was acknowledged, in order."""
    found: dict[tuple[int, int], list[_Lease]] = defaultdict(list)
    for _, claimed in book.claims:
        own = claimed["credential"]
        found[int(own["incarnation"]), int(own["token"])].append(_lease_in(claimed))
    for key, operations in book.grants.items():
        found[key] += [_lease_in(one.answer) for one in operations if one.method == "renew" and one.end == "ok"]
    return {key: sorted(leases, key=lambda lease: (lease.since, lease.until)) for key, leases in found.items()}


def _lease_in(answer: dict[str, Any]) -> _Lease:
    return _Lease(answer["lease_until"] - answer["ttl_ms"], answer["lease_until"])


def _promised_at_last(leases: list[_Lease], operations: list[Operation]) -> int | None:
    """Until when nobody else may be granted; None if it was given back, or nobody heard what it was.

    A renewal of which nobody knows may have made it shorter than the last one that was heard of.
    """
    if not leases or any(one.method in ("release", "evict") and one.end != "fail" for one in operations):
        return None
    unknown = [one.call["ttl_ms"] for one in operations if one.method == "renew" and one.end == "unknown"]
    return min([leases[-1].until, *(leases[-1].since + ttl_ms for ttl_ms in unknown)])


def _has_unknown(operations: list[Operation], method: str) -> bool:
    return any(one.method == method and one.end == "unknown" for one in operations)


# --- 7: counts --------------------------------------------------------------------------------------------------------


def _counted(book: Book) -> Findings:
    """A child per parent and key, a delivery per message, a start per key of a start."""
    children: dict[tuple[int, str], set[int]] = defaultdict(set)
    for head in book.heads.values():
        if head.parent_incarnation is not None:
            children[int(head.parent_incarnation), head.parent_key or ""].add(int(head.chain))
    for (parent, key), chains in children.items():
        if len(chains) > 1:
            yield book.named(book.heads[parent]), f"its child {key} was started {len(chains)} times"
    for head in book.heads.values():
        delivered = Counter(
            event.payload.parsed()["message_id"] for event in book.log(head) if event.kind == "MESSAGE_CONSUMED"
        )
        for message_id, times in delivered.items():
            if times > 1:
                yield book.named(head), f"message {message_id} was delivered {times} times"


# --- 8: the tables alone ----------------------------------------------------------------------------------------------


def _audited(book: Book) -> Iterator[str]:
    """What the invariants of the schedules say; looked at last, since they say again what the others say better."""
    said = why_broken(Tables(), book.tables)
    if said is not None:
        yield said


def _head_of(book: Book, credential: dict[str, Any]) -> Head | None:
    return book.heads.get(int(credential["incarnation"]))


CHECKS: dict[str, Callable[[Book], Findings]] = {
    "gapless": _gapless,
    "acknowledged": _acknowledged,
    "refused": _refused,
    "whole": _whole,
    "once": _once,
    "explained": _explained,
    "real time": _in_real_time,
    "granted": _granted,
    "owned": _owned,
    "folded": _folded,
    "answered": _answered,
    "leased": _leased,
    "counted": _counted,
}
"""By name, in the order of hazards 5.3."""
