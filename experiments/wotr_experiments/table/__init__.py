"""The web table: games of people and bots in browsers. ``docs/table-protocol.md`` documents the protocol."""
