"""Resume for engines with an append of their own: acquire the open park, then answer it under that grant."""

from __future__ import annotations

import secrets
from uuid import uuid4

from loom.errors import IllegalTransition, LoomError, NotParked, ResumeContended, Stale
from loom.ids import ExecutionRef, Nonce, Sequence, Token
from loom.kernel import calls as c
from loom.kernel.parks import Answer, MessageWait, answer_from_children, children_of
from loom.stores.event_store import EventStore

ATTEMPTS = 3
LEASE_MS = 10_000
OWNER = "resume-under-fence"


async def resume_under_fence(
    store: EventStore, execution: ExecutionRef, park_seq: Sequence, answers: Answer | None
) -> c.Resumed:
    """Answer the park at `park_seq` of this incarnation; `answers` None re-opens it.

    What can refuse without appending is judged first, the acquire comes last. After `stale` the park is read again,
    then another try is made with the token that the store returned, three in all: a moved token alone never says that
    the park is answered, and an open park never yields a final refusal (I12, I13).

    Raises NotParked, IllegalTransition, NotYet, ExecutionGone, and ResumeContended with its `attempts`; after none of
    them is anything appended, or an owner left behind.
    """
    token = await _judge(store, execution, park_seq, answers)
    for _ in range(ATTEMPTS):
        try:
            return await _acquire_and_answer(store, execution, park_seq, token, answers)
        except Stale as stale:
            now = await _judge(store, execution, park_seq, answers)
            token = now if stale.current_token is None else Token(stale.current_token)
    raise ResumeContended(
        f"others acquired the park at {park_seq} of {execution.execution_id} each time",
        execution_id=execution.execution_id,
        attempts=ATTEMPTS,
    )


async def _judge(store: EventStore, execution: ExecutionRef, park_seq: Sequence, answers: Answer | None) -> Token:
    """The token of the park, if it is open and `answers` may answer it as far as can be seen from here.

    Whether a timer is due is judged by the store alone, which has the clock.
    """
    park = await store.read_park(
        c.ReadPark(
            namespace=execution.namespace, execution_id=execution.execution_id, incarnation=execution.incarnation
        )
    )
    if park.unknown_tail:
        raise ResumeContended(
            f"{execution.execution_id} was answered by a newer server's event",
            execution_id=execution.execution_id,
            attempts=0,
        )
    if park.park_seq != park_seq:
        raise NotParked(
            f"{execution.execution_id} is not parked at {park_seq}",
            execution_id=execution.execution_id,
            state=str(park.status),
            park_seq=park.park_seq,
        )
    reason = None if answers is None else why_unanswerable(park, answers)
    if reason:
        raise IllegalTransition(reason, execution_id=execution.execution_id)
    return park.token


def why_unanswerable(park: c.OpenPark, answers: Answer) -> str | None:
    """Why the open park cannot be answered so, seen from its waits and edges; None if the store may be asked."""
    wait = next((wait for wait in park.waits if wait.id == answers.wait), None)
    if wait is None:
        return f"the park at {park.park_seq} has no wait {answers.wait}"
    if isinstance(wait, MessageWait):
        return f"the wait {wait.id} is for a message: send one"
    if not children_of(wait):
        return f"the wait {wait.id} is not for children" if answers.keys else None
    possible = answer_from_children(wait, {edge.child_key: edge for edge in park.edges})
    if possible is None or not set(answers.keys) <= set(possible.keys):
        return f"the children that the wait {wait.id} needs have not ended"
    if possible.keys and not answers.keys:
        return f"the answer to the wait {wait.id} names no child"
    return None


async def _acquire_and_answer(
    store: EventStore, execution: ExecutionRef, park_seq: Sequence, token: Token, answers: Answer | None
) -> c.Resumed:
    acquired = await store.acquire_if_parked(
        c.AcquireIfParked(
            namespace=execution.namespace,
            execution_id=execution.execution_id,
            incarnation=execution.incarnation,
            park_seq=park_seq,
            token=token,
            nonce=Nonce(secrets.token_hex(16)),
            owner=OWNER,
            ttl_ms=LEASE_MS,
        )
    )
    try:
        return await store.resume(
            c.Resume(
                namespace=execution.namespace,
                execution_id=execution.execution_id,
                incarnation=execution.incarnation,
                park_seq=park_seq,
                wait=answers.wait if answers else None,
                keys=answers.keys if answers else (),
                credential=acquired.credential,
                batch_id=uuid4().hex,
            )
        )
    except Stale:
        raise
    except LoomError:
        await _give_back(store, acquired)
        raise


async def _give_back(store: EventStore, acquired: c.Claimed) -> None:
    """Leave no owner on a park that could not be answered; if that fails too, the lease ends by itself."""
    of = acquired.credential
    try:
        await store.release(c.Release(namespace=of.namespace, execution_id=of.execution_id, credential=of))
    except LoomError:
        return
