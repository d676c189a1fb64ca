"""Games between bots: tournaments, sequential tests, ratings, and where their games are stored."""
