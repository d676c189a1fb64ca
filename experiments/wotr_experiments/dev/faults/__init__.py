"""Faults injected on purpose, each with the outcome expected: ``python -m wotr_experiments.dev.faults``."""
