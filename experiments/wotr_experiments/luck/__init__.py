"""Luck in games, and results adjusted for luck."""
