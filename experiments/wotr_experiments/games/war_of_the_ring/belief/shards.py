"""The training games of a belief in a folder, so that a stopped run can continue.

OUT/config.json           the settings of the run, and the identities of the bots
OUT/games/BOT-BATCH.npz   the positions of a batch of games of a bot (``positions.Seen``)
OUT/belief.safetensors    the belief, at the end
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from wotr_agents import canonical_spec, make_bot
from wotr_agents.identity import identity
from wotr_env.core.read_errors import reason
from wotr_env.core.values import read_text
from wotr_env.games.war_of_the_ring.engine.observation_layout import OBSERVATION_SIZE
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.state import CARDS_PER_DECK
from wotr_experiments.arena.evaluation import LONGEST
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.files import write_json
from wotr_experiments.games.war_of_the_ring.belief.positions import Seen, join, watch
from wotr_experiments.training.run_folder import write_durably

CONFIG = "config.json"
_FORMAT = "wotr-belief-run-1"
_GAMES = "games"
BATCH = 250
"""Number of games per batch."""


@dataclasses.dataclass(frozen=True)
class Watched:
    """The definition of the games: bots against themselves.

    Raises:
        BotError: a bot is unknown.
        CommandError: a number is out of range, or the ruleset is for more than two players.
    """

    bots: tuple[str, ...]
    """The specs of the bots."""
    games: int
    """The number of games of each bot."""
    every: int
    """Number of decisions between two training positions of a game."""
    seed: int
    ruleset: str = ""
    """The spec of the ruleset."""

    def __post_init__(self) -> None:
        if len({canonical_spec(bot, WAR_OF_THE_RING.name) for bot in self.bots}) < len(self.bots):
            raise CommandError("--bot names a bot twice")
        if self.games < 1 or self.every < 1:
            raise CommandError("--games and --every must be at least 1")
        if not 0 <= self.seed < 2**63:
            raise CommandError(f"--seed must be from 0 to 2**63 - 1, not {self.seed}")
        if len(self.rules.seats) != 2:
            raise CommandError("a belief needs a game of two players; choose another --ruleset")

    @property
    def rules(self) -> Any:
        """The ruleset, with at most ``LONGEST`` turns; raises ValueError if it is invalid."""
        kind = WAR_OF_THE_RING
        rules = kind.find_ruleset(self.ruleset)
        return rules if 0 < kind.turn_limit(rules) < LONGEST else kind.limited(rules, LONGEST)

    def batches(self) -> Iterator[tuple[int, int, int]]:
        """Bot, first game and number of games of each batch; games are numbered across all bots."""
        for bot in range(len(self.bots)):
            for first in range(0, self.games, BATCH):
                yield bot, first, min(BATCH, self.games - first)

    def play(self, bot: int, first: int, count: int) -> Seen:
        """The positions of a batch.

        Raises:
            BotError: the bot cannot be made.
        """
        player = make_bot(self.bots[bot], self.seed & 0xFFFFFFFF)
        seed = (self.seed, bot, first)
        return watch(player, count, self.every, self.rules, seed, bot * self.games + first)

    def all_of(self, bot: int, on_games: Callable[[int], object] = lambda _games: None) -> Seen:
        """The positions of all games of a bot; ``on_games`` is called with the number of newly played games.

        Raises:
            BotError: the bot cannot be made.
        """
        parts = []
        for of_bot, first, count in self.batches():
            if of_bot == bot:
                parts.append(self.play(bot, first, count))
                on_games(count)
        return join(parts)


def open_folder(out: Path, watched: Watched, fit: dict[str, Any]) -> None:
    """Creates the folder of a run, or checks that an existing folder belongs to the same run.

    Args:
        out: the folder.
        watched: the games.
        fit: the settings of the fit.

    Raises:
        BotError: a bot cannot be found.
        CommandError: the folder belongs to another run, or a bot has changed.
        OSError: the folder cannot be written.
    """
    identities = {bot: identity(bot, WAR_OF_THE_RING.name) for bot in watched.bots}
    config = {"format": _FORMAT, **dataclasses.asdict(watched), "fit": fit, "identities": identities}
    config = json.loads(json.dumps(config))
    path = out / CONFIG
    if not path.exists():
        if out.exists() and (not out.is_dir() or any(each.name != ".lock" for each in out.iterdir())):
            raise CommandError(f"{out} contains other files; give a new folder")
        (out / _GAMES).mkdir(parents=True, exist_ok=True)
        write_json(path, config)
        return
    try:
        before = dict(json.loads(read_text(path)))
    except (ValueError, TypeError, RecursionError) as error:
        raise CommandError(f"{path} is damaged: {one_line(reason(error))}") from None
    for key, value in config.items():
        if before.get(key) != value:
            raise CommandError(
                f"{out} was started with {key} {one_line(before.get(key))}, not {one_line(value)}; give "
                "the same value, or another folder"
            )


def batch_of(out: Path, watched: Watched, bot: int, first: int, count: int) -> Seen:
    """The positions of a batch, read from the folder, or played and written to it.

    Raises:
        BotError: the bot cannot be made.
        CommandError: the batch in the folder is damaged.
        OSError: the batch cannot be read or written.
    """
    path = out / _GAMES / f"{bot}-{first // BATCH:05d}.npz"
    if path.exists():
        return _read(path)
    seen = watched.play(bot, first, count)
    room = io.BytesIO()
    np.savez_compressed(room, **vars(seen))
    scratch = path.with_name(path.name + ".new")
    write_durably(scratch, room.getvalue())
    os.replace(scratch, path)
    return seen


def _read(path: Path) -> Seen:
    wanted = {
        "observations": (np.int8, (OBSERVATION_SIZE,), 1),
        "hidden": (np.bool_, (CARDS_PER_DECK,), 2),
        "held": (np.bool_, (CARDS_PER_DECK,), 2),
        "games": (np.int64, (), 1),
        "turns": (np.int64, (), 1),
        "seats": (np.int64, (), 1),
    }
    try:
        with np.load(path) as file:
            seen = Seen(**{name: file[name] for name in wanted})
        for name, (dtype, shape, times) in wanted.items():
            array = getattr(seen, name)
            if array.dtype != dtype or array.shape != (times * len(seen), *shape):
                raise ValueError(f"{name} is {array.dtype} of shape {array.shape}")
        if (seen.held & ~seen.hidden).any() or not np.isin(seen.seats, (0, 1)).all():
            raise ValueError("a held card is known to be elsewhere")
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zipfile.LargeZipFile, TypeError) as error:
        raise CommandError(
            f"{path} is damaged: {one_line(reason(error))}; delete it, and its games are played again"
        ) from None
    return seen
