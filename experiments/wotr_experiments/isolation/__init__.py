"""Bots in separate processes, which receive only information visible to their seats."""
