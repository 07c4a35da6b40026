"""What every Loom service is made of."""
