"""The available games, the view of a bot, and records of games."""
