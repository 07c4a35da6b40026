"""Every decision of the store: pure, on a view taken under the call's locks, at one moment.

Memory and SQLite are this function over rows; Postgres uses it for what is not hot; the kit holds all bodies equal.
"""

from __future__ import annotations

from typing import Any

from loom.errors import LoomError, Superseded
from loom.ids import Credential
from loom.kernel import calls as c
from loom.kernel.change import Change, Moment, Refusal, View
from loom.kernel.decisions import (
    appending,
    continuing,
    ending,
    fleet,
    keeping,
    messaging,
    owning,
    parking,
    resuming,
    starting,
)
from loom.kernel.decisions.draft import Decision
from loom.kernel.guards import SURFACE_OF

DECISIONS: dict[type, Decision] = {
    c.Start: starting.start,
    c.StartChild: starting.start_child,
    c.Attach: starting.attach,
    c.ContinueAsNew: continuing.continue_as_new,
    c.Append: appending.append,
    c.AppendBatch: appending.append_batch,
    c.AppendIfUnchanged: appending.append_if_unchanged,
    c.Claim: owning.claim,
    c.Renew: owning.renew,
    c.Release: owning.release,
    c.Evict: owning.evict,
    c.Park: parking.park,
    c.Resume: resuming.resume,
    c.AcquireIfParked: resuming.acquire_if_parked,
    c.Send: messaging.send,
    c.Cancel: ending.cancel,
    c.Terminate: ending.terminate,
    c.Fail: ending.fail,
    c.Delete: ending.delete,
    c.SetPin: keeping.set_pin,
    c.RemovePin: keeping.remove_pin,
    c.MarkArchived: keeping.mark_archived,
    c.TakeDuty: keeping.take_duty,
    c.GiveUpDuty: keeping.give_up_duty,
    c.Heartbeat: fleet.heartbeat,
    c.SwitchFeature: fleet.switch_feature,
}


def decide(view: View, call: c.WriteCall, moment: Moment) -> Change | Refusal:
    """The rows to write and the answer, or a refusal that changes nothing."""
    try:
        return DECISIONS[type(call)](view, call, moment)
    except LoomError as error:
        return _refusal(view, call, error)


def _refusal(view: View, call: Any, error: LoomError) -> Refusal:
    surface = SURFACE_OF.get(type(call), "")
    credential = _presented(call, error)
    head = view.head_named(credential.namespace, credential.execution_id) if credential else None
    if credential is None or head is None or not isinstance(error, Superseded):
        return Refusal(error, surface)
    return Refusal(error, surface, head=head.head, presented=credential.token, current=head.token)


def _presented(call: Any, error: LoomError) -> Credential | None:
    if isinstance(call, c.AppendBatch):
        refused = error.facts.get("execution_id")
        return next((item.credential for item in call.items if item.execution_id == refused), None)
    return getattr(call, "credential", None) or getattr(call, "sender", None)
