from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.types import Message, Receive, Scope, Send

from loom_servicekit import bodies
from loom_servicekit.bodies import BodyLimit

LIMIT = 1000
CHUNK = b"x" * 300


class Echo:
    """Answers with the length of the body it got."""

    def __init__(self) -> None:
        self.called = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read to the end, answer, and wait for the caller to hang up."""
        self.called += 1
        message = await receive()
        assert not message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(len(message["body"])).encode()})


class Sender:
    """The other end: sends chunks, hears the answer."""

    def __init__(self, chunks: int, announced: int | None = None, endless: bool = False) -> None:
        self.left = chunks
        self.endless = endless
        self.sent = 0
        self.heard: list[Message] = []
        self.sent_when_answered = 0
        self.headers = [] if announced is None else [(b"content-length", str(announced).encode())]

    async def receive(self) -> Message:
        """The next chunk."""
        if self.left == 0:
            await asyncio.Event().wait()
        self.left -= 1
        self.sent += len(CHUNK)
        return {"type": "http.request", "body": CHUNK, "more_body": self.endless or self.left > 0}

    async def send(self, message: Message) -> None:
        """What the server says."""
        if not self.heard:
            self.sent_when_answered = self.sent
        self.heard.append(message)

    async def speak_to(self, app: BodyLimit) -> int:
        """The status of the answer."""
        scope = {"type": "http", "path": "/", "headers": self.headers}
        await app(scope, self.receive, self.send)
        return int(self.heard[0]["status"])

    @property
    def answer(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.heard)


async def test_a_body_within_the_bound_arrives_in_one_piece() -> None:
    """What is behind reads once."""
    echo, sender = Echo(), Sender(3)

    assert await sender.speak_to(BodyLimit(echo, LIMIT)) == 200
    assert sender.answer == b"900"


async def test_a_longer_body_is_refused_before_it_is_read_to_the_end() -> None:
    """Design 9: 413 as soon as the bound is passed; nothing behind hears of it."""
    echo, sender = Echo(), Sender(10)

    assert await sender.speak_to(BodyLimit(echo, LIMIT)) == 413
    assert (sender.sent_when_answered, echo.called) == (1200, 0)
    assert b'"code":"too-large"' in sender.answer


async def test_a_body_announced_as_longer_is_refused_unread() -> None:
    """Its length is enough."""
    echo, sender = Echo(), Sender(1, announced=LIMIT + 1)

    assert await sender.speak_to(BodyLimit(echo, LIMIT)) == 413
    assert (sender.sent_when_answered, echo.called) == (0, 0)


async def test_the_bound_itself_is_taken() -> None:
    """Over is more than the bound."""
    assert await Sender(3).speak_to(BodyLimit(Echo(), 900)) == 200
    assert await Sender(3).speak_to(BodyLimit(Echo(), 899)) == 413


async def test_the_sender_may_finish_so_that_it_hears_the_answer() -> None:
    """A connection closed on unread bytes is reset, and the answer lost."""
    sender = Sender(10)

    await sender.speak_to(BodyLimit(Echo(), LIMIT))

    assert sender.sent == 10 * len(CHUNK)
    assert sender.heard[-1].get("more_body", False) is False


async def test_a_sender_that_never_ends_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """STYLE: nothing is without a bound, patience neither."""
    monkeypatch.setattr(bodies, "LINGER_BYTES", 10_000)
    endless = Sender(-1, endless=True)

    assert await endless.speak_to(BodyLimit(Echo(), LIMIT)) == 413
    assert endless.sent < 20_000


async def test_a_sender_that_hangs_up_half_way_is_not_acted_for() -> None:
    """Half a body is no request."""
    echo = Echo()
    parts: AsyncIterator[Message] = _of(
        {"type": "http.request", "body": b"{}", "more_body": True}, {"type": "http.disconnect"}
    )

    await BodyLimit(echo, LIMIT)({"type": "http", "path": "/", "headers": []}, parts.__anext__, Sender(0).send)

    assert echo.called == 0


async def _of(*messages: Message) -> AsyncIterator[Message]:
    for message in messages:
        yield message
