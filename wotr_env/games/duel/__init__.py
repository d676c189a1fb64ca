"""Duel for Middle-earth, a further game (docs/duel.md has its rules)."""
