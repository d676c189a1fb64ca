"""Games between bots: tournaments, sequential tests, ratings, and the storage of games."""
