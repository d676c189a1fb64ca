"""Language models at the table: a seat of a game in text, and the game as tools."""
