"""What a backend must offer, and one that keeps it in dicts."""
