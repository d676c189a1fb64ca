"""The web table: people and bots at one game, in browsers."""
