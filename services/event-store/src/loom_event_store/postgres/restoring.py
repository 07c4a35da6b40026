"""The end of a restore: a new generation of the store, and the record of it."""

from __future__ import annotations

from loom_event_store.postgres.statements import Statements
from loom_servicekit.postgres import open_pool


async def finish_restore(url: str, reason: str) -> int:
    """Raise the stored epoch in the database of this owner's URL; the new one. Raises StoreUnavailable.

    Whatever was granted before is dead by every guard, leases count as over, and nothing has to be cleared.
    """
    database = await open_pool(url, size=1)
    try:
        return await database.run(lambda connection: Statements(connection).number("finish_restore", reason))
    finally:
        await database.close()
