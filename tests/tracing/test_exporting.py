"""A collector that does not work costs nobody anything: real processes, a black hole, and a port that is closed."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from fixtures.ports import keepable_ports
from fixtures.spans import Spans
from loom import tracing
from loom.client.event_store import HttpEventStore
from loom.errors import Contended
from loom.ids import ExecutionId, Namespace
from loom.kernel import calls as c
from loom_servicekit.settings import SettingsError
from loom_servicekit.telemetry import SHUTDOWN_S, TracedFormatter, is_wanted, open_provider, tracing_settings

STARTS = 100  # over more than the exporter's delay, so that it is at work while calls are made
NEVER_LONGER_S = 1.5  # than an append; whoever waits for the exporter waits for its time-out of 2 s at least
DRAIN_S = 5.0  # of a service's own

MAIN = "from loom_event_store.__main__ import main; main()"
WAITS_AT_EXIT = (
    "import loom_servicekit.telemetry as t; t.TIMEOUT_S = 30; t.shut_down = lambda provider: provider.shutdown(); "
    + MAIN
)


@pytest.fixture(params=["black hole", "closed port"])
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """A collector that takes connections and never answers, or one that is not there."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=64)) as listening:
        port = listening.getsockname()[1]
        if request.param == "closed port":
            listening.close()
        yield f"http://127.0.0.1:{port}"


def told(endpoint: str, **more: str) -> dict[str, str]:
    """An environment in which everything is traced, to there."""
    return {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "LOOM_TRACING_RATIO": "1", **more}


@asynccontextmanager
async def event_store(code: str, data: Path, endpoint: str) -> AsyncIterator[tuple[subprocess.Popen[bytes], str]]:
    """A process and its address, once it answers."""
    (port,) = keepable_ports(1)
    process = spawn(code, data, told(endpoint, LOOM_DATA=str(data), LOOM_PORT=str(port)))
    try:
        await answers(f"http://127.0.0.1:{port}")
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def spawn(code: str, data: Path, environ: dict[str, str]) -> subprocess.Popen[bytes]:
    """Another Python, which logs into the folder."""
    with open(data / "log.txt", "wb") as log:
        return subprocess.Popen([sys.executable, "-c", code], env=environ, stdout=log, stderr=log)


async def answers(url: str) -> None:
    """Wait until it does."""
    async with HttpEventStore(url, attempts=1) as store, asyncio.timeout(60):
        while True:
            try:
                await store.read_store(c.ReadStore())
            except Contended:
                await asyncio.sleep(0.05)
            else:
                return


async def slowest_start(url: str) -> float:
    """Of STARTS starts, ten at a time, in seconds."""
    async with HttpEventStore(url, attempts=1) as store:
        slowest = 0.0
        for first in range(0, STARTS, 10):
            began = time.monotonic()
            await asyncio.gather(*(store.start(started(number)) for number in range(first, first + 10)))
            slowest = max(slowest, time.monotonic() - began)
        return slowest


def started(number: int) -> c.Start:
    """Another one."""
    name = f"e-{number}"
    return c.Start(namespace=Namespace("shop"), execution_id=ExecutionId(name), batch_id=name, workflow="w")


async def seconds_to_end(process: subprocess.Popen[bytes], limit_s: float) -> float | None:
    """From SIGTERM on; None after `limit_s`."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    while process.poll() is None:
        if time.monotonic() - began > limit_s:
            return None
        await asyncio.sleep(0.02)
    return time.monotonic() - began


async def test_a_dead_collector_delays_no_write_and_no_exit(endpoint: str, tmp_path: Path) -> None:
    """Kafka 5.5 and 5.6: the exporter has a thread of its own, and three seconds at the end."""
    async with event_store(MAIN, tmp_path, endpoint) as (process, url):
        slowest = await slowest_start(url)
        ended = await seconds_to_end(process, 30)

    assert slowest < NEVER_LONGER_S
    assert ended is not None, (tmp_path / "log.txt").read_text()
    assert ended < SHUTDOWN_S + DRAIN_S
    assert process.returncode == 0


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    """A collector that works: its address, and what it was told."""
    received: list[ExportTraceServiceRequest] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}", received
        server.shutdown()
        serving.join()


async def test_what_a_service_did_last_arrives_under_its_name(
    collector: tuple[str, list[ExportTraceServiceRequest]], tmp_path: Path
) -> None:
    """Issue 5: OTLP from all services; a healthy collector gets everything, and keeps nobody for three seconds."""
    endpoint, received = collector
    async with event_store(MAIN, tmp_path, endpoint) as (process, url):
        async with HttpEventStore(url, attempts=1) as store:
            await store.start(started(0))
        ended = await seconds_to_end(process, 30)

    resources = [resource for request in received for resource in request.resource_spans]
    names = {
        item.value.string_value for it in resources for item in it.resource.attributes if item.key == "service.name"
    }
    told = {span.name for it in resources for scope in it.scope_spans for span in scope.spans}
    assert names == {"event-store"}
    assert told >= {"POST /v1/namespaces/{namespace}/executions"}
    assert not any("duties" in name or "healthz" in name for name in told)
    assert ended is not None
    assert ended < DRAIN_S


@pytest.mark.parametrize("endpoint", ["black hole"], indirect=True)
async def test_a_service_that_waited_for_its_exporter_would_outlive_its_grace(endpoint: str, tmp_path: Path) -> None:
    """Negative control: no bound of ours on the exporter, nor on its end."""
    async with event_store(WAITS_AT_EXIT, tmp_path, endpoint) as (process, url):
        await slowest_start(url)
        ended = await seconds_to_end(process, SHUTDOWN_S + DRAIN_S)

    assert ended is None


def test_without_an_endpoint_no_sdk_is_loaded() -> None:
    """Off is off: a command does not pay for what it does not use."""
    code = (
        "import sys; from loom_servicekit.telemetry import *\n"
        "with exporting('client', tracing_settings({}), {}):\n"
        "    print([name for name in sys.modules if name.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert ran.stdout == "[]\n"


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
    ],
)
def test_tracing_is_off_until_there_is_an_endpoint(environ: dict[str, str], wanted: bool) -> None:
    """Issue 5: one variable."""
    assert is_wanted(environ) is wanted


def test_standard_variables_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """Operations 4.1: over Loom's settings, whatever they say."""
    environ = {"OTEL_SERVICE_NAME": "mine", "OTEL_TRACES_SAMPLER": "always_off", "OTEL_BSP_MAX_QUEUE_SIZE": "7"}
    ours = open_provider("timers", tracing_settings({}), {})
    assert (ours.resource.attributes["service.name"], ours.sampler.get_description()) == ("timers", "LoomSampler{0.1}")
    for name, value in {**environ, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "5"}.items():
        monkeypatch.setenv(name, value)

    theirs = open_provider("timers", tracing_settings({}), dict(os.environ))
    assert theirs.resource.attributes["service.name"] == "mine"
    assert theirs.sampler.get_description() == "AlwaysOffSampler"
    for provider in (ours, theirs):
        provider.shutdown()


@pytest.mark.parametrize("ratio", ["2", "-0.1", "much"])
def test_a_share_is_between_nothing_and_all(ratio: str) -> None:
    """A service does not start with settings that mean nothing."""
    with pytest.raises(SettingsError, match="LOOM_TRACING_RATIO"):
        tracing_settings({"LOOM_TRACING_RATIO": ratio})


def test_a_line_of_the_log_says_where_in_a_trace_it_was_written(spans: Spans) -> None:
    """Operations 4.2 rule 8: from the log to the trace; outside of any, the line is as it was."""
    formatter = TracedFormatter("%(message)s")
    record = logging.LogRecord("loom", logging.INFO, __file__, 1, "resumed", None, None)
    with tracing.step("charge", "0/charge/0", 1):
        at = trace.get_current_span().get_span_context()
        within = formatter.format(record)

    assert within == f"resumed trace_id={at.trace_id:032x} span_id={at.span_id:016x}"
    assert formatter.format(record) == "resumed"
