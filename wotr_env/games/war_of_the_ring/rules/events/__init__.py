"""Event cards: what may be played, and the interpreter of their programs (R6.4, sections 19.5, 22)."""
