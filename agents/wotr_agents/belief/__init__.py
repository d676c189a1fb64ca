"""Beliefs: a model of the other side's hand, and worlds sampled with this model."""
