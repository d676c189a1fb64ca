"""Luck and skill: what chance did in games, and results that are adjusted for it."""
