"""Scores of actions, as bots write them."""

NO_SCORE = -1000.0
"""The score of an illegal action."""
