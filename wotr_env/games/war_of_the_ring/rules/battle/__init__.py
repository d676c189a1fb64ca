"""Battles: attacks, rounds, Combat cards, retreats, sieges (R7.8 to R7.18)."""
