"""Loom: plain async Python that outlives its process. What a workflow author types."""

from loom.client.executions import Client
from loom.errors import (
    ChildFailed,
    Detached,
    EventTimeout,
    ExecutionFailed,
    Fatal,
    NonDeterminism,
    NotReplaySafe,
    OwnershipLost,
    StepFailed,
)
from loom.worker.context import ChildHandle, Context
from loom.worker.registry import step, workflow
from loom.worker.retry import Retry
from loom.worker.runner import Worker, run_worker
from loom.worker.steps import step_ending

__all__ = [
    "ChildFailed",
    "ChildHandle",
    "Client",
    "Context",
    "Detached",
    "EventTimeout",
    "ExecutionFailed",
    "Fatal",
    "NonDeterminism",
    "NotReplaySafe",
    "OwnershipLost",
    "Retry",
    "StepFailed",
    "Worker",
    "run_worker",
    "step",
    "step_ending",
    "workflow",
]
