"""A store that writes down what was acknowledged, so that afterwards somebody can look whether it is there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from loom.client.event_store import HttpEventStore
from loom.ids import ExecutionId, Incarnation
from loom.kernel import calls as c


class RecordingStore(HttpEventStore):
    """Appends a line per acknowledged write: execution, incarnation, sequence, kind."""

    def __init__(self, url: str, path: Path) -> None:
        super().__init__(url)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def start(self, call: c.Start) -> c.Started:
        started = await super().start(call)
        self._note(call.execution_id, started.execution.incarnation, 1, "EXECUTION_STARTED")
        return started

    async def start_child(self, call: c.StartChild) -> c.ChildStarted:
        started = await super().start_child(call)
        self._note(started.child.execution_id, started.child.incarnation, 1, "EXECUTION_STARTED")
        if started.seq is not None and call.credential is not None:
            self._note(call.execution_id, call.credential.incarnation, started.seq, "CHILD_STARTED")
        return started

    async def append(self, call: c.Append) -> c.Appended:
        appended = await super().append(call)
        if call.credential is not None:
            for seq, event in enumerate(call.events, appended.first_seq):
                self._note(call.execution_id, call.credential.incarnation, seq, event.kind)
        return appended

    async def park(self, call: c.Park) -> c.Parked:
        parked = await super().park(call)
        if call.credential is not None:
            self._note(call.execution_id, call.credential.incarnation, parked.park_seq, "EXECUTION_SUSPENDED")
        return parked

    def _note(self, execution_id: ExecutionId, incarnation: Incarnation, seq: int, kind: str) -> None:
        line = {"execution_id": execution_id, "incarnation": str(int(incarnation)), "seq": seq, "kind": kind}
        os.write(self._file, (json.dumps(line) + "\n").encode())


def read_acknowledged(paths: list[Path]) -> list[dict[str, Any]]:
    """Every line of every client; a process that was killed may have left half a line, which acknowledged nothing."""
    lines: list[dict[str, Any]] = []
    for path in paths:
        for text in path.read_text().splitlines(keepends=True):
            if text.endswith("\n"):
                lines.append(json.loads(text))
    return lines
