"""The one path table: each call of the port, its method, path, answer. The server mounts it, the client walks it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from string import Formatter
from typing import Any

from loom.kernel import calls as c
from loom.kernel.heads import Duty, Head

_E = "/v1/namespaces/{namespace}/executions/{execution_id}"


@dataclass(frozen=True, slots=True)
class Path:
    """One call of the port over HTTP.

    Members of `template` come from the path, `batch_id` is the header Idempotency-Key; the rest is the JSON body, or
    the query of a GET or DELETE (a DELETE's `credential` is its body). `long_poll`: a service may hold the answer back.
    """

    port: str  # the method of EventStore
    method: str
    template: str
    call: type[Any]
    answer: type[Any]
    summary: str
    status: int = 200
    long_poll: bool = False

    @property
    def in_path(self) -> frozenset[str]:
        return frozenset(name for _, name, _, _ in Formatter().parse(self.template) if name)

    @property
    def has_key(self) -> bool:
        return any(field.name == "batch_id" for field in fields(self.call))

    @property
    def has_body(self) -> bool:
        return self.method in ("POST", "PUT")


PATHS: tuple[Path, ...] = (
    Path("start", "POST", "/v1/namespaces/{namespace}/executions", c.Start, c.Started, "Start an execution", 201),
    Path("list_executions", "GET", "/v1/namespaces/{namespace}/executions", c.ListExecutions, c.Executions, "List"),
    Path(
        "count_executions", "GET", "/v1/namespaces/{namespace}/counts", c.CountExecutions, c.Counts, "Count by status"
    ),
    Path("list_namespaces", "GET", "/v1/namespaces", c.ListNamespaces, c.Namespaces, "List namespaces"),
    Path("read_head", "GET", _E, c.ReadHead, Head, "Read the head"),
    Path("delete", "DELETE", _E, c.Delete, c.Erased, "Delete what is ended and unpinned"),
    Path("append", "POST", _E + "/events", c.Append, c.Appended, "Append events", 201),
    Path("read_events", "GET", _E + "/events", c.ReadEvents, c.Log, "Read the log", long_poll=True),
    Path(
        "append_batch",
        "POST",
        "/v1/namespaces/{namespace}/events:batch",
        c.AppendBatch,
        c.BatchAppended,
        "Append to several",
        201,
    ),
    Path(
        "append_if_unchanged", "POST", _E + "/append-if-unchanged", c.AppendIfUnchanged, c.Noted, "The audit call", 201
    ),
    Path("park", "POST", _E + "/park", c.Park, c.Parked, "Park", 201),
    Path("read_park", "GET", _E + "/park", c.ReadPark, c.OpenPark, "Read the open park"),
    Path("resume", "POST", _E + "/resume", c.Resume, c.Resumed, "Answer a park"),
    Path(
        "acquire_if_parked",
        "POST",
        _E + "/acquire-if-parked",
        c.AcquireIfParked,
        c.Claimed,
        "Take an open park's token",
    ),
    Path("claim", "POST", _E + "/claim", c.Claim, c.Claimed, "Claim one execution"),
    Path(
        "claim_runnable",
        "POST",
        "/v1/namespaces/{namespace}/claims",
        c.ClaimRunnable,
        c.Claims,
        "Claim runnable executions",
        long_poll=True,
    ),
    Path("renew", "POST", _E + "/renew", c.Renew, c.Renewed, "Renew the lease"),
    Path("release", "POST", _E + "/release", c.Release, c.Released, "Give the lease back"),
    Path("evict", "POST", _E + "/evict", c.Evict, c.Released, "Take it from its owner, by an operator"),
    Path("send", "POST", _E + "/messages", c.Send, c.Sent, "Send a message", 201),
    Path("read_inbox", "GET", _E + "/inbox", c.ReadInbox, c.Inbox, "Read waiting messages"),
    Path("start_child", "POST", _E + "/children", c.StartChild, c.ChildStarted, "Start a child", 201),
    Path("attach", "POST", _E + "/attach", c.Attach, c.ChildStarted, "Adopt a living chain as a child", 201),
    Path("continue_as_new", "POST", _E + "/continue", c.ContinueAsNew, c.Continued, "Continue as new", 201),
    Path("read_children", "GET", _E + "/children", c.ReadChildren, c.Children, "List children"),
    Path("cancel", "POST", _E + "/cancel", c.Cancel, c.CancelRequested, "Request cancellation"),
    Path("terminate", "POST", _E + "/terminate", c.Terminate, c.Ended, "End at once"),
    Path("fail", "POST", _E + "/fail", c.Fail, c.Ended, "End as failed, by an operator"),
    Path("set_pin", "PUT", _E + "/pins/{owner}", c.SetPin, c.Pins, "Pin against deletion"),
    Path("remove_pin", "DELETE", _E + "/pins/{owner}", c.RemovePin, c.Pins, "Remove a pin"),
    Path("read_pins", "GET", _E + "/pins", c.ReadPins, c.Pins, "List pins"),
    Path("mark_archived", "POST", _E + "/archived", c.MarkArchived, c.Archived, "Record what is archived"),
    Path("read_why", "GET", _E + "/why", c.ReadWhy, c.Why, "Why it does not move"),
    Path("read_ownership", "GET", _E + "/ownership", c.ReadOwnership, c.Ownership, "The timeline of tokens"),
    Path("list_due", "GET", "/v1/parks", c.ListDue, c.DueList, "What sweeps must look at"),
    Path("take_duty", "POST", "/v1/duties/{name}", c.TakeDuty, Duty, "Take or prolong a duty"),
    Path("give_up_duty", "DELETE", "/v1/duties/{name}", c.GiveUpDuty, Duty, "Give a duty up"),
    Path("read_duty", "GET", "/v1/duties/{name}", c.ReadDuty, Duty, "Read a duty"),
    Path("heartbeat", "PUT", "/v1/fleet/{instance}", c.Heartbeat, c.Features, "Tell of a node, hear what is on"),
    Path("switch_feature", "PUT", "/v1/features/{name}", c.SwitchFeature, c.Features, "Turn a feature on or off"),
    Path("read_store", "GET", "/v1/features", c.ReadStore, c.StoreInfo, "Port version, epoch, features, limits, fleet"),
)

BY_CALL: dict[type[Any], Path] = {path.call: path for path in PATHS}
