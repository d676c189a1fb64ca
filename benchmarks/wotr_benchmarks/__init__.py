"""Measurements of speed, ours in one harness."""
