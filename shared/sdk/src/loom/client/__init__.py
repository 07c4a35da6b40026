"""The ports over HTTP, and what an application calls."""
