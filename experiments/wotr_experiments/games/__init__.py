"""What only one game needs, a folder for each game."""
