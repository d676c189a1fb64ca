"""Bots of War of the Ring."""
