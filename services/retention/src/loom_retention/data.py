"""Where retention keeps its tables: a file in a folder, or a Postgres database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from loom_retention.catalogue import Catalogue
from loom_retention.settings import RetentionSettings
from loom_retention.store import PACKAGE, SqlCatalogue, SqliteCatalogue, open_catalogue
from loom_servicekit.app import Service


def open_catalogue_file(settings: RetentionSettings) -> SqliteCatalogue:
    """The tables in the folder of the settings, made if need be; whoever opens them closes them."""
    settings.data.mkdir(parents=True, exist_ok=True)
    return open_catalogue(settings.file)


@asynccontextmanager
async def open_own_tables(settings: RetentionSettings) -> AsyncIterator[tuple[Catalogue, tuple[Service, ...]]]:
    """The tables of the settings, and what tells whether their database is ready. Closed on the way out."""
    if settings.db_url is None:
        catalogue = open_catalogue_file(settings)
        try:
            yield catalogue, ()
        finally:
            catalogue.close()
        return
    from loom_retention.schema import SCHEMA
    from loom_servicekit.migrated import migrated_database
    from loom_servicekit.postgres import PostgresTables

    async with migrated_database(settings.db_url, [SCHEMA], pooler=settings.db_pooler) as (database, check):
        yield SqlCatalogue(PostgresTables(database, PACKAGE, SCHEMA.name)), (check,)
