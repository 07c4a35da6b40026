"""Loom for workflow authors and API callers."""
