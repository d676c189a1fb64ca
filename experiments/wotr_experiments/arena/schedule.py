"""What a tournament plays: pairings, seat-swapped pairs, and the batches that are its units of work.

Each bot of a pairing plays all seats of a team. Game 2k and game 2k + 1 are played from the same seed with
the teams exchanged. A batch has bots
of its own, whose seeds follow from its place in the schedule; so neither the number of workers nor the order
in which they take the batches changes a game.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from wotr_agents import canonical_spec
from wotr_env.games import DEFAULT_GAME, game_kind
from wotr_env.kind import GameKind
from wotr_experiments.errors import CommandError

MOST_AT_ONCE = 256
"""Games of a batch by default, at most: more would hardly be faster."""
_BATCHES = 16
"""By default a tournament has at least so many batches, if it has so many pairs."""
_OF_BOTS = 1
"""The last number of the entropy of bots: seeds of games have no such number."""


def find_game(name: str) -> GameKind:
    """The game of a name.

    Raises:
        CommandError: there is none.
    """
    try:
        return game_kind(name)
    except ValueError as error:
        raise CommandError(str(error)) from None


def find_ruleset(kind: GameKind, spec: str | None) -> Any:
    """The ruleset of a game that a spec names; None is its default.

    Raises:
        CommandError: it names none.
    """
    try:
        return kind.find_ruleset(spec or "")
    except ValueError as error:
        raise CommandError(str(error)) from None


@dataclasses.dataclass(frozen=True)
class Tournament:
    """What is played: every bot against every other, or in a gauntlet the first against every other.

    Raises:
        CommandError: fewer than two bots, an unknown game, or a number that cannot be.
        BotError: a bot's spec is wrong, or it does not play the game.
    """

    bots: tuple[str, ...]
    """Specs in their canonical form; the same bot may come twice."""
    games: int
    """Per pairing, even: half of them with exchanged teams."""
    seed: int = 0
    ruleset: Any = None
    """Of the game; None becomes its default."""
    batch: int = 0
    """Games played at once by the same bots, even; 0 becomes a number that suits the number of games."""
    time_limit: float = 0.0
    """Seconds per decision, the mean of those that a bot is asked at once; 0: no limit."""
    gauntlet: bool = False
    game: str = DEFAULT_GAME
    """The name of a ``GameKind``."""

    def __post_init__(self) -> None:
        kind = find_game(self.game)
        if self.ruleset is None:
            object.__setattr__(self, "ruleset", kind.find_ruleset())
        if len(self.bots) < 2:
            raise CommandError(
                f"a tournament needs two bots or more, not {len(self.bots)}; a bot may come twice"
            )
        if self.games < 2 or self.games % 2:
            raise CommandError(f"games must be an even number from 2 (sides are exchanged), not {self.games}")
        if self.batch < 0 or self.batch % 2:
            raise CommandError(
                f"the batch must be an even number from 2 (sides are exchanged), not {self.batch}"
            )
        if not math.isfinite(self.time_limit) or self.time_limit < 0:
            raise CommandError(f"the time limit is a number of seconds from 0, not {self.time_limit}")
        object.__setattr__(self, "bots", tuple(canonical_spec(spec, self.game) for spec in self.bots))
        if not self.batch:
            pairs = max(1, self.games // 2 * len(self.pairings) // _BATCHES)
            object.__setattr__(self, "batch", min(MOST_AT_ONCE, self.games, 2 * pairs))

    @property
    def kind(self) -> GameKind:
        """The game that is played."""
        return game_kind(self.game)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Pairs of places in ``bots``."""
        pairs = itertools.combinations(range(len(self.bots)), 2)
        return [pair for pair in pairs if pair[0] == 0 or not self.gauntlet]

    @property
    def names(self) -> list[str]:
        """The bots with a number where a spec comes again: ``random``, ``random (2)``."""
        names = []
        for place, spec in enumerate(self.bots):
            count = self.bots[: place + 1].count(spec)
            names.append(spec if count == 1 else f"{spec} ({count})")
        return names

    @property
    def total(self) -> int:
        """Games of all pairings."""
        return self.games * len(self.pairings)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; two tournaments with equal dictionaries play the same games."""
        return {**dataclasses.asdict(self), "bots": list(self.bots), "ruleset": self.ruleset.to_dict()}


@dataclasses.dataclass(frozen=True, order=True)
class Batch:
    """Games ``first`` to ``first + games - 1`` of a pairing, played at once by two bots of their own."""

    pairing: int
    first: int
    """Even: pairs are not divided."""
    games: int

    @property
    def numbers(self) -> range:
        """The numbers of its games in the pairing; the odd ones have exchanged teams."""
        return range(self.first, self.first + self.games)


def batches(tournament: Tournament) -> Iterator[Batch]:
    """The batches in the order of the schedule."""
    for pairing in range(len(tournament.pairings)):
        for first in range(0, tournament.games, tournament.batch):
            yield Batch(pairing, first, min(tournament.batch, tournament.games - first))


def game_seed(tournament: Tournament, number: int) -> int:
    """The seed of a game, below 2**63: one for each pair, the same in all pairings."""
    return _seed(tournament.seed, number // 2)


def bot_seed(tournament: Tournament, batch: Batch, place: int) -> int:
    """The seed, below 2**63, of the bot at a place of the tournament for one batch."""
    return _seed(tournament.seed, batch.pairing, batch.first, place, _OF_BOTS)


def players(tournament: Tournament, pairing: int, number: int) -> tuple[int, int]:
    """The places of the bots that play team 0 and team 1 in a game of a pairing."""
    first, second = tournament.pairings[pairing]
    return (second, first) if number % 2 else (first, second)


def _seed(*entropy: int) -> int:
    return int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0]) >> 1
