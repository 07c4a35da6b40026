"""The demo's workflows: a parent that audits every distribution of an environment, one child for each."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import loom
from loom.worker.registry import Workflow

SIDE_FILE = "LOOM_DEMO_SIDE_FILE"
PACE_S = 0.35  # so that there is something in flight to kill and to freeze


def installed() -> list[str]:
    """The names of the distributions that can be audited: those whose RECORD names hashed files."""
    found = metadata.distributions()
    return sorted({dist.name for dist in found if any(file.hash for file in dist.files or ())})


@loom.step
def verify(name: str) -> dict[str, Any]:
    """Compare every file of a distribution with the hash in its RECORD; blocking, so it runs in a thread."""
    dist = metadata.distribution(name)
    hashed = [file for file in dist.files or () if file.hash]
    damaged = [str(file) for file in hashed if not _is_intact(file)]
    time.sleep(PACE_S)
    _pay(name)
    return {
        "name": name,
        "version": dist.version,
        "licence": dist.metadata.json.get("license_expression") or dist.metadata.json.get("license") or "not stated",
        "files": len(hashed),
        "bytes": sum(_size(file) for file in hashed),
        "damaged": damaged,
    }


def _is_intact(file: metadata.PackagePath) -> bool:
    assert file.hash is not None
    path = Path(str(file.locate()))
    if not path.exists():
        return False
    digest = hashlib.new(file.hash.mode, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value


def _size(file: metadata.PackagePath) -> int:
    path = Path(str(file.locate()))
    return path.stat().st_size if path.exists() else 0


def _pay(name: str) -> None:
    """The step's effect outside of Loom: at least once, hence a line that may come twice."""
    line = f"{name} {os.getpid()}\n".encode()
    file = os.open(os.environ[SIDE_FILE], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(file, line)
    finally:
        os.close(file)


@loom.workflow(name="demo.audit-one")
async def audit_one(ctx: loom.Context, name: str) -> dict[str, Any]:
    """The finding on one distribution."""
    finding: dict[str, Any] = await ctx.step(verify, name)
    return finding


@loom.workflow(name="demo.audit")
async def audit(ctx: loom.Context, names: list[str]) -> dict[str, Any]:
    """Audit all, rest, wait for somebody's approval, report."""
    children = [await ctx.start_child(audit_one, name, key=name) for name in names]
    findings = await ctx.gather(*children)
    await ctx.sleep(3)
    approval = await ctx.wait_event("approved")
    return {
        "approved_by": approval["by"],
        "distributions": len(findings),
        "files": sum(finding["files"] for finding in findings),
        "bytes": sum(finding["bytes"] for finding in findings),
        "damaged": [finding["name"] for finding in findings if finding["damaged"]],
        "without_licence": [finding["name"] for finding in findings if finding["licence"] == "not stated"],
    }


WORKFLOWS: tuple[Workflow[..., Any], ...] = (audit, audit_one)
