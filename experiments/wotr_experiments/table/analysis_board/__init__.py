"""The analysis board: people step through a line of play, branch it, and ask bots to evaluate it."""
