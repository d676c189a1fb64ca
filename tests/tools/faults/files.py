"""Damaged files: each is refused in one line, or was damaged where it does not matter."""

from __future__ import annotations

import functools
import json
import random
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.tools.faults.table import Fault, expect
from wotr_agents import BotError, make_bot
from wotr_agents.networks.files import ZOO
from wotr_env import Game, GameRecord
from wotr_env.core.errors import RecordError
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING as KIND
from wotr_env.play.bots import choose, view_of
from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.arena.store import GAMES
from wotr_experiments.arena.tournament import run_tournament
from wotr_experiments.errors import CommandError
from wotr_experiments.terminal.saves import SavedGame

SHORT = KIND.find_ruleset("first:max_turns=2")
REFUSED, UNHARMED = "refused", "unharmed"
ALONE = WorkerPool("threads", 1)


def damage(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, or cut off, doubled, left out, or noise in their place."""
    at = chance.randrange(len(data))
    end = min(len(data), at + chance.choice((1, 1, 1, 4, 64, 4096)))
    match chance.randrange(6):
        case 0:
            return data[:at]
        case 1:
            return data[:end] + data[at:end] + data[end:]
        case 2:
            return data[:at] + data[end:]
        case 3:
            return data[:at] + bytes(end - at) + data[end:]
        case _:
            return data[:at] + chance.randbytes(end - at) + data[end:]


def damage_file(path: Path, chance: random.Random) -> None:
    """The same for a file."""
    path.write_bytes(damage(path.read_bytes(), chance))


def _one_line(error: Exception) -> None:
    expect("\n" not in str(error) and len(str(error)) < 2000, f"the message is no line: {error}")


@functools.cache
def a_record() -> str:
    game, chance = Game(seed=5, ruleset=SHORT), random.Random(5)
    while game.result is None:
        game.step(chance.choice(game.legal()))
    return GameRecord.from_game(game, ("random", "random")).to_json()


def record(chance: random.Random, folder: Path) -> str:
    """A record of a game that cannot be told from the true one is the true one."""
    path = folder / "game.jsonl"
    path.write_bytes(damage(a_record().encode(), chance))
    try:
        found = GameRecord.load(path)
        for each in found:
            each.verify()
    except RecordError as error:
        _one_line(error)
        return REFUSED
    true = GameRecord.from_json(a_record())
    same = [(each.seed, each.actions, each.result) for each in found]
    expect(all(each == (true.seed, true.actions, true.result) for each in same), "another game passes")
    return UNHARMED


def saved_game(chance: random.Random, folder: Path) -> str:
    """A save that is read has the true position."""
    path = folder / "save.json"
    game = GameRecord.from_json(a_record()).replay(40)
    SavedGame(0, ["", "random"], 1, "scripted", False, game, [("plain", "A text")]).write(path)
    damage_file(path, chance)
    try:
        found = SavedGame.read(path)
    except CommandError as error:
        _one_line(error)
        return REFUSED
    expect(found.game.hash() == game.hash(), "another position passes")
    return UNHARMED


def network(chance: random.Random, folder: Path) -> str:
    """A network that is read plays legal actions."""
    path = folder / "mine.safetensors"
    shutil.copy(min(ZOO.glob("*.safetensors"), key=lambda file: file.stat().st_size), path)
    damage_file(path, chance)
    game = Game(seed=chance.randrange(2**31))
    view = view_of(np.array([game.state], dtype=KIND.state), game.mask()[None])
    try:
        choose(make_bot(f"net:{path}", 1), view, "net")
    except BotError as error:
        _one_line(error)
        return REFUSED
    return UNHARMED


TOURNAMENT = Tournament(("random", "scripted"), 8, seed=1, ruleset=SHORT, batch=2)
COMMAND = (
    *("tournament", "random", "scripted", "--games", "8", "--seed", "1", "--ruleset", "first:max_turns=2"),
    *("--batch", "2", "--replays", "none"),
)
"""The same for the command line."""


class Played(NamedTuple):
    """A tournament that was played."""

    folder: tempfile.TemporaryDirectory[str]
    summary: str


@functools.cache
def played() -> Played:
    """A tournament whose folder goes with this process."""
    folder = tempfile.TemporaryDirectory(prefix="wotr-played-")
    return Played(folder, json.dumps(run_tournament(TOURNAMENT, Path(folder.name), ALONE)))


def store(chance: random.Random, folder: Path) -> str:
    """Games that are not as they were stored are told; else the tournament has the same end."""
    folder_of, summary = played()
    shutil.copytree(folder_of.name, folder / "out")
    damage_file(folder / "out" / GAMES, chance)
    try:
        found = json.dumps(run_tournament(TOURNAMENT, folder / "out", ALONE))
    except CommandError as error:
        _one_line(error)
        return REFUSED
    expect(found == summary, "the tournament ends otherwise")
    return UNHARMED


def position(chance: random.Random, _folder: Path) -> str:
    """A position by bytes."""
    game = GameRecord.from_json(a_record()).replay(chance.randrange(40))
    try:
        found = Game.from_bytes(damage(game.to_bytes(), chance))
    except ValueError as error:
        _one_line(error)
        return REFUSED
    expect(found.hash() == game.hash(), "another position passes")
    return UNHARMED


def spec(chance: random.Random, _folder: Path) -> str:
    """The spec of a bot."""
    written = chance.choice(("mcts:sims=4,worlds=2", "scripted", "expectation:worlds=3", "queller", "net:x"))
    try:
        make_bot(damage(written.encode(), chance).decode("latin-1"), 1)
    except BotError as error:
        _one_line(error)
        return REFUSED
    return UNHARMED


_EXPECTED = "refused in one line, or what it tells is unharmed"
FILES = (
    Fault("a damaged record of a game", _EXPECTED, 100, record),
    Fault("a damaged saved game", _EXPECTED, 60, saved_game),
    Fault("a damaged position", _EXPECTED, 80, position),
    Fault("a damaged network", _EXPECTED, 30, network),
    Fault("a damaged store of a tournament", _EXPECTED, 60, store),
    Fault("a damaged spec of a bot", _EXPECTED, 80, spec),
)
