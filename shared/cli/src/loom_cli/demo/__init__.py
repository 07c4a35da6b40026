"""`make demo`: an audit of every installed distribution outlives its workers and its server, and proves it."""
