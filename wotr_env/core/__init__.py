"""The definition of a game, and the parts that all games share. No module here imports a game."""
