"""The rules in words, and tables of the functions and tests that implement each rule, for ``wotr rules``."""
