"""What ``wotr rules`` shows: the rules in words, and which functions and tests implement each."""
