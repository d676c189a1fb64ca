"""Cards on the table (R6.5): which rules they change, and what they do by themselves."""
