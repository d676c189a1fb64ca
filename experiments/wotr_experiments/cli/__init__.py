"""The command line ``wotr``."""
