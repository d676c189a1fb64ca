"""The schedule of a tournament: pairings, rounds of games with one seed, and batches, the units of work.

By default each bot of a pairing plays all seats of a team, and a round is two games: games 2k and 2k + 1 have
the same seed and exchanged teams. With drawn seats, all n bots form one pairing, and a round is n games with
the same seed, in which every bot has every seat once, in a random order for each seat.

Each batch has its own bots, with seeds derived from its place in the schedule. So the games do not depend on
the number of workers or on the order of the batches.
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
from wotr_agents.registry import display_spec, has_plugin_bots, is_built_in, is_slow
from wotr_env.core.kind import GameKind
from wotr_env.play.games import DEFAULT_GAME, game_kind
from wotr_experiments.arena.openings import are_repeated, check_openings
from wotr_experiments.arena.time_limits import TimeLimit, limit_to_json, limits_by_place, rounded_time_limit
from wotr_experiments.errors import CommandError, as_command_error
from wotr_experiments.luck.measure import LuckMethod
from wotr_experiments.luck.values import open_value

MOST_TURNS = 1_000
"""Default turn limit. The longest of 512 random games had 222 turns; games of better bots have about 10."""
MOST_AT_ONCE = 256
"""Maximal default number of games per batch; larger batches are hardly faster."""
_EVEN = "an even number from 2 (sides are exchanged)"
_BATCHES = 16
"""Minimal default number of batches of a tournament, if it has enough pairs."""
SECRET_BYTES = 16
_SECRET = re.compile(f"[0-9a-f]{{{2 * SECRET_BYTES}}}")


def new_secret() -> str:
    """A random secret for ``Tournament``."""
    return secrets.token_hex(SECRET_BYTES)


def is_secret(text: str) -> bool:
    """Whether a text is a secret."""
    return _SECRET.fullmatch(text) is not None


class Seats(StrEnum):
    """The ways in which bots are assigned to seats."""

    TEAMS = "teams"
    """A bot plays all seats of a team, against a bot that plays the other team."""
    DRAWN = "drawn"
    """The bot of each seat is drawn, so that different bots are partners."""


def find_game(name: str) -> GameKind:
    """The game with a name.

    Raises:
        CommandError: there is no such game.
    """
    with as_command_error():
        return game_kind(name)


def find_ruleset(kind: GameKind, spec: str | None) -> Any:
    """The ruleset of a game given by a spec; None means the default.

    Raises:
        CommandError: the ruleset is unknown.
    """
    with as_command_error():
        return kind.find_ruleset(spec or "")


def ending(kind: GameKind, ruleset: Any) -> Any:
    """A ruleset, with the turn limit ``MOST_TURNS`` if it has none and a game may go on forever."""
    return ruleset if kind.turn_limit(ruleset) or not kind.endless else kind.limited(ruleset, MOST_TURNS)


def check_seed_or_secret(seed: int | None, secret: str | None) -> None:
    """Raises CommandError if both a seed and a secret are given, or if the secret is malformed."""
    if seed is not None and secret is not None:
        raise CommandError("give a seed or a secret, not both")
    if secret is not None and not is_secret(secret):
        raise CommandError(f"a secret has {2 * SECRET_BYTES} hex digits, not {secret!r}")


def pairs_of(players: int, gauntlet: bool) -> list[tuple[int, int]]:
    """The pairs of bots: all pairs, or in a gauntlet the first bot with each other bot."""
    pairs = itertools.combinations(range(players), 2)
    return [pair for pair in pairs if pair[0] == 0 or not gauntlet]


def numbered(names: Sequence[str]) -> list[str]:
    """The names; repeated names get a number: ``random``, ``random (2)``."""
    found = []
    for place, name in enumerate(names):
        count = names[: place + 1].count(name)
        found.append(name if count == 1 else f"{name} ({count})")
    return found


def bot_names(specs: Sequence[str]) -> list[str]:
    """The names of a tournament's bots: ``numbered`` specs in the form for people."""
    return numbered([display_spec(spec) for spec in specs])


def check_two_teams(kind: GameKind, ruleset: Any, why: str) -> None:
    """Refuses rulesets with more than two teams.

    Raises:
        CommandError: the ruleset has more than two teams; the message starts with the reason.
    """
    teams = kind.teams_of(ruleset)
    if len(teams) > 2:
        raise CommandError(f"{why}: {kind.title}, {ruleset.title}, has {len(teams)}")


@dataclasses.dataclass(frozen=True)
class Tournament:
    """The definition of a tournament: all pairs of bots, or in a gauntlet the first bot against each other
    bot; or all bots together, with drawn seats.

    Raises:
        CommandError: there are fewer than two bots, the game is unknown, or a number is out of range.
        BotError: the spec of a bot of this package is wrong, or the bot does not play the game.
    """

    bots: tuple[str, ...]
    """Specs; those of this package's bots in canonical form, others as given, because other packages are not
    loaded here. A bot may be given twice."""
    games: int
    """Games per pairing, in whole rounds: an even number, half of them with exchanged teams; with drawn
    seats, a multiple of the number of bots."""
    seed: int | None = None
    """The seed of the games, for reproducible research: a bot that knows or guesses it knows all dice and
    decks. None: the games come from ``secret``."""
    ruleset: Any = None
    """The ruleset; None becomes the default, with the turn limit ``MOST_TURNS``."""
    batch: int = 0
    """Games per batch, in whole rounds; 0 becomes a number that suits the number of games, or one round if a
    bot of this package is slow."""
    time_limit: TimeLimit = 0.0
    """Seconds per decision, averaged over the decisions of one call; 0: no limit. One number for all bots, or
    a tuple with one for each bot; equal numbers become one number."""
    gauntlet: bool = False
    game: str = DEFAULT_GAME
    """The name of a board game (``GameKind``)."""
    seats: str = Seats.TEAMS
    """A member of ``Seats``."""
    secret: str | None = None
    """The secret of the games if there is no seed, 32 hex digits; None: it is drawn at the start of play and
    stored with the games."""
    identities: tuple[str, ...] = ()
    """The identity of each bot (``wotr_agents.identity``); empty until the start of play."""
    positions: tuple[str, ...] = ()
    """Positions from which games start, as text (``wotr_env.core.notation``): each round takes the next
    position, with future chance from the round's seed; empty: new games. See ``check_repeats``."""
    luck: LuckMethod | None = None
    """The settings of the measurement of luck; None: luck is not measured. The settings change no game, and
    are not in ``to_dict``. In games from positions, ``order_given`` is set."""

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
                kind, self.ruleset, "a game of more than two teams needs wotr tournament --seats drawn"
            )
        if self.gauntlet and self.drawn:
            raise CommandError("a gauntlet needs pairings, but drawn seats have none")
        if self.luck is not None:
            open_value(self.luck.value, kind)
            given = dataclasses.replace(self.luck, order_given=bool(self.positions))
            object.__setattr__(self, "luck", given)
        whole = f"a multiple of {self.round} (every bot plays every seat)" if self.drawn else _EVEN
        if self.games < self.round or self.games % self.round:
            raise CommandError(f"games must be {whole}, not {self.games}")
        if self.batch < 0 or self.batch % self.round:
            raise CommandError(f"the batch must be {whole}, not {self.batch}")
        object.__setattr__(self, "time_limit", rounded_time_limit(self.time_limit, len(self.bots)))
        check_seed_or_secret(self.seed, self.secret)
        object.__setattr__(self, "bots", tuple(canonical_bot_spec(spec, self.game) for spec in self.bots))
        if not self.batch:
            object.__setattr__(self, "batch", self._usual_batch())

    def _usual_batch(self) -> int:
        if any(is_slow(spec) for spec in self.bots):
            return self.round
        rounds = max(1, self.games // self.round * len(self.pairings) // _BATCHES)
        most = max(1, MOST_AT_ONCE // self.round)
        return min(self.games, self.round * min(most, rounds))

    def begun(self, secret: str | None = None) -> Tournament:
        """The tournament with its stored secret, or with a new one if it needs one."""
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
        """The number of games of a round."""
        return len(self.bots) if self.drawn else 2

    @property
    def pairings(self) -> list[tuple[int, ...]]:
        """The indices of the bots that meet: pairs, or all bots with drawn seats."""
        if self.drawn:
            return [tuple(range(len(self.bots)))]
        return [*pairs_of(len(self.bots), self.gauntlet)]

    @property
    def names(self) -> list[str]:
        """The names of the bots, with a number if a spec is repeated: ``random``, ``random (2)``."""
        return bot_names(self.bots)

    @property
    def time_limits(self) -> tuple[float, ...]:
        """The time limit of each bot."""
        return limits_by_place(self.time_limit, len(self.bots))

    @property
    def total(self) -> int:
        """The number of games of all pairings."""
        return self.games * len(self.pairings)

    def to_dict(self) -> dict[str, Any]:
        """The tournament for JSON. Two tournaments with equal dictionaries play the same games, unless games
        were added to one of them after an incomplete batch (``missing_batches``)."""
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
    """Games ``first`` to ``first + games - 1`` of a pairing, played at the same time by bots that are made
    for this batch."""

    pairing: int
    first: int
    """The number of the first game; rounds are not divided."""
    games: int
    out: tuple[int, ...] = ()
    """The indices of the bots that are already disqualified; they forfeit the games without being called."""

    @property
    def numbers(self) -> range:
        """The numbers of the games in the pairing."""
        return range(self.first, self.first + self.games)


def canonical_bot_spec(spec: str, game: str) -> str:
    """The spec of a bot in its stored form; raises BotError if it is known to be wrong."""
    foreign = not is_built_in(spec) and has_plugin_bots()
    return spec if foreign else canonical_spec(spec, game)


def batches(tournament: Tournament) -> Iterator[Batch]:
    """The batches in the order of the schedule."""
    for pairing in range(len(tournament.pairings)):
        for first in range(0, tournament.games, tournament.batch):
            yield Batch(pairing, first, min(tournament.batch, tournament.games - first))


def game_seed(tournament: Tournament, number: int) -> int:
    """The seed of a game, below 2**63: one for each round, the same in all pairings."""
    return derive_number(_chance(tournament), "game", number // tournament.round)


def opening(tournament: Tournament, number: int) -> str:
    """The position from which a game starts; empty: a new game."""
    texts = tournament.positions
    return texts[number // tournament.round % len(texts)] if texts else ""


def most_rounds(tournament: Tournament) -> int | None:
    """The number of rounds until the games repeat; None: they do not, because each round has other chance."""
    texts = tournament.positions
    if not texts or not are_repeated(tournament.kind, texts):
        return None
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            break
        seen.add(text)
    return len(seen)


def check_repeats(tournament: Tournament) -> None:
    """Refuses tournaments in which games from positions would be played again and counted twice.

    Raises:
        CommandError: there are more rounds than positions, and the game has no chance after a position.
    """
    most = most_rounds(tournament)
    if most is not None and tournament.games > most * tournament.round:
        raise CommandError(
            f"{most:,} positions are enough for {most * tournament.round:,} games, not {tournament.games:,}: "
            f"{tournament.kind.title} has no chance after a complete position, so games would be repeated"
        )


def bot_seed(tournament: Tournament, batch: Batch, place: int) -> int:
    """The seed, below 2**63, of a bot in one batch.

    The seed of the bot reveals nothing about the games: it is derived from the secret with another key, and
    never from the seed of the games, which could be found by trial.
    """
    chance = b"" if tournament.seed is not None else _chance(tournament)
    return derive_number(chance, "bot", batch.pairing, batch.first, place)


def seated(tournament: Tournament, pairing: int, number: int) -> tuple[int, ...]:
    """The indices of the bots in a game of a pairing, by seat."""
    seats = tournament.ruleset.seats
    if not tournament.drawn:
        by_team = players(tournament, pairing, number)
        return tuple(by_team[seat.team] for seat in seats)
    drawn, place = divmod(number, tournament.round)
    return _draw(_chance(tournament), drawn, len(seats), tournament.round)[place]


def players(tournament: Tournament, pairing: int, number: int) -> tuple[int, int]:
    """The indices of the bots of team 0 and team 1 in a game of a pairing."""
    first, second = tournament.pairings[pairing]
    return (second, first) if number % tournament.round else (first, second)


@functools.lru_cache(maxsize=1024)
def _draw(chance: bytes, drawn: int, seats: int, bots: int) -> tuple[tuple[int, ...], ...]:
    """The bots in the games of a round, by game and seat; each bot has every seat once."""
    orders = [
        sorted(range(bots), key=lambda bot: (derive_number(chance, "seat", drawn, seat, bot), bot))
        for seat in range(seats)
    ]
    return tuple(zip(*orders, strict=True))


def _chance(tournament: Tournament) -> bytes:
    """The source of the games' chance."""
    if tournament.seed is not None:
        return b"seed %d" % tournament.seed
    if tournament.secret is None:
        raise ValueError("this tournament has no secret yet; see Tournament.begun")
    return bytes.fromhex(tournament.secret)


def derive_number(chance: bytes, *what: str | int) -> int:
    """A pseudorandom number below 2**63, which cannot be computed without the secret or from other such
    numbers."""
    words = " ".join(map(str, what)).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8, key=chance).digest(), "little") >> 1
