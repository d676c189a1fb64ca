"""Tournaments, fuzzing, the coverage table and the command line."""
