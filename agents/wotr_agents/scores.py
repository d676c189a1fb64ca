"""Scores of actions, as bots write them: the constant for illegal actions."""

NO_SCORE = -1000.0
"""The score of an illegal action."""
