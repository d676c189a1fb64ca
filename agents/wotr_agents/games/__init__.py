"""Bots for single games, with one folder for each game."""
