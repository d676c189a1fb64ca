"""Studies of how bots play: games with fixed sides, the events of each game, and the figures of all games."""
