"""Bots in separate processes, which receive only what their seats may see."""
