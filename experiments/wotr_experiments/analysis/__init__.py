"""What bots think of positions and of whole games, on one scale: the chance that who decides wins."""
