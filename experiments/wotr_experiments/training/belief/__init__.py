"""Learns what the other side holds from games of bots against themselves; see ``__main__``."""
