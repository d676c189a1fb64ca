"""What a game is, and what all games are made of; it knows none of them."""
