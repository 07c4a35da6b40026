from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from loom.errors import Busy, LeaseHeld, NotFound, Stale, StoreUnavailable
from loom.ids import ExecutionId, Namespace, Nonce, Token
from loom.kernel import calls as c
from storm.history import Record, RecordingStore, end_of, read_histories

CLAIM = c.Claim(
    namespace=Namespace("n"),
    execution_id=ExecutionId("e"),
    incarnation="*",
    token=Token(0),
    nonce=Nonce("a secret of 128 bits and more"),
    owner="o",
    ttl_ms=1_000,
)


class Hanging:
    """Never answers, and says when it was reached."""

    async def claim(self, call: Any) -> None:
        print("reached", flush=True)  # noqa: T201 - what the other process waits for
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(RecordingStore(Hanging(), Record(Path(sys.argv[1]))).claim(CLAIM))


async def test_a_call_is_on_record_before_it_is_sent_and_outlives_its_client(tmp_path: Path) -> None:
    """Hazards 5.3: a client that is killed with SIGKILL while a call is under way leaves it behind, as unknown."""
    path = tmp_path / "client.jsonl"
    words = [sys.executable, "-m", "storm.test_history", str(path)]
    environ = {"PYTHONPATH": ":".join(sys.path)}
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE, env=environ)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"reached\n"
    process.send_signal(signal.SIGKILL)
    await process.wait()

    [operation] = read_histories([path])

    assert (operation.method, operation.end, operation.ended_at) == ("claim", "unknown", None)
    assert operation.call["execution_id"] == "e"


async def test_half_a_line_is_no_operation(tmp_path: Path) -> None:
    """A client killed while it wrote a line sent nothing, or never heard."""
    path = tmp_path / "client.jsonl"
    record = Record(path)
    record.ended(record.invoked("claim", CLAIM), "ok", answer=None)
    record.invoked("claim", CLAIM)
    record.close()
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b'"invoke"')])

    assert [operation.end for operation in read_histories([path])] == ["ok"]


async def test_no_nonce_is_written_down(tmp_path: Path) -> None:
    """Design 2: a nonce is in no log; its hash tells grants apart all the same."""
    record = Record(tmp_path / "client.jsonl")
    record.invoked("claim", CLAIM)
    record.close()

    text = (tmp_path / "client.jsonl").read_text()
    assert CLAIM.nonce not in text
    assert '"grant"' in text


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (Stale(), "fail"),
        (NotFound(), "fail"),
        (LeaseHeld(), "fail"),
        (Busy(), "unknown"),
        (StoreUnavailable(), "unknown"),
        (asyncio.CancelledError(), "unknown"),
        (OSError(), "unknown"),
    ],
    ids=lambda it: it if isinstance(it, str) else type(it).__name__,
)
def test_only_a_judgement_is_a_refusal(error: BaseException, end: str) -> None:
    """Design 3: whoever hears of contention or of an outage does not know what an earlier try of the call has done."""
    assert end_of(error) == end
