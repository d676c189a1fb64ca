"""Tournaments of players in text: pairs of games with the same seed and exchanged sides.

As in the arena, games 2k and 2k + 1 of a pairing have the same seed and exchanged teams, and a player has all
seats of its team. Each game starts its own programs, so the result does not depend on stops, or on which
games are played at the same time.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.core.values import check_seed
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.arena.schedule import (
    check_seed_or_secret,
    check_two_teams,
    derive_number,
    ending,
    numbered,
    pairs_of,
)
from wotr_experiments.arena.time_limits import TimeLimit, limit_to_json, limits_by_place, rounded_time_limit
from wotr_experiments.errors import CommandError, as_command_error
from wotr_experiments.language.naming import naming_of
from wotr_experiments.language.players import TextPlayer

TIME_LIMIT = 120.0
"""Default time limit for an answer, in seconds."""


@dataclasses.dataclass(frozen=True)
class TextTournament:
    """A tournament: every player against every other player, or in a gauntlet the first player against every
    other player.

    Raises:
        CommandError: there are fewer than two players, or a name or number is invalid.
        BotError: the spec of a bot is wrong, or the bot does not play the game.
    """

    players: tuple[str, ...]
    """Names of players, see ``TextPlayer``; a name may occur more than once."""
    games: int
    """Number of games per pairing; it must be even."""
    seed: int | None = None
    """Seed of the games; None: they use ``secret``."""
    secret: str | None = None
    """32 hex digits; None: they are drawn at the start, and stored with the games."""
    time_limit: TimeLimit = TIME_LIMIT
    """Time limit in seconds per answer of a program; bots have no limit. One number for all programs, or a
    tuple with one number per player; equal numbers become one number."""
    allowance: int = 2
    """The number of failed answers in a row that are allowed, see ``TextEnv``."""
    whole: bool = True
    """Whether each prompt has the position and the instructions, see ``TextEnv``."""
    legal_actions: bool = True
    """Whether prompts list the legal actions, see ``TextEnv``."""
    renamed: int | None = None
    """Seed of invented names, the same in all games, see ``TextEnv``."""
    board: bool = False
    """Whether the instructions have the map in words, see ``TextEnv``."""
    gauntlet: bool = False
    ruleset: Any = None
    """Ruleset of the game; None becomes its default, with a turn limit as in other tournaments."""
    game: str = DEFAULT_GAME
    identities: tuple[str, ...] = ()
    """Identities of the players; empty until the tournament starts."""

    def __post_init__(self) -> None:
        if self.ruleset is None:
            object.__setattr__(self, "ruleset", ending(self.kind, self.kind.find_ruleset()))
        check_two_teams(self.kind, self.ruleset, "a tournament in text needs a game of two teams")
        if len(self.players) < 2:
            raise CommandError(
                f"a tournament needs two players or more, not {len(self.players)}; you may give a player "
                "twice"
            )
        if self.games < 2 or self.games % 2:
            raise CommandError(f"games must be an even number from 2 (sides are exchanged), not {self.games}")
        object.__setattr__(
            self, "time_limit", rounded_time_limit(self.time_limit, len(self.players), above=True)
        )
        if self.allowance < 0:
            raise CommandError(f"the allowance must be a number of answers from 0, not {self.allowance}")
        check_seed_or_secret(self.seed, self.secret)
        if self.renamed is not None:
            with as_command_error():
                naming_of(self.kind, check_seed(self.renamed))
        names = tuple(TextPlayer.named(name, self.game).name for name in self.players)
        object.__setattr__(self, "players", names)

    @property
    def kind(self) -> GameKind:
        """The game."""
        return game_kind(self.game)

    @property
    def names(self) -> list[str]:
        """Names of the players, with numbers for repeated names: ``random``, ``random (2)``."""
        return numbered(self.players)

    @property
    def time_limits(self) -> tuple[float, ...]:
        """The time limit of each player."""
        return limits_by_place(self.time_limit, len(self.players), above=True)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """Pairs of indices of ``players``."""
        return pairs_of(len(self.players), self.gauntlet)

    @property
    def total(self) -> int:
        """The number of games of all pairings."""
        return self.games * len(self.pairings)

    @property
    def schedule(self) -> list[tuple[int, int]]:
        """The games as pairs of pairing and number, in order."""
        return [(pairing, number) for pairing in range(len(self.pairings)) for number in range(self.games)]

    def seated(self, pairing: int, number: int) -> tuple[int, ...]:
        """The indices of the players in a game, by seat."""
        first, second = self.pairings[pairing]
        by_team = (second, first) if number % 2 else (first, second)
        return tuple(by_team[seat.team] for seat in self.ruleset.seats)

    def game_seed(self, number: int) -> int:
        """The seed of a game, below 2**63: the same for both games of a pair, and in all pairings."""
        return derive_number(self._chance, "game", number // 2)

    def player_seed(self, pairing: int, number: int, place: int) -> int:
        """The seed of a player's random numbers in a game, below 2**63; it does not reveal the seed of the
        game."""
        chance = b"" if self.seed is not None else self._chance
        return derive_number(chance, "player", pairing, number, place)

    @property
    def _chance(self) -> bytes:
        if self.seed is not None:
            return b"seed %d" % self.seed
        if self.secret is None:
            raise ValueError("this tournament has no secret yet")
        return bytes.fromhex(self.secret)

    def to_dict(self) -> dict[str, Any]:
        """The tournament for JSON; two tournaments with equal dictionaries play the same games, apart from
        the players."""
        return {
            "kind": "text-tournament",
            **dataclasses.asdict(self),
            "players": list(self.players),
            "identities": list(self.identities),
            "time_limit": limit_to_json(self.time_limit),
            "ruleset": self.ruleset.to_dict(),
            "rules_version": self.kind.rules_version,
        }
