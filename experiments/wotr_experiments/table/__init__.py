"""The web table: people and bots at one game in browsers; ``docs/table.md`` is its wire."""
