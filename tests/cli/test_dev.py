import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.processes import PATIENCE_S, loom, loom_dev


def read(url: str) -> bytes:
    """The body of a successful answer."""
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        body: bytes = answer.read()
        return body


def until(holds: Callable[[], bool], patience_s: float) -> None:
    """Look again until it holds."""
    ends_at = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < ends_at, f"not within {patience_s} s"
        time.sleep(0.05)


def test_loom_dev_serves_from_a_fresh_folder(tmp_path: Path) -> None:
    """Design 4: one process, one port, no Docker, no account, state kept in a folder."""
    with loom_dev(tmp_path) as (_, announced):
        assert announced["data"] == str(tmp_path / ".loom")
        assert b"swagger" in read(announced["docs"])
        assert b'"ready":true' in read(announced["url"] + "/healthz/ready")
        assert b"/v1/namespaces" in read(announced["url"] + "/openapi.json")
        assert loom("list", cwd=tmp_path, LOOM_URL=announced["url"]).returncode == 0


def test_after_sigkill_everything_acknowledged_is_still_there(tmp_path: Path) -> None:
    """Design 2: what was acknowledged is on disk; the second start on the folder serves it, as often as you like."""
    for id in ("o-1", "o-2", "o-3"):
        with loom_dev(tmp_path) as (process, announced):
            started = loom("start", "order", "--id", id, cwd=tmp_path, LOOM_URL=announced["url"])
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE_S)
            assert (started.returncode, started.stdout) == (0, f"{id}\n")

    with loom_dev(tmp_path) as (_, announced):
        listed = loom("list", cwd=tmp_path, LOOM_URL=announced["url"])
        assert [line.split()[0] for line in listed.stdout.splitlines()] == ["EXECUTION", "o-3", "o-2", "o-1"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_loom_dev_stops_when_it_is_told_to(tmp_path: Path, number: signal.Signals) -> None:
    """Design 4: on SIGTERM and SIGINT it finishes what it accepted, then exits; 0, as it did what it was asked."""
    with loom_dev(tmp_path) as (process, announced):
        read(announced["url"] + "/healthz/live")
        process.send_signal(number)

        assert process.wait(PATIENCE_S) == 0


def test_the_files_are_whole_after_a_stop(tmp_path: Path) -> None:
    """Whoever stopped it may copy the folder: no write-ahead log is left beside the files."""
    with loom_dev(tmp_path) as (process, announced):
        loom("start", "order", cwd=tmp_path, LOOM_URL=announced["url"])
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)

    files = sorted(path.name for path in (tmp_path / ".loom").iterdir() if path.is_file())
    assert [name for name in files if name.endswith("-wal")] == []
    with sqlite3.connect(tmp_path / ".loom" / "event-store.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_an_event_store_can_be_had_alone(tmp_path: Path) -> None:
    """Who proves a store, or debugs a service of its own, wants nobody else to answer parks."""
    with loom_dev(tmp_path, "--port", "0", "--only", "event-store") as (_, announced):
        paths = json.loads(read(announced["url"] + "/openapi.json"))["paths"]

        assert "/v1/parks" in paths
        assert "/v1/redrives" not in paths
    with loom_dev(tmp_path) as (_, announced):
        assert "/v1/redrives" in json.loads(read(announced["url"] + "/openapi.json"))["paths"]


def test_a_port_that_is_taken_says_so(tmp_path: Path) -> None:
    """Field report 4.8: the message has a code and the remedy; nothing was written to the folder."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        said = loom("dev", "--port", str(other.getsockname()[1]), cwd=tmp_path)

    assert (said.returncode, said.stdout) == (1, "")
    assert "loom: port-taken: 127.0.0.1:" in said.stderr
    assert "--port" in said.stderr
    assert "Traceback" not in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_served_by_one_at_a_time(tmp_path: Path) -> None:
    """Two in-process buses over one folder would each hear half of the hints; the second comer is told who is there."""
    with loom_dev(tmp_path) as (_, announced):
        second = loom("dev", "--port", "0", cwd=tmp_path)

        assert second.returncode == 1
        assert f"data-held: .loom is held by {announced['url']}" in second.stderr


def test_other_addresses_than_loopback_need_a_word(tmp_path: Path) -> None:
    """Issue 3: until access control comes the process refuses any address but loopback without LOOM_DEV=1."""
    refused = loom("dev", "--host", "0.0.0.0", "--port", "0", cwd=tmp_path)

    assert refused.returncode == 2
    assert "LOOM_DEV=1" in refused.stderr
    with loom_dev(tmp_path, "--host", "0.0.0.0", "--port", "0", LOOM_DEV="1") as (_, announced):
        port = announced["url"].rpartition(":")[2]
        assert read(f"http://127.0.0.1:{port}/healthz/live")


@pytest.mark.parametrize("data", ["file", "folder"])
def test_a_folder_that_cannot_be_used_says_so(tmp_path: Path, data: str) -> None:
    """No traceback for what a user can mend, and no advice to start what was just started."""
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "event-store.db").write_text("a letter to my aunt\n" * 1_000)

    said = loom("dev", "--port", "0", "--data", data, cwd=tmp_path)

    assert said.returncode == 1
    assert f"loom: data-unusable: {data}" in said.stderr
    assert "next:" not in said.stderr
    assert "Traceback" not in said.stderr


def test_faulty_settings_are_named_all_at_once(tmp_path: Path) -> None:
    """A limit is a setting of the environment; a wrong one is no reason for a traceback."""
    said = loom("dev", "--port", "0", cwd=tmp_path, LOOM_LIMITS_EVENT_BYTES="much", LOOM_LIMITS_DEPTH_READ="deep")

    assert said.returncode == 2
    assert "LOOM_LIMITS_EVENT_BYTES" in said.stderr
    assert "LOOM_LIMITS_DEPTH_READ" in said.stderr


def test_loom_dev_imports_neither_kafka_nor_the_tracing_kit(tmp_path: Path) -> None:
    """It is ready in under 3 s and rests under 150 MB because it loads what it uses."""
    probe = "import sys, loom_cli.cluster, loom_servicekit.app as a; print([m for m in sys.modules if m in %r])"
    heavy = ["aiokafka", "asyncpg", "opentelemetry.sdk", "requests"]
    loaded = subprocess.run([sys.executable, "-c", probe % heavy], capture_output=True, text=True, timeout=PATIENCE_S)

    assert loaded.stdout.strip() == "[]"


def test_after_sigkill_the_duties_wait_for_nobody(tmp_path: Path) -> None:
    """A duty's term lies in the file, and its holder is dead: the next start on the folder takes it over at once."""

    def terms(url: str) -> dict[str, int]:
        names = ("relay", "timers.overdue", "supervisor.satisfied")
        return {name: json.loads(read(f"{url}/v1/duties/{name}"))["term"] for name in names}

    with loom_dev(tmp_path) as (_, announced):
        until(lambda: all(terms(announced["url"]).values()), PATIENCE_S)
        before = terms(announced["url"])

    with loom_dev(tmp_path) as (_, announced):
        until(lambda: all(term > before[name] for name, term in terms(announced["url"]).items()), 10)
