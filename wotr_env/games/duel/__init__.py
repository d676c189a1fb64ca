"""Duel for Middle-earth: a game of its own on the contract of a game (docs/duel.md has its rules)."""
