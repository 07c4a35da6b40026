"""A service address: it stays the same while the server behind it changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

CHUNK = 1 << 16


class Address:
    """Passes connections on to whatever port it leads to now."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Future[None]] = set()
        self.port = 0

    def lead_to(self, target: int) -> None:
        """From now on to this port; what is open is cut, as by a fail-over."""
        self._target = target
        for writer in self._open:
            writer.transport.abort()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A client has come."""
        serving = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)

    async def close(self) -> None:
        """Cut everybody."""
        self.lead_to(0)
        await asyncio.gather(*self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            back, forth = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        pair = {writer, forth}
        self._open |= pair
        await asyncio.gather(_pump(reader, forth), _pump(back, writer))
        self._open -= pair


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    writer.close()


@asynccontextmanager
async def address_of(target: int) -> AsyncIterator[Address]:
    """An address on loopback, for as long as the block lasts."""
    address = Address(target)
    server = await asyncio.start_server(address.accept, "127.0.0.1", 0)
    address.port = server.sockets[0].getsockname()[1]
    try:
        yield address
    finally:
        server.close()
        await address.close()
