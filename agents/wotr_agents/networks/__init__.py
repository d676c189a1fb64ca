"""Networks that play: models, files, sparse inference, and the bot ``net``."""
