"""The Hunt for the Ring: its dice, its tiles and their damage (R5.2, R10, R11.3)."""
