"""Reports of War of the Ring."""
