"""Minari data sets of one seat's view: episodes of ``WarOfTheRing-v0``, in which the other seats are part of
the environment."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from wotr_agents.registry import is_built_in
from wotr_env import GameRecord
from wotr_env.core.codes import GOING_ON
from wotr_env.core.spelling import known_names, match_name
from wotr_env.envs.kind_game import observation_box, rewards_of, truncated
from wotr_env.play.games import DEFAULT_GAME
from wotr_env.play.plugins import how_to_install
from wotr_env.play.replaying import Replay
from wotr_experiments.data.sources import SourceGame
from wotr_experiments.errors import CommandError

if TYPE_CHECKING:
    from minari.data_collector.episode_buffer import EpisodeBuffer
    from minari.dataset.minari_storage import MinariStorage

FOLDER = "minari"
"""A folder in an export. Set ``MINARI_DATASETS_PATH`` to it in order to load its data sets."""
ENVIRONMENT = "WarOfTheRing-v0"
_VARIABLE = "MINARI_DATASETS_PATH"
_AT_ONCE = 32
"""Number of games that are replayed together; each has some megabytes of observations."""


def check_minari() -> None:
    """Raises CommandError if a required package is not installed."""
    for name in ("minari", "pyarrow"):
        if importlib.util.find_spec(name) is None:
            raise CommandError(f"--minari needs {name}; install it with: {how_to_install('data')}")


def dataset_id(seat: str, part: str) -> str:
    """The id of a data set, such as ``war-of-the-ring/shadow-train-v0``."""
    return f"{DEFAULT_GAME}/{seat.replace('_', '-')}-{part}-v0"


class MinariView:
    """The data sets of an export, one for each part, to which games are added.

    Args:
        folder: the folder of all data sets; it is created with the first one.
        seat: the name of the seat whose view is written. Games without the seat, and games in which it
            decided nothing, are left out.
        description: the description in Minari's metadata.
    """

    def __init__(self, folder: Path, seat: str, description: str) -> None:
        check_minari()
        self._folder, self._description = folder, description
        self.seat = seat
        self._storages: dict[str, MinariStorage] = {}
        self._seats: dict[str, None] = {}

    def write(self, part: str, games: Sequence[SourceGame]) -> None:
        """Adds the episodes of games of one kind and one ruleset to a part.

        Raises:
            CommandError: the games are not of the environment's board game.
            RecordError: a record does not replay.
        """
        if games[0].record.game != DEFAULT_GAME:
            raise CommandError(f"--minari supports only {DEFAULT_GAME}, the game of {ENVIRONMENT}")
        records = [game.record for game in games]
        names = [seat.name for seat in records[0].ruleset.seats]
        self._seats |= dict.fromkeys(names)
        number = match_name(self.seat, [(each.name, each.title) for each in records[0].ruleset.seats])
        if number is None:
            return
        self.seat = names[number]  # as it is called from now on
        found = episodes(records, number)
        if part in self._storages:
            self._storages[part].update_episodes(found)
        else:
            self._storages[part] = self._begin(part, found, records)

    def finish(self) -> dict[str, Any]:
        """Returns a description of the data sets, for the card.

        Raises:
            CommandError: no game has this seat.
        """
        if self.seat not in self._seats:
            raise CommandError(f"no game has a seat {self.seat!r}; they have {known_names(self._seats)}")
        return {
            "seat": self.seat,
            "environment": ENVIRONMENT,
            "datasets": {
                part: {
                    "id": dataset_id(self.seat, part),
                    "episodes": int(storage.total_episodes),
                    "steps": int(storage.total_steps),
                }
                for part, storage in self._storages.items()
            },
        }

    def _begin(
        self, part: str, found: Iterator[EpisodeBuffer], records: Sequence[GameRecord]
    ) -> MinariStorage:
        """Creates a data set; its metadata name an environment with the rules of its first games."""
        from minari.utils import create_dataset_from_buffers

        self._folder.mkdir(parents=True, exist_ok=True)
        told: dict[str, Any] = {
            "observation_space": observation_box(records[0].kind),
            "action_space": gymnasium.spaces.Discrete(records[0].kind.actions.size),
        }
        settings: dict[str, Any] = {"seat": self.seat, "opponent": self._opponent(records)}
        settings |= {"ruleset": rules} if (rules := records[0].ruleset.to_dict()) else {}
        told["env"] = gymnasium.make(ENVIRONMENT, disable_env_checker=True, **settings)
        with _datasets_in(self._folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of metadata that nobody knows
            dataset = create_dataset_from_buffers(
                dataset_id(self.seat, part),
                found,  # type: ignore[arg-type] (a list is asked for, and iterated over)
                data_format="parquet",
                description=self._description,
                **told,
            )
        return dataset.storage

    def _opponent(self, records: Sequence[GameRecord]) -> str:
        """The spec of the bot in all other seats, if it is always the same and belongs to this package;
        otherwise ``random``."""
        names = [seat.name for seat in records[0].ruleset.seats]
        own = names.index(self.seat)
        others = {player for each in records for seat, player in enumerate(each.players) if seat != own}
        only = others.pop() if len(others) == 1 else ""
        return only if only and is_built_in(only) else "random"


@contextlib.contextmanager
def _datasets_in(folder: Path) -> Iterator[None]:
    """A context in which Minari finds its data sets in a folder, through an environment variable."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def episodes(records: Sequence[GameRecord], seat: int) -> Iterator[EpisodeBuffer]:
    """Yields the episodes of a seat, the longest games first; a game without a result is truncated.

    Args:
        records: records of War of the Ring, all with one ruleset.
        seat: the number of the seat.

    Raises:
        RecordError: a record does not replay.
    """
    for first in range(0, len(records), _AT_ONCE):
        yield from _episodes(Replay(records[first : first + _AT_ONCE]), seat)


def _episodes(replay: Replay, seat: int) -> Iterator[EpisodeBuffer]:
    from minari.data_collector.episode_buffer import EpisodeBuffer

    games, kernels = len(replay.records), replay.kind.kernels
    seen: list[list[np.ndarray]] = [[] for _ in range(games)]
    masks: list[list[np.ndarray]] = [[] for _ in range(games)]
    chosen: list[list[int]] = [[] for _ in range(games)]
    for number in range(int(replay.lengths[0])):
        actions = replay.chosen(number)
        rows = np.flatnonzero(replay.states["seat"][: len(actions)] == seat)
        if rows.size:
            observations = kernels.observe(replay.states[rows], np.full(rows.size, seat))
            for game, observation in zip(rows.tolist(), observations, strict=True):
                seen[game].append(observation)
                masks[game].append(replay.masks[game].astype(np.int8))
                chosen[game].append(int(actions[game]))
        replay.step(number)
    replay.check()
    last = kernels.observe(replay.states, np.full(games, seat))
    for game, record in enumerate(replay.records):
        steps = len(chosen[game])
        if not steps:
            continue
        state = replay.states[game : game + 1]
        over = int(state["winner"][0]) != GOING_ON
        cut_off = not over or bool(truncated(replay.kind, state)[0])
        rewards = np.zeros(steps, dtype=np.float64)
        if over:
            rewards[-1] = rewards_of(replay.kind, state, record.ruleset)[0, seat]
        ends = np.zeros(steps, dtype=np.bool_)
        ends[-1] = True
        asked = not over and int(state["seat"][0]) == seat
        yield EpisodeBuffer(
            seed=None if record.position else record.seed,
            observations=np.array([*seen[game], last[game]]),  # type: ignore[arg-type]
            actions=np.array(chosen[game]),  # type: ignore[arg-type]
            rewards=rewards,  # type: ignore[arg-type]
            terminations=ends & (not cut_off),  # type: ignore[arg-type]
            truncations=ends & cut_off,  # type: ignore[arg-type]
            infos={"action_mask": np.array([*masks[game], replay.masks[game].astype(np.int8) * asked])},
        )
