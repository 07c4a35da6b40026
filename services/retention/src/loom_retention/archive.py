"""A folder of archived logs: JSON lines under zstd, and a manifest that says what is in them.

Payloads stand in the lines as strings that hold their text, so that every line is one line and every byte comes back;
nothing here parses one (I47).
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import zstandard

from loom.ids import Incarnation, Instant, answer
from loom.ids import Sequence as Seq
from loom.kernel.calls import ReadChildren, ReadEvents, ReadInbox
from loom.kernel.events import Event
from loom.kernel.heads import Head, Mail
from loom.kernel.parks import Edge
from loom.kernel.raw_json import RawJson, encode
from loom.stores.event_store import EventStore

FORMAT = 1
PAGE = 500

Row = Head | Event | Edge | Mail


class Incomplete(Exception):
    """The store did not give everything; the log is kept."""


@answer
class Manifest:
    """What an archived log holds. `sha256` is of the compressed file, which is named relative to the folder."""

    format: int
    namespace: str
    execution_id: str
    incarnation: Incarnation
    ending: str
    last_seq: Seq
    events: int
    edges: int
    messages: int
    bytes: int
    sha256: str
    archived_at: Instant
    file: str


class FolderArchive:
    """Files are named by incarnation, which no two executions share, and appear whole or not at all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def write(self, store: EventStore, head: Head, now: Instant) -> Manifest:
        """Archive an ended execution up to its `last_seq`; written again, it replaces the earlier file.

        Raises Incomplete if rows are missing, and whatever reading them raises; nothing is left behind then.
        """
        packing = _Packing(self._folder / f"{head.incarnation % 100:02}" / f"{head.incarnation}.jsonl.zst")
        try:
            async for rows in read_rows(store, head):
                await asyncio.to_thread(packing.add, rows)
            _check_whole(packing.counts, head)
            return await asyncio.to_thread(self._finish, packing, head, now)
        finally:
            packing.abandon()

    def _finish(self, packing: _Packing, head: Head, now: Instant) -> Manifest:
        packing.close()
        manifest = Manifest(
            format=FORMAT,
            namespace=head.namespace,
            execution_id=head.execution_id,
            incarnation=head.incarnation,
            ending=str(head.ending),
            last_seq=head.last_seq,
            events=packing.counts["event"],
            edges=packing.counts["edge"],
            messages=packing.counts["message"],
            bytes=packing.bytes,
            sha256=packing.sha256,
            archived_at=now,
            file=str(packing.path.relative_to(self._folder)),
        )
        packing.publish(manifest)
        return manifest


def read_archived(folder: Path, manifest: Manifest) -> Iterator[str]:
    """The lines of an archived log. Raises ValueError if the file is not the one that was written."""
    with (folder / manifest.file).open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != manifest.sha256:
            raise ValueError(f"{manifest.file} is not what was archived: its digest differs")
        file.seek(0)
        with zstandard.ZstdDecompressor().stream_reader(file) as plain:
            yield from io.TextIOWrapper(plain, encoding="utf-8", newline="\n")


async def read_rows(store: EventStore, head: Head) -> AsyncIterator[Sequence[Row]]:
    """The head, every event, every edge, every unread message; in pages."""
    seen: dict[str, Any] = {
        "namespace": head.namespace,
        "execution_id": head.execution_id,
        "incarnation": head.incarnation,
    }
    yield (head,)
    async for events in _read_events(store, seen):
        yield events
    async for edges in _read_edges(store, seen):
        yield edges
    async for messages in _read_messages(store, seen):
        yield messages


async def _read_events(store: EventStore, seen: dict[str, Any]) -> AsyncIterator[tuple[Event, ...]]:
    events: tuple[Event, ...] = (await store.read_events(ReadEvents(**seen, limit=PAGE))).events
    while events:
        yield events
        after = Seq(events[-1].seq + 1)
        events = (await store.read_events(ReadEvents(**seen, from_seq=after, limit=PAGE))).events


async def _read_edges(store: EventStore, seen: dict[str, Any]) -> AsyncIterator[tuple[Edge, ...]]:
    edges: tuple[Edge, ...] = (await store.read_children(ReadChildren(**seen, limit=PAGE))).items
    while edges:
        yield edges
        edges = (await store.read_children(ReadChildren(**seen, after=edges[-1].child_key, limit=PAGE))).items


async def _read_messages(store: EventStore, seen: dict[str, Any]) -> AsyncIterator[tuple[Mail, ...]]:
    messages: tuple[Mail, ...] = (await store.read_inbox(ReadInbox(**seen, limit=PAGE))).items
    while messages:
        yield messages
        messages = (await store.read_inbox(ReadInbox(**seen, after=messages[-1].inbox_seq, limit=PAGE))).items


def _check_whole(counts: Counter[str], head: Head) -> None:
    if counts["event"] != head.last_seq:
        raise Incomplete(f"{head.execution_id} has {head.last_seq} events, {counts['event']} could be read")


class _Packing:
    """A compressed file in the making, beside its place until it is whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counts: Counter[str] = Counter()
        self.bytes = 0
        self._digest = hashlib.sha256()
        self._zstd = zstandard.ZstdCompressor().compressobj()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._unfinished = path.with_suffix(f".{os.getpid()}.part")
        self._file = self._unfinished.open("wb")

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def add(self, rows: Sequence[Row]) -> None:
        for row in rows:
            kind = _KINDS[type(row)]
            self.counts[kind] += 1
            self._put(self._zstd.compress(encode({kind: _shown(row)}).encode() + b"\n"))

    def close(self) -> None:
        self._put(self._zstd.flush())
        _flush(self._file)

    def publish(self, manifest: Manifest) -> None:
        """The log first, then the manifest: whoever finds a manifest finds its log."""
        os.replace(self._unfinished, self.path)
        beside = self.path.with_name(self.path.name.replace(".jsonl.zst", ".manifest.json"))
        unfinished = beside.with_suffix(f".{os.getpid()}.part")
        with unfinished.open("wb") as file:
            file.write(encode(manifest).encode() + b"\n")
            _flush(file)
        os.replace(unfinished, beside)

    def abandon(self) -> None:
        """Without effect once it is published."""
        self._file.close()
        self._unfinished.unlink(missing_ok=True)

    def _put(self, packed: bytes) -> None:
        self._digest.update(packed)
        self.bytes += len(packed)
        self._file.write(packed)


_KINDS: dict[type, str] = {Head: "head", Event: "event", Edge: "edge", Mail: "message"}


def _shown(row: Row) -> dict[str, Any]:
    """The row's members, with what is only carried as a string of its text."""
    members = {field.name: getattr(row, field.name) for field in fields(row) if not field.metadata.get("hidden")}
    return {name: str(value) if isinstance(value, RawJson) else value for name, value in members.items()}


def _flush(file: io.BufferedWriter) -> None:
    file.flush()
    os.fsync(file.fileno())
