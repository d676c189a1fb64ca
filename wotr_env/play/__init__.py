"""The games that can be played, what bots see of them, and their records."""
