"""Tools for people who work on this package, run in a clone: ``python -m tests.tools.NAME``."""
