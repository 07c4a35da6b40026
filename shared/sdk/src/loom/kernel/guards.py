"""The guard: who may write, judged on the head alone, by equality (laws 1 and 2)."""

from __future__ import annotations

from typing import NoReturn

from loom.errors import CredentialRequired, Deleted, ForeignCredential, Gone, Invalid, LostHistory, NotFound, Stale
from loom.ids import ANY, Chain, Credential, ExecutionId, Namespace, SeenChain, SeenIncarnation
from loom.kernel import calls as c
from loom.kernel.change import Moment
from loom.kernel.digests import grant_hash
from loom.kernel.heads import Head, Status
from loom.kernel.legality import Writer

SURFACE_OF: dict[type, str] = {
    c.Append: "events",
    c.AppendBatch: "events-batch",
    c.Park: "park",
    c.StartChild: "children",
    c.Attach: "attach",
    c.ContinueAsNew: "continue",
    c.Send: "messages",
    c.Renew: "renew",
    c.Release: "release",
    c.Resume: "answer",
    c.Delete: "delete",
}


def check_own(credential: Credential | None, namespace: Namespace, execution_id: ExecutionId) -> None:
    """A credential of another (namespace, id) guards nothing; looked at before anything else (I22)."""
    if credential and (credential.namespace, credential.execution_id) != (namespace, execution_id):
        raise ForeignCredential(
            f"the credential is of {credential.namespace}/{credential.execution_id}, the call addresses {execution_id}",
            execution_id=execution_id,
        )


def judge(head: Head | None, credential: Credential, moment: Moment) -> Writer:
    """Which writer the credential makes: incarnation, token and grant equal the head's, its epoch and lease live.

    Raises LostHistory for a token greater than the stored one of the same incarnation, else Stale; NotFound.
    """
    head = named(head, credential.execution_id)
    if not is_of_incarnation(head, credential):
        _stale(head, credential, "another incarnation lives under this id")
    if is_lost_history(head, credential):
        raise LostHistory(
            f"token {credential.token.shown} presented, {head.token.shown} is stored",
            current_token=str(int(head.token)),
            execution_id=head.execution_id,
        )
    if is_old_epoch(credential, moment):
        _stale(head, credential, f"token {credential.token.shown} is of an older epoch than {moment.epoch}")
    if not is_of_token(head, credential):
        _stale(head, credential, f"token {credential.token.shown} presented, {head.token.shown} is current")
    if not is_of_grant(head, credential):
        _stale(head, credential, f"the grant of token {head.token.shown} is another, or released")
    if not is_lease_live(head, moment):
        _stale(head, credential, f"the lease of token {head.token.shown} has expired: claim again")
    return writer_of(head)


def is_of_incarnation(head: Head, credential: Credential) -> bool:
    """A re-created id is another execution (I48)."""
    return head.incarnation == credential.incarnation


def is_lost_history(head: Head, credential: Credential) -> bool:
    """A greater token is not newer: the store has forgotten (H9, H23)."""
    return credential.token > head.token


def is_old_epoch(credential: Credential, moment: Moment) -> bool:
    """What was granted before a restore or a fail-over is dead."""
    return credential.token < moment.epoch << 32


def is_of_token(head: Head, credential: Credential) -> bool:
    """Equality: neither a smaller token passes nor a greater one."""
    return credential.token == head.token


def is_of_grant(head: Head, credential: Credential) -> bool:
    """One token, one grant (I20): the nonce tells two apart that lost history gave the same number."""
    return head.grant_hash is not None and head.grant_hash == grant_hash(credential.nonce)


def is_lease_live(head: Head, moment: Moment) -> bool:
    """At equality dead; dead even before anybody took over (I25)."""
    return head.lease_until is not None and head.lease_until > moment.now


def writer_of(head: Head) -> Writer:
    """While parked, `owner` tells the parker (null) from an acquirer."""
    if head.status is Status.PARKED:
        return Writer.PARKER if head.owner is None else Writer.ACQUIRER
    return Writer.OWNER


def _stale(head: Head, credential: Credential, why: str) -> NoReturn:
    raise Stale(why, current_token=str(int(head.token)), execution_id=head.execution_id)


def judge_writer(
    head: Head | None, credential: Credential | None, incarnation: SeenIncarnation | None, moment: Moment
) -> Writer:
    """The writer of a call that presents a credential, or none in single-writer mode. Raises CredentialRequired."""
    if credential:
        return judge(head, credential, moment)
    if incarnation is None:
        raise Invalid("present a credential, or name the incarnation seen (`*`: whatever lives there now)")
    head = living(head, incarnation)
    if not head.single_writer:
        raise CredentialRequired(
            f"{head.execution_id} is written by its owner only: claim it first", execution_id=head.execution_id
        )
    return Writer.SINGLE


def living(head: Head | None, seen: SeenIncarnation, *, of: str = "") -> Head:
    """The head that a call without a credential saw. Raises NotFound, Deleted, Gone."""
    head = existing(head, of)
    if not is_seen(head, seen):
        raise Gone(
            f"incarnation {head.incarnation} lives under {head.execution_id}",
            execution_id=head.execution_id,
            incarnation=str(int(head.incarnation)),
        )
    return head


def is_seen(head: Head, seen: SeenIncarnation) -> bool:
    """Is it the incarnation that the caller saw?"""
    return seen == ANY or seen == head.incarnation


def of_chain(head: Head | None, chain: SeenChain, *, of: str = "") -> Head:
    """The newest link of the chain that a call addresses. Raises NotFound, Deleted, Gone."""
    head = existing(head, of)
    if not is_of_chain(head, chain):
        raise Gone(
            f"chain {head.chain} lives under {head.execution_id}",
            execution_id=head.execution_id,
            chain=str(int(head.chain)),
        )
    return head


def is_of_chain(head: Head, chain: Chain | str) -> bool:
    """Is it the newest link of the chain that the caller means?"""
    return chain == ANY or chain == head.chain


def existing(head: Head | None, of: str = "") -> Head:
    """The head, unless there is none or only a tombstone."""
    head = named(head, of)
    if head.status is Status.DELETED:
        raise Deleted(
            f"{head.execution_id} was deleted after it {head.ending}",
            execution_id=head.execution_id,
            ending=None if head.ending is None else str(head.ending),
        )
    return head


def named(head: Head | None, of: str = "") -> Head:
    """The head, be it a tombstone. Raises NotFound."""
    if head is None:
        raise NotFound(f"no execution {of}".rstrip(), execution_id=of or None)
    return head
