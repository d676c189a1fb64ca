"""The analysis board: step through any line of play, branch it, and ask bots about it."""
