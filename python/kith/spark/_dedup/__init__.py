"""Near-duplicates among texts."""
