"""The web table: games of people and bots in browsers. ``docs/table.md`` documents the protocol."""
