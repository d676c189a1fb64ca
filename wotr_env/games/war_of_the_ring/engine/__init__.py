"""What a batch of games does: playing, observing, sampling worlds, checking invariants."""
