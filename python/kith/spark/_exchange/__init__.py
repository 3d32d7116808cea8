"""How data travels between executors, and the session that it does so in."""
