"""What bots think of positions and of whole games, on one scale: the chance to win; the odds of battles."""
