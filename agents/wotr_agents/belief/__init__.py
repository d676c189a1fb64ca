"""What the other side may hold: a model of its hand, and worlds drawn by it."""
