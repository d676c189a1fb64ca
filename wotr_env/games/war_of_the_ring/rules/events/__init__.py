"""Event cards: conditions for playing them, and the interpreter of their programs (R6.4, sections 19.5,
22)."""
