"""`make boot-storm`: rounds on an empty database, one on each earlier schema, and one without the lock."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from boot_storm.storm import MANY, Round, run
from dumps.keeping import POSTGRES
from fixtures.postgres import FAST, running_postgres

ROUNDS = int(os.environ.get("ROUNDS", "20"))
CONTROL_TRIES = 5


def show(number: int, one: Round, *, control: bool = False) -> None:
    """One line."""
    exits = " ".join(f"{code}×{count}" for code, count in sorted(one.exits.items()))
    rows = f"{len(one.rows)} migrations, {max(one.rows.values(), default=0)} row each"
    ready = "" if control else f"ready {MANY - len(one.unready)}/{MANY}  "
    state = "holds" if one.holds else "breaks" if control else "BROKEN"
    print(f"{number:>3}  {one.database:44} migrate exits {exits:12}  {ready}{rows}  {one.seconds:4.1f} s  {state}")
    for why in one.unready:
        print(f"     unready: {why}")


async def main() -> int:
    """1 if a round is broken, or none is without the lock."""
    with running_postgres({**FAST, "max_connections": "300"}) as server:
        databases: list[Path | None] = [None] * ROUNDS + sorted(POSTGRES.glob("*.sql"))
        broken = 0
        for number, dump in enumerate(databases, 1):
            one = await run(server, dump)
            show(number, one)
            broken += not one.holds
        breaks = False
        for number in range(1, CONTROL_TRIES + 1):
            one = await run(server, locked=False)
            show(number, one, control=True)
            breaks = breaks or set(one.exits) != {0}
            if breaks:
                break
    told = "without the lock it breaks" if breaks else "WITHOUT THE LOCK IT DID NOT BREAK"
    print(f"rounds {len(databases)} · broken {broken} · {told}")
    return 1 if broken or not breaks else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
