"""War of the Ring."""
