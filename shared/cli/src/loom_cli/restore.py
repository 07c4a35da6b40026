"""`loom restore finish`: what a person says when a database has been restored."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from loom_cli.command import Command, Session, declare_json
from loom_cli.exits import Exit


def _declare(parser: ArgumentParser) -> None:
    owner = os.environ.get("LOOM_DB_OWNER_URL")
    parser.add_argument("act", metavar="ACT", choices=("finish",), help="finish: begin a new generation of the store")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why, for the record")
    parser.add_argument(
        "--database", metavar="URL", default=owner, required=owner is None, help="its owner's URL (LOOM_DB_OWNER_URL)"
    )
    declare_json(parser)


async def _restore(args: Namespace, session: Session) -> Exit:
    from loom_event_store.postgres.restoring import finish_restore

    epoch = await finish_restore(args.database, args.reason)
    session.output.word({"epoch": epoch}, f"the epoch is {epoch}: whatever was granted before is dead")
    return Exit.COMPLETED


COMMAND = Command("restore", "begin a new generation after a database was restored", _declare, _restore)
