"""Duel for Middle-earth (docs/duel.md describes its rules)."""
