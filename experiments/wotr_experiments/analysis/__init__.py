"""Analysis of positions and games by bots, on one scale (winning chances); odds of battles."""
