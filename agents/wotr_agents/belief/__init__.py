"""Beliefs: a model of the other side's hand, and worlds drawn by it."""
