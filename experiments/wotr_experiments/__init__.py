"""Tournaments, training, analysis, the web table, reports and the command line."""
