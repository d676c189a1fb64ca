"""Code for single games, one folder per game."""
