"""Code for War of the Ring."""
