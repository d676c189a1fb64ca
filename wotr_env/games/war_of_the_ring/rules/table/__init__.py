"""Cards on the table (R6.5): the rules that they change, and their own effects."""
