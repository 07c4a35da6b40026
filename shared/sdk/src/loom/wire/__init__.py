"""The port over HTTP: the path table, the envelope scanner, the codec."""
