import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from cli.processes import PATIENCE_S, loom, loom_dev


def read(url: str) -> bytes:
    """The body of a successful answer."""
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        body: bytes = answer.read()
        return body


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


def test_a_folder_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    """No traceback for what a user can mend."""
    (tmp_path / "file").write_text("")

    said = loom("dev", "--port", "0", "--data", "file", cwd=tmp_path)

    assert said.returncode == 1
    assert "loom: data-unusable: file" in said.stderr
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
