"""Faults injected on purpose, each with the outcome expected: ``python -m tests.tools.faults``."""
