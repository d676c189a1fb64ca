"""What a tournament plays: pairings, rounds of games from one seed, and batches, which are its units of work.

By default each bot of a pairing plays all seats of a team, and a round is two games: game 2k and game 2k + 1
are played from the same seed with the teams exchanged. Where seats are drawn, all n bots are one pairing and
a round is n games from the same seed, in which every bot has every seat once, drawn for each seat.

A batch has bots of its own, whose seeds follow from its place in the schedule; so neither the number of
workers nor the order in which they take the batches changes a game.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import re
import secrets
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from wotr_agents import canonical_spec
from wotr_agents.identity import foreign_game_identity
from wotr_agents.registry import is_built_in, is_slow, others_are_installed, shown_spec
from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.arena.openings import check_openings
from wotr_experiments.arena.time_limits import TimeLimit, kept_limit, limit_to_json, limits_by_place
from wotr_experiments.errors import CommandError
from wotr_experiments.luck.measure import Method
from wotr_experiments.luck.values import open_value

MOST_TURNS = 1_000
"""Turns after which a game is a draw, by default. The longest of 512 games of bots that play at random had
222, and games of better ones have about 10."""
MOST_AT_ONCE = 256
"""Games of a batch by default, at most: more would hardly be faster."""
_EVEN = "an even number from 2 (sides are exchanged)"
_BATCHES = 16
"""By default a tournament has at least so many batches, if it has so many pairs."""
SECRET_BYTES = 16
_SECRET = re.compile(f"[0-9a-f]{{{2 * SECRET_BYTES}}}")


def new_secret() -> str:
    """A secret that nobody can guess, for ``Tournament``."""
    return secrets.token_hex(SECRET_BYTES)


def is_secret(text: str) -> bool:
    """Whether a text is one."""
    return _SECRET.fullmatch(text) is not None


class Seats(StrEnum):
    """Who sits where."""

    TEAMS = "teams"
    """A bot plays all seats of a team, against another that plays those of the other."""
    DRAWN = "drawn"
    """Each seat's bot is drawn, so that strangers are partners."""


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


def ending(kind: GameKind, ruleset: Any) -> Any:
    """A ruleset, with games of at most ``MOST_TURNS`` if it sets no limit."""
    return ruleset if kind.turn_limit(ruleset) else kind.limited(ruleset, MOST_TURNS)


def check_chance(seed: int | None, secret: str | None) -> None:
    """Refuses a seed and a secret together, and a secret that is none; CommandError says so."""
    if seed is not None and secret is not None:
        raise CommandError("give a seed or a secret, not both")
    if secret is not None and not is_secret(secret):
        raise CommandError(f"a secret has {2 * SECRET_BYTES} hex digits, not {secret!r}")


def pairs_of(players: int, gauntlet: bool) -> list[tuple[int, int]]:
    """Who meets: each two of so many, in a gauntlet the first and each other."""
    pairs = itertools.combinations(range(players), 2)
    return [pair for pair in pairs if pair[0] == 0 or not gauntlet]


def numbered(names: Sequence[str]) -> list[str]:
    """The names with a number where one comes again: ``random``, ``random (2)``."""
    found = []
    for place, name in enumerate(names):
        count = names[: place + 1].count(name)
        found.append(name if count == 1 else f"{name} ({count})")
    return found


def bot_names(specs: Sequence[str]) -> list[str]:
    """The names of a tournament's bots: ``numbered`` specs as people write them."""
    return numbered([shown_spec(spec) for spec in specs])


def check_two_teams(kind: GameKind, ruleset: Any, why: str) -> None:
    """Refuses rules by which more than two teams play.

    Raises:
        CommandError: they are such; it begins with the reason.
    """
    teams = kind.teams_of(ruleset)
    if len(teams) > 2:
        raise CommandError(f"{why}: {kind.title}, {ruleset.title}, has {len(teams)}")


@dataclasses.dataclass(frozen=True)
class Tournament:
    """What is played: every bot against every other, or in a gauntlet the first against every other; or all
    bots together, where seats are drawn.

    Raises:
        CommandError: fewer than two bots, an unknown game, or a number that cannot be.
        BotError: a built-in bot's spec is wrong, or it does not play the game.
    """

    bots: tuple[str, ...]
    """Specs, those of built-in bots in their canonical form, others as given: nothing of them is loaded here.
    The same bot may come twice."""
    games: int
    """Per pairing, whole rounds: an even number, half of them with exchanged teams, or where seats are drawn
    a multiple of the number of bots."""
    seed: int | None = None
    """From which the games come, for research that others repeat: whoever knows or guesses it knows every die
    and deck. None: they come from ``secret``."""
    ruleset: Any = None
    """Of the game; None becomes its default, with games of at most ``MOST_TURNS``."""
    batch: int = 0
    """Games played at once by the same bots, whole rounds; 0 becomes a number that suits that of games, and
    one round where a bot of this package may think long."""
    time_limit: TimeLimit = 0.0
    """Seconds per decision, the mean of those that a bot is asked at once; 0: no limit. One number for all
    bots, or a tuple with one for each, by its place; where these are all the same they become one number."""
    gauntlet: bool = False
    game: str = DEFAULT_GAME
    """The name of a ``GameKind``."""
    seats: str = Seats.TEAMS
    """A ``Seats``."""
    secret: str | None = None
    """32 hex digits from which the games come where there is no seed; None: they are drawn when the play
    begins, and kept with the games."""
    identities: tuple[str, ...] = ()
    """What each bot is beyond its spec (``wotr_agents.identity``); empty until the play begins."""
    positions: tuple[str, ...] = ()
    """Where games begin, as text (``wotr_env.core.notation``): a round from each in turn, with the chance to
    come from its seed; empty: they are new games."""
    luck: Method | None = None
    """How luck is measured in the games; None: it is not. It changes no game, and is not in ``to_dict``."""

    def __post_init__(self) -> None:
        kind = find_game(self.game)
        object.__setattr__(self, "positions", tuple(self.positions))
        rules = check_openings(kind, self.positions) if self.positions else kind.find_ruleset()
        if self.ruleset is None:
            object.__setattr__(self, "ruleset", ending(kind, rules))
        if self.positions and kind.limited(rules, kind.turn_limit(self.ruleset)) != self.ruleset:
            raise CommandError(
                "games from positions use the rules of the positions; only the turn limit may differ"
            )
        if len(self.bots) < 2:
            raise CommandError(
                f"a tournament needs two bots or more, not {len(self.bots)}; you may give a bot twice"
            )
        object.__setattr__(self, "seats", Seats(self.seats))
        if not self.drawn:
            check_two_teams(
                kind, self.ruleset, "a game of more than two teams needs drawn seats (--seats drawn)"
            )
        if self.gauntlet and self.drawn:
            raise CommandError("a gauntlet needs pairings, but drawn seats have none")
        if self.luck is not None:
            if self.drawn:
                raise CommandError(
                    "luck adjustment needs pairings, but drawn seats have none"
                )
            open_value(self.luck.value, kind)
        whole = f"a multiple of {self.round} (every bot plays every seat)" if self.drawn else _EVEN
        if self.games < self.round or self.games % self.round:
            raise CommandError(f"games must be {whole}, not {self.games}")
        if self.batch < 0 or self.batch % self.round:
            raise CommandError(f"the batch must be {whole}, not {self.batch}")
        object.__setattr__(self, "time_limit", kept_limit(self.time_limit, len(self.bots)))
        check_chance(self.seed, self.secret)
        object.__setattr__(self, "bots", tuple(settled(spec, self.game) for spec in self.bots))
        if not self.batch:
            object.__setattr__(self, "batch", self._usual_batch())

    def _usual_batch(self) -> int:
        if any(is_slow(spec) for spec in self.bots):
            return self.round
        rounds = max(1, self.games // self.round * len(self.pairings) // _BATCHES)
        most = max(1, MOST_AT_ONCE // self.round)
        return min(self.games, self.round * min(most, rounds))

    def begun(self, secret: str | None = None) -> Tournament:
        """The tournament with the secret that it has been begun with, or a new one if it needs one."""
        if self.seed is not None or self.secret is not None:
            return self
        return dataclasses.replace(self, secret=secret or new_secret())

    @property
    def kind(self) -> GameKind:
        """The game that is played."""
        return game_kind(self.game)

    @property
    def drawn(self) -> bool:
        """Whether seats are drawn."""
        return self.seats == Seats.DRAWN

    @property
    def round(self) -> int:
        """Games from the same seed."""
        return len(self.bots) if self.drawn else 2

    @property
    def pairings(self) -> list[tuple[int, ...]]:
        """Places in ``bots`` of those who meet: pairs, or all where seats are drawn."""
        if self.drawn:
            return [tuple(range(len(self.bots)))]
        return [*pairs_of(len(self.bots), self.gauntlet)]

    @property
    def names(self) -> list[str]:
        """The bots with a number where a spec comes again: ``random``, ``random (2)``."""
        return bot_names(self.bots)

    @property
    def time_limits(self) -> tuple[float, ...]:
        """The time limit of each bot, by its place."""
        return limits_by_place(self.time_limit, len(self.bots))

    @property
    def total(self) -> int:
        """Games of all pairings."""
        return self.games * len(self.pairings)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; two tournaments with equal dictionaries play the same games."""
        fields, foreign = dataclasses.asdict(self), foreign_game_identity(self.game)
        del fields["luck"]
        if not self.positions:  # so that folders of before there were any are gone on with
            del fields["positions"]
        return {
            **fields,
            "bots": list(self.bots),
            "identities": list(self.identities),
            "time_limit": limit_to_json(self.time_limit),
            "ruleset": self.ruleset.to_dict(),
            "rules_version": self.kind.rules_version,
            **({"game_package": foreign} if foreign else {}),
        }


@dataclasses.dataclass(frozen=True, order=True)
class Batch:
    """Games ``first`` to ``first + games - 1`` of a pairing, played at once by bots of their own."""

    pairing: int
    first: int
    """Rounds are not divided."""
    games: int
    out: tuple[int, ...] = ()
    """The places of the bots that were disqualified before: they forfeit its games without being asked."""

    @property
    def numbers(self) -> range:
        """The numbers of its games in the pairing."""
        return range(self.first, self.first + self.games)


def settled(spec: str, game: str) -> str:
    """The spec of a bot as it is kept; BotError if it is known to be wrong."""
    foreign = not is_built_in(spec) and others_are_installed()
    return spec if foreign else canonical_spec(spec, game)


def batches(tournament: Tournament) -> Iterator[Batch]:
    """The batches in the order of the schedule."""
    for pairing in range(len(tournament.pairings)):
        for first in range(0, tournament.games, tournament.batch):
            yield Batch(pairing, first, min(tournament.batch, tournament.games - first))


def game_seed(tournament: Tournament, number: int) -> int:
    """The seed of a game, below 2**63: one for each round, the same in all pairings."""
    return number_from(_chance(tournament), "game", number // tournament.round)


def opening(tournament: Tournament, number: int) -> str:
    """The position that a game begins from; empty: a new game."""
    texts = tournament.positions
    return texts[number // tournament.round % len(texts)] if texts else ""


def bot_seed(tournament: Tournament, batch: Batch, place: int) -> int:
    """The seed, below 2**63, of the bot at a place of the tournament for one batch.

    It says nothing of the games: it comes from the secret by another key, and never from the seed, which
    could be found by trying.
    """
    chance = b"" if tournament.seed is not None else _chance(tournament)
    return number_from(chance, "bot", batch.pairing, batch.first, place)


def seated(tournament: Tournament, pairing: int, number: int) -> tuple[int, ...]:
    """The places of the bots in a game of a pairing, by seat."""
    seats = tournament.ruleset.seats
    if not tournament.drawn:
        by_team = players(tournament, pairing, number)
        return tuple(by_team[seat.team] for seat in seats)
    drawn, place = divmod(number, tournament.round)
    return _draw(_chance(tournament), drawn, len(seats), tournament.round)[place]


def players(tournament: Tournament, pairing: int, number: int) -> tuple[int, int]:
    """The places of the bots that play team 0 and team 1 in a game of a pairing, where teams meet."""
    first, second = tournament.pairings[pairing]
    return (second, first) if number % tournament.round else (first, second)


@functools.lru_cache(maxsize=1024)
def _draw(chance: bytes, drawn: int, seats: int, bots: int) -> tuple[tuple[int, ...], ...]:
    """Who sits where in the games of a round: by game and seat, each bot once in every seat."""
    orders = [
        sorted(range(bots), key=lambda bot: (number_from(chance, "seat", drawn, seat, bot), bot))
        for seat in range(seats)
    ]
    return tuple(zip(*orders, strict=True))


def _chance(tournament: Tournament) -> bytes:
    """From which the games come."""
    if tournament.seed is not None:
        return b"seed %d" % tournament.seed
    if tournament.secret is None:
        raise ValueError("this tournament has no secret yet; see Tournament.begun")
    return bytes.fromhex(tournament.secret)


def number_from(chance: bytes, *what: str | int) -> int:
    """A number below 2**63 that nobody can find who has not the chance, nor others that come from it."""
    words = " ".join(map(str, what)).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8, key=chance).digest(), "little") >> 1
