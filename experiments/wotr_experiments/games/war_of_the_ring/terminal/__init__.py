"""War of the Ring in a terminal."""
