"""The analysis board: any line of play stepped through, branched and asked about."""
