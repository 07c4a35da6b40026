"""`loom migrate`: bring a Postgres database up to this program."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from loom_cli.command import Command, Session, declare_json, duration
from loom_cli.exits import Exit
from loom_cli.sheets import Sheet
from loom_event_store.postgres.schema import SCHEMA as EVENT_STORE
from loom_retention.schema import SCHEMA as RETENTION
from loom_servicekit.migrations import APPLICATION, WAIT_S, MigrationFault, migrate
from loom_timers.schema import SCHEMA as TIMERS

SCHEMAS = (EVENT_STORE, TIMERS, RETENTION)


def _declare(parser: ArgumentParser) -> None:
    owner = os.environ.get("LOOM_DB_OWNER_URL")
    parser.add_argument(
        "--database", metavar="URL", default=owner, required=owner is None, help="its owner's URL (LOOM_DB_OWNER_URL)"
    )
    parser.add_argument("--application", metavar="ROLE", default=APPLICATION, help="the services' role (loom_app)")
    parser.add_argument(
        "--wait", type=duration, metavar="DURATION", default=int(WAIT_S * 1000), help="for others to end (60s)"
    )
    declare_json(parser)


async def _migrate(args: Namespace, session: Session) -> int:
    try:
        applied = await migrate(args.database, SCHEMAS, application=args.application, wait_s=args.wait / 1000)
    except MigrationFault as fault:
        session.output.note(f"loom: {fault}")
        return fault.exit_code
    document = {"applied": applied}
    if applied:
        session.output.result(document, Sheet(("migration",), tuple((name,) for name in applied)))
    else:
        session.output.word(document, "the database is up to date")
    return Exit.COMPLETED


COMMAND = Command("migrate", "bring a Postgres database up to this program", _declare, _migrate)
