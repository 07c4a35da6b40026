"""How the brokers are reached, and as whom."""

from __future__ import annotations

import socket
import ssl
from typing import Any

from loom_servicekit.bus.settings import KafkaSettings

BACKOFF_MS = 200


def connection_of(settings: KafkaSettings, service: str) -> dict[str, Any]:
    """What every client of aiokafka is made with: brokers, a name, TLS with hostname checks, SASL."""
    connection: dict[str, Any] = {
        "bootstrap_servers": list(settings.bootstrap),
        "client_id": f"{service}-{socket.gethostname()}",
        "security_protocol": settings.security.upper(),
        "retry_backoff_ms": BACKOFF_MS,
    }
    if settings.security.endswith("ssl"):
        connection["ssl_context"] = ssl.create_default_context(cafile=settings.ca_file)
    if settings.security.startswith("sasl"):
        connection["sasl_mechanism"] = settings.mechanism
        connection["sasl_plain_username"] = settings.username
        connection["sasl_plain_password"] = settings.password
    return connection
