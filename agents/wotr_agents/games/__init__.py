"""Bots that know one game, a folder for each game."""
