"""What only War of the Ring needs."""
