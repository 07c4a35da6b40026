"""One module per family of calls; each function is pure: a view, a call, a moment in, a Change out, or a LoomError."""
