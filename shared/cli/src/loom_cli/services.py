"""`loom event-store`, `loom supervisor`, `loom timers`, `loom retention`: one service each, until SIGTERM or SIGINT.

Settings are read from the environment alone, so that a container, a unit file and a person say them in the same words.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from typing import TypeVar

from loom_cli.command import Command, Session, declare_json
from loom_cli.exits import Exit

Settings = TypeVar("Settings")


async def _event_store(args: Namespace, session: Session) -> Exit:
    from loom_event_store.__main__ import serve
    from loom_event_store.settings import EventStoreSettings

    return await _serve(session, EventStoreSettings, serve)


async def _supervisor(args: Namespace, session: Session) -> Exit:
    from loom_supervisor.__main__ import serve
    from loom_supervisor.settings import SupervisorSettings

    return await _serve(session, SupervisorSettings, serve)


async def _timers(args: Namespace, session: Session) -> Exit:
    from loom_timers.__main__ import serve
    from loom_timers.settings import TimersSettings

    return await _serve(session, TimersSettings, serve)


async def _retention(args: Namespace, session: Session) -> Exit:
    from loom_retention.__main__ import serve
    from loom_retention.settings import RetentionSettings

    return await _serve(session, RetentionSettings, serve)


async def _serve(session: Session, cls: type[Settings], serve: Callable[[Settings], Awaitable[None]]) -> Exit:
    from loom_servicekit.alone import log_to_stderr
    from loom_servicekit.settings import SettingsError, read_settings

    try:
        settings = read_settings(cls, os.environ)
    except SettingsError as error:
        for fault in str(error).splitlines():
            session.output.note(fault)
        return Exit.USAGE
    log_to_stderr()
    await serve(settings)
    return Exit.COMPLETED


def _declare(parser: ArgumentParser) -> None:
    declare_json(parser)


COMMANDS = (
    Command("event-store", "serve the event store alone", _declare, _event_store, service=None),
    Command("supervisor", "serve the supervisor alone", _declare, _supervisor, service=None),
    Command("timers", "serve timers alone", _declare, _timers, service=None),
    Command("retention", "serve retention alone", _declare, _retention, service=None),
)
