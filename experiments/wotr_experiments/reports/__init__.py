"""Reports for people: pages, charts, replays."""
