"""A playthrough to read: a change of the rules, of action names or of chance shows in it as a diff.

``python -m tests.golden`` prints it, ``python -m tests.golden --write`` writes it anew.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from wotr_env import Game

SEED = 1
DECISIONS = 60
HASH_EVERY = 10
GOLDEN = Path(__file__).parent / f"first_edition_seed_{SEED}.txt"


def playthrough() -> str:
    """The first decisions of a game of random actions, one a line, with hashes of the state between them.

    The choices use bytes of a hash, not a library's generator, whose stream may change.
    """
    game = Game(SEED)
    lines = [f"# First edition, seed {SEED}: number, seat, decision, action (legal actions)"]
    for number in range(DECISIONS):
        if number % HASH_EVERY == 0:
            lines.append(f"-- turn {int(game.state['turn'])}, state {game.hash()}, seen {_seen(game)}")
        word = hashlib.blake2b(f"{SEED} {number}".encode(), digest_size=8).digest()
        legal = game.legal()
        action = legal[int.from_bytes(word, "big") % len(legal)]
        side = game.side.name.lower()
        decision = game.decision.name.lower()
        lines.append(f"{number:3} {side:12} {decision:20} {game.name_of(action)} ({len(legal)})")
        game.step(action)
    lines += [f"-- turn {int(game.state['turn'])}, state {game.hash()}, seen {_seen(game)}", ""]
    return "\n".join(lines)


def _seen(game: Game) -> str:
    """A fingerprint of the observations of both seats."""
    seen = np.stack([game.observe(seat) for seat in range(2)])
    return hashlib.blake2b(seen.tobytes(), digest_size=8).hexdigest()
