"""Operations on a batch of games: playing, observing, sampling worlds, checking invariants."""
