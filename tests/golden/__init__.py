"""Playthroughs to read: a change of the rules, of action names or of chance shows in them as a diff.

``python -m tests.golden`` prints them, ``python -m tests.golden --write`` writes them anew.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from wotr_env import Game, Ruleset

SEED = 1
DECISIONS = 60
HASH_EVERY = 10
GOLDEN = {
    players: Path(__file__).parent / f"{name}_seed_{SEED}.txt"
    for players, name in {2: "first_edition", 3: "three_players", 4: "four_players"}.items()
}
"""The files by the number of players."""


def playthrough(players: int) -> str:
    """The first decisions of a game of random actions, one a line, with hashes of the state between them.

    The choices use bytes of a hash, not a library's generator, whose stream may change.
    """
    game = Game(SEED, Ruleset(players=players))
    named = "" if players == 2 else f" for {players} players"
    lines = [f"# First edition{named}, seed {SEED}: number, seat, decision, action (legal actions)"]
    for number in range(DECISIONS):
        if number % HASH_EVERY == 0:
            lines.append(f"-- turn {int(game.state['turn'])}, state {game.hash()}, seen {_seen(game)}")
        word = hashlib.blake2b(f"{SEED} {number}".encode(), digest_size=8).digest()
        legal = game.legal()
        action = legal[int.from_bytes(word, "big") % len(legal)]
        seat = game.ruleset.seats[game.seat].name
        decision = game.decision.name.lower()
        lines.append(f"{number:3} {seat:12} {decision:20} {game.name_of(action)} ({len(legal)})")
        game.step(action)
    lines += [f"-- turn {int(game.state['turn'])}, state {game.hash()}, seen {_seen(game)}", ""]
    return "\n".join(lines)


def _seen(game: Game) -> str:
    """A fingerprint of the observations of all seats."""
    seen = np.stack([game.observe(seat) for seat in range(len(game.ruleset.seats))])
    return hashlib.blake2b(seen.tobytes(), digest_size=8).hexdigest()
