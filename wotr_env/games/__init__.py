"""The games, one folder per game."""
