"""What may be asked of retention over REST."""

from __future__ import annotations

from loom.ids import ExecutionId, Namespace, answer, noun
from loom.wire.paths import Path
from loom_retention.archive import Manifest
from loom_retention.policy import Keep
from loom_retention.reports import Report


@noun
class ReadPolicies:
    pass


@noun
class WritePolicy:
    """A namespace's own policy, in place of the default."""

    namespace: Namespace
    keep: Keep


@noun
class RemovePolicy:
    """The default holds again."""

    namespace: Namespace


@answer
class PolicyTable:
    """`default` holds where no namespace has its own."""

    default: Keep
    namespaces: dict[str, Keep]


@noun
class SweepNow:
    """A dry run says what would go and why, and removes nothing."""

    dry_run: bool = True


@noun
class ReadSweeps:
    """The newest ones."""

    limit: int = 20


@answer
class Reports:
    items: tuple[Report, ...]


@noun
class ReadArchives:
    namespace: Namespace
    execution_id: ExecutionId


@answer
class Manifests:
    """Of every incarnation, newest first."""

    items: tuple[Manifest, ...]


_POLICY = "/v1/policies/{namespace}"
_ARCHIVES = "/v1/namespaces/{namespace}/executions/{execution_id}/archives"

READ_POLICIES = Path("read_policies", "GET", "/v1/policies", ReadPolicies, PolicyTable, "How long each ending is kept")
WRITE_POLICY = Path("write_policy", "PUT", _POLICY, WritePolicy, PolicyTable, "Set a namespace's policy")
REMOVE_POLICY = Path("remove_policy", "DELETE", _POLICY, RemovePolicy, PolicyTable, "Let the default hold again")
READ_SWEEPS = Path("read_sweeps", "GET", "/v1/sweeps", ReadSweeps, Reports, "The newest sweeps and what they did")
SWEEP = Path("sweep", "POST", "/v1/sweeps", SweepNow, Report, "Sweep now, dry unless told otherwise")
READ_ARCHIVES = Path("read_archives", "GET", _ARCHIVES, ReadArchives, Manifests, "What is archived of an execution")

PATHS = (READ_POLICIES, WRITE_POLICY, REMOVE_POLICY, READ_SWEEPS, SWEEP, READ_ARCHIVES)
