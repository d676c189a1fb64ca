"""Benchmarks, in one harness."""
