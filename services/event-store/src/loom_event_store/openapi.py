"""Prints the OpenAPI document of the event store; `make openapi` keeps it in docs."""

from __future__ import annotations

import json
import sys
from typing import Any

from loom.stores.memory import MemoryEventStore
from loom_event_store.app import build_service
from loom_event_store.settings import EventStoreSettings
from loom_servicekit.app import create_app
from loom_servicekit.bus.in_process import InProcessBus


def document() -> dict[str, Any]:
    """The document; the store behind the routes does not matter."""
    service = build_service(EventStoreSettings(), store=MemoryEventStore(), bus=InProcessBus())
    return create_app([service], title="Loom event store").openapi()


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
    sys.stdout.write("\n")
