"""Trains beliefs about the other side's hand from games of bots against themselves; see ``__main__``."""
