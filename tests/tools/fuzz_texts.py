"""Fuzzing texts from outside, and round trips of games through every form that they have as text.

``python -m tests.tools.fuzz_texts`` mutates 100,000 texts: positions, games, records, positions by
hand, specs of bots and of rulesets. Each must be refused in one line, or be what it says: a position that
is written again and played on, a record that replays or is refused by the replay. Then 2,000 games go
through JSON lines, text and Parquet (``wotr export``) and back, byte for byte, and positions of each through
their line of text.
Anything else ends the run with exit code 2 and prints the text.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import random
import sys
import tempfile
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import tqdm

from wotr_agents import BotError, parse_spec
from wotr_env import Game, GameRecord, Ruleset
from wotr_env.core.errors import RecordError
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.setups import position_from, setup_of
from wotr_experiments.cli.position import first_die
from wotr_experiments.data import read
from wotr_experiments.data.export import Export, export
from wotr_experiments.data.sources import SourceGame

COMMAND = "python -m tests.tools.fuzz_texts"
INPUTS = 100_000
GAMES = 2_000
_RULESETS = ("first", "second", "first:players=3", "second:players=4", "first:max_turns=2,null_events=false")
_SHORT = 60
"""Actions of the games whose texts are mutated."""
_CORPUS = 6
"""Texts of a parser that are mutated."""
_EDGES = (
    "-1",
    "0",
    "1",
    "127",
    "128",
    "255",
    "65536",
    "9223372036854775808",
    "1e999",
    "NaN",
    "null",
    "true",
    '""',
    "[]",
)
_LETTERS = "[]{}\"':;,=.-_ \n\t\x00éAZaz09"
_POSITIONS_EACH = 3
"""Of a game that goes round."""
_TOGETHER = 100
"""Games that go through Parquet at once."""


@dataclasses.dataclass(frozen=True)
class Parser:
    """Something that reads text from outside."""

    name: str
    texts: list[str]
    """That it reads."""
    read: Callable[[str], object]
    refuses: tuple[type[Exception], ...]
    """What it raises for what is none."""


class FoundError(Exception):
    """A text that was neither refused in one line nor read."""


def parsers(seed: int) -> list[Parser]:
    """Every parser, with texts of real play."""
    games = [played(seed + number, _RULESETS[number % len(_RULESETS)], _SHORT) for number in range(_CORPUS)]
    records = [GameRecord.from_game(game, ("",) * len(game.ruleset.seats)) for game in games]
    positions = [game.position(seat) for game in games for seat in (None, 0)]
    begun = GameRecord.from_game(Game.from_position(positions[0]))
    setups = [json.dumps(setup_of(first_die(Game(seed + number)).state)) for number in range(_CORPUS)]
    specs = [
        "mcts:sims=400,worlds=8",
        "search:net=zoo/laptop,sims=64",
        "scripted",
        "net:zoo/longer",
        "random",
    ]
    return [
        Parser("position", positions, _read_position, (ValueError,)),
        Parser("position, check repaired", positions, _read_repaired, (ValueError,)),
        Parser("game", [each.to_text() for each in records], _read_games, (RecordError,)),
        Parser("record", [each.to_json() for each in (*records, begun)], _read_record, (RecordError,)),
        Parser("position by hand", setups, _read_setup, (ValueError,)),
        Parser("bot", specs, parse_spec, (BotError,)),
        Parser("ruleset", list(_RULESETS), WAR_OF_THE_RING.find_ruleset, (TypeError, ValueError)),
    ]


def played(seed: int, ruleset: str, most: int) -> Game:
    """A game of random choices, at most so many."""
    dice = random.Random(seed)
    game = Game(seed, WAR_OF_THE_RING.find_ruleset(ruleset))
    while not game.over and len(game.actions) < most:
        game.step(dice.choice(game.legal()))
    return game


def _read_position(text: str) -> None:
    game = Game.from_position(text)
    if Game.from_position(game.position()).hash() != game.hash():
        raise FoundError("it is not written as it was read")
    for _ in range(3):
        if not game.over:
            game.step(game.legal()[0])


def _read_repaired(text: str) -> None:
    """With the check that fits, so that all that is behind it meets the text, too."""
    line = text.strip().rpartition(":")[0]
    _read_position(f"{line}:{zlib.crc32(line.encode()):08x}")


def _read_games(text: str) -> None:
    for record in GameRecord.from_text(text):
        record.verify()


def _read_record(text: str) -> None:
    GameRecord.from_json(text).verify()


def _read_setup(text: str) -> None:
    Game.from_state(position_from(json.loads(text), Ruleset.first_edition(), 1))


def mutated(text: str, dice: random.Random) -> str:
    """A text with one to four changes."""
    for _ in range(dice.randint(1, 4)):
        if not text:
            return text
        place = dice.randrange(len(text))
        end = min(len(text), place + dice.choice((1, 1, 2, 8, 64)))
        change = dice.randrange(6)
        if change == 0:
            text = text[:place] + dice.choice(_LETTERS) + text[place + 1 :]
        elif change == 1:
            text = text[:place] + text[end:]
        elif change == 2:
            text = text[:end] + text[place:end] * dice.choice((1, 1, 3)) + text[end:]
        elif change == 3:
            text = text[:place] + text[dice.randrange(len(text)) :][: end - place] + text[end:]
        else:
            numbers = [each for each in range(len(text)) if text[each].isdigit()]
            if numbers:
                place = dice.choice(numbers)
                text = text[:place] + dice.choice(_EDGES) + text[place + 1 :]
    return text


def fuzz(inputs: int, seed: int) -> dict[str, collections.Counter[str]]:
    """Mutates so many texts, of each parser as many; what became of them.

    Raises:
        FoundError: one was neither refused in one line nor read.
    """
    dice = random.Random(seed)
    found: dict[str, collections.Counter[str]] = {}
    kinds = parsers(seed)
    for number in tqdm.tqdm(range(inputs), unit="text", disable=not sys.stderr.isatty()):
        parser = kinds[number % len(kinds)]
        text = mutated(dice.choice(parser.texts), dice)
        found.setdefault(parser.name, collections.Counter())[_tried(parser, text)] += 1
    return found


def _tried(parser: Parser, text: str) -> str:
    try:
        parser.read(text)
    except parser.refuses as error:
        if "\n" in str(error) or not str(error):
            raise FoundError(f"{parser.name}: {text!r} is refused, not in one line: {error!r}") from None
        return "refused"
    except FoundError as error:
        raise FoundError(f"{parser.name}: {text!r}: {error}") from None
    except Exception as error:
        raise FoundError(f"{parser.name}: {text!r} raised {error!r}") from error
    return "read"


def round_trips(games: int, seed: int) -> int:
    """Has so many games of all rulesets go through text and back; returns the number of positions that did.

    Raises:
        FoundError: one came back as another.
    """
    dice = random.Random(seed)
    positions = 0
    together: list[GameRecord] = []
    for number in tqdm.tqdm(range(games), unit="game", disable=not sys.stderr.isatty()):
        game = played(seed + number, _RULESETS[number % len(_RULESETS)], 100_000)
        record = GameRecord.from_game(game)
        told = number % 20 == 0  # what is for people takes most of the time
        if [record] != GameRecord.from_text(record.to_text(told)) or record != GameRecord.from_json(
            record.to_json()
        ):
            raise FoundError(f"the game of seed {seed + number} came back as another")
        for _ in range(_POSITIONS_EACH):
            middle = record.replay(dice.randrange(len(record.actions) + 1))
            if Game.from_position(middle.position()).state.tobytes() != middle.state.tobytes():
                raise FoundError(f"a position of the game of seed {seed + number} came back as another")
            positions += 1
        together.append(record)
        if len(together) == _TOGETHER or number == games - 1:
            _through_parquet(together)
            together = []
    return positions


def _through_parquet(records: Sequence[GameRecord]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "games"
        source = iter([SourceGame(record, "fuzz", number) for number, record in enumerate(records)])
        export([source], folder, Export(tables=("games",)))
        for record, again in zip(records, read.records(folder), strict=True):
            if record.to_json() != again.to_json():
                raise FoundError(f"the game of seed {record.seed} came back from Parquet as another")


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--inputs", type=int, default=INPUTS, help="texts that are mutated")
    parser.add_argument("--games", type=int, default=GAMES, help="that go through text and back")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        for name, counts in fuzz(options.inputs, options.seed).items():
            print(f"{name}: {counts['refused']} refused, {counts['read']} read")
        positions = round_trips(options.games, options.seed)
    except FoundError as error:
        print(f"fuzz_texts: {error}", file=sys.stderr)
        return 2
    print(f"{options.games} games and {positions} positions came back as they were")
    return 0


if __name__ == "__main__":
    sys.exit(main())
