"""What to do about a store's no: the next command, where there is one."""

from __future__ import annotations

from loom import errors as e


def advise(error: e.LoomError, url: str | None = None) -> str | None:
    """A command or a sentence; None when the message says it all."""
    execution = error.facts.get("execution_id", "ID")
    match error:
        case e.StoreUnavailable() if url is not None:
            return f"loom dev   # if nothing runs at {url}; --url or LOOM_URL names another server"
        case e.NotFound() | e.Gone():
            return "loom list"
        case e.Deleted():
            return "loom start --recreate begins again under the id"
        case e.AlreadyExists():
            return "another --id, or --if-exists return to take what is there"
        case e.NotParked():
            return f"loom why {execution}   # what it does instead"
        case e.CredentialRequired():
            return f"loom show {execution}   # its owner writes; cancel, terminate and fail act from outside"
        case e.Superseded():
            return f"loom ownership {execution}   # who holds it now"
        case e.IllegalTransition():
            return f"loom show {execution}"
        case e.Contended():
            return "the same command again, a little later"
    return None
