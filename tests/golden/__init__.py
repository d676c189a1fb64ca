"""Playthroughs to read: a change of the rules, of action names or of chance shows in them as a diff.

``python -m tests.golden`` prints them, ``python -m tests.golden --write`` writes them anew.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from wotr_env import Game, Ruleset
from wotr_env.play.games import game_kind

SEED = 1
DECISIONS = 60
HASH_EVERY = 10
GOLDEN = {
    players: Path(__file__).parent / f"{name}_seed_{SEED}.txt"
    for players, name in {2: "first_edition", 3: "three_players", 4: "four_players"}.items()
}
"""The files by the number of players."""
GOLDEN_KINDS = {name: Path(__file__).parent / f"{name}_seed_{SEED}.txt" for name in ("duel", "two-towers")}
"""Those of other games by name: complete games."""


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
        legal = game.legal()
        action = _choice(legal, number)
        seat = game.ruleset.seats[game.seat].name
        decision = game.decision.name.lower()
        lines.append(f"{number:3} {seat:12} {decision:20} {game.name_of(action)} ({len(legal)})")
        game.step(action)
    lines += [f"-- turn {int(game.state['turn'])}, state {game.hash()}, seen {_seen(game)}", ""]
    return "\n".join(lines)


def playthrough_of(name: str) -> str:
    """The same of another game, by its name, to the end."""
    kind = game_kind(name)
    game = kind.game(SEED, kind.find_ruleset())
    lines = [f"# {kind.title}, seed {SEED}: number, seat, action (legal actions)"]

    def note() -> None:
        states = np.array([game.state] * len(game.ruleset.seats), dtype=kind.state)
        seen = kind.kernels.observe(states, np.arange(states.size))
        fingerprint = hashlib.blake2b(seen.tobytes(), digest_size=8).hexdigest()
        lines.append(f"-- state {game.hash()}, seen {fingerprint}")

    while game.result is None:
        number = len(game.actions)
        if number % HASH_EVERY == 0:
            note()
        legal = game.legal()
        action = _choice(legal, number)
        seat = game.ruleset.seats[int(game.state["seat"])].name
        lines.append(f"{number:3} {seat:12} {kind.actions.names[action]} ({len(legal)})")
        game.step(action)
    note()
    return "\n".join([*lines, f"-- {game.result.to_dict()}", ""])


def _choice(legal: list[int], number: int) -> int:
    word = hashlib.blake2b(f"{SEED} {number}".encode(), digest_size=8).digest()
    return legal[int.from_bytes(word, "big") % len(legal)]


def _seen(game: Game) -> str:
    """A fingerprint of the observations of all seats."""
    seen = np.stack([game.observe(seat) for seat in range(len(game.ruleset.seats))])
    return hashlib.blake2b(seen.tobytes(), digest_size=8).hexdigest()
