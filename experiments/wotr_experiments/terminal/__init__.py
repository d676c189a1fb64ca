"""``wotr play``: a person plays in the terminal against any bot."""
