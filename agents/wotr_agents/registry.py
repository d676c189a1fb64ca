"""The registry of bots, by specs: ``name``, ``name:key=value,key=value`` or ``name:value``.

Other packages add bots through entry points of the group ``wotr.bots``; each is a ``BotKind``:

    [project.entry-points."wotr.bots"]
    mine = "my_package.bots:MINE"

Each bot declares its games and is refused for other games. ``scripted`` plays each game with the policy of
the game (``policies.py``). Other packages can add policies.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import importlib.metadata
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from wotr_agents.belief.model import belief_of, files_of_belief
from wotr_agents.games.war_of_the_ring.queller.bot import QuellerBot, QuellerParameters
from wotr_agents.games.war_of_the_ring.scripted.bot import ScriptedBot, ScriptedParameters
from wotr_agents.networks.bot import NetBot, NetParameters, game_of_network
from wotr_agents.networks.files import find_network
from wotr_agents.parameters import choices_of, parameters_of
from wotr_agents.policies import OWN_POLICIES, scripted_bot, scripted_parameters
from wotr_agents.random import RandomBot, RandomParameters
from wotr_agents.search.expectation import ExpectationBot, ExpectationParameters, expectation_parameters
from wotr_agents.search.games import can_search
from wotr_agents.search.guided_bot import BelievingSearchParameters, SearchBot, search_parameters
from wotr_agents.search.mcts import MctsBot, MctsParameters, mcts_parameters
from wotr_agents.search.playouts_bot import BelievingPlayoutsParameters, PlayoutsBot, playouts_parameters
from wotr_agents.stdio.bot import StdioBot, StdioParameters, files_of_program
from wotr_env.core.spelling import did_you_mean
from wotr_env.play.bots import Bot, BotError
from wotr_env.play.games import DEFAULT_GAME, OWN_GAMES
from wotr_env.play.plugins import Plugins, find_plugins

ENTRY_POINTS = "wotr.bots"

_KEY = re.compile(r"[\w-]*")
_PART = re.compile(r'(?:^|(?<=,))((?:[^",]|"[^"]*")*)(?:,|\Z)')
"""A part of the parameters in a spec."""
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclasses.dataclass(frozen=True)
class BotKind:
    """A registered bot."""

    name: str
    summary: str
    """One line for ``wotr bots``."""
    parameters: type
    """A frozen dataclass whose fields are ``bool``, ``int``, ``float``, ``str`` or a ``Literal`` of words;
    the docstring of a field is its help."""
    build: Callable[[Any, int], Bot]
    """Makes the bot from its parameters and a seed."""
    games: tuple[str, ...] | None = (DEFAULT_GAME,)
    """The names of its games; None: every game."""
    game_of: Callable[[Any], str] | None = None
    """Returns the name of the only game for given parameters, if they determine it (a file may)."""
    files: Callable[[Any], Iterable[Path]] = lambda _parameters: ()
    """Returns the files that the bot uses with given parameters, for ``wotr_agents.identity``; raises
    BotError if a file is missing."""
    build_for: Callable[[Any, int, str], Bot] | None = None
    """Like ``build``, with the name of the game as a third argument; for bots that need the game."""
    parameters_in: Callable[[str], type | None] | None = None
    """Returns the parameters of the bot in a game, given by name, instead of ``parameters``; None: the bot
    does not play this game. With this function, a bot may play more games than ``games``, which then lists
    the games of this package."""
    starts_program: bool = False
    """Whether its parameters name a program to start. Such a bot always runs in a separate process, and
    external files and web pages may not name it."""
    slow: bool = False
    """Whether a decision may take long, so that batches must be small."""
    values: str = "the bot's own values"
    """The meaning of the values of ``explain``, in words; unused for a bot without ``explain``."""

    def plays(self, game: str) -> bool:
        """Whether the bot plays a game, at least with some parameters."""
        if self.games is None or game in self.games:
            return True
        return self.parameters_in is not None and self.parameters_in(game) is not None

    def in_game(self, game: str) -> BotKind:
        """The same bot with its parameters in a game."""
        parameters = None if self.parameters_in is None else self.parameters_in(game)
        return self if parameters is None else dataclasses.replace(self, parameters=parameters)

    def to_dict(self) -> dict[str, Any]:
        """The description of the bot for JSON. A required parameter has ``required`` true and default null.

        ``games`` is null if the bot plays every game, or if its parameters determine the game.
        """
        return {
            "bot": self.name,
            "summary": self.summary,
            "games": None if self.games is None else list(self.games),
            "parameters": [parameter.to_dict() for parameter in parameters_of(self.parameters)],
        }


CHANCE = "probability that its own side wins"
"""``BotKind.values`` of bots whose values are winning chances, from 0 to 1."""
PROBABILITY = "probability that the bot plays it"
"""``BotKind.values`` of bots whose values are probabilities of their choice, from 0 to 1."""

RANDOM = BotKind(
    "random",
    "plays a random legal action",
    RandomParameters,
    RandomBot,
    games=None,
    values=PROBABILITY,
)

SCRIPTED = BotKind(
    "scripted",
    "plays by rules of thumb",
    ScriptedParameters,
    ScriptedBot,
    games=tuple(OWN_POLICIES),
    build_for=scripted_bot,
    parameters_in=scripted_parameters,
    values="score by rules of thumb",
)

MCTS = BotKind(
    "mcts",
    (
        "tree search over sampled worlds; the scripted policy, if the game has one, gives the priors and "
        "plays the rollouts"
    ),
    MctsParameters,
    lambda parameters, seed: MctsBot(parameters, seed, DEFAULT_GAME),
    games=tuple(filter(can_search, OWN_GAMES)),
    build_for=MctsBot,
    parameters_in=mcts_parameters,
    files=lambda parameters: files_of_belief(belief_of(parameters)),
    values=CHANCE,
    slow=True,
)

QUELLER = BotKind(
    "queller",
    "plays the Shadow after the Queller bot by Quitch, and the Free Peoples like scripted",
    QuellerParameters,
    QuellerBot,
    values="score by rules of thumb",
)

EXPECTATION = BotKind(
    "expectation",
    "tries every action in sampled worlds and evaluates the position after it",
    ExpectationParameters,
    ExpectationBot,
    games=tuple(filter(can_search, OWN_GAMES)),
    build_for=ExpectationBot,
    parameters_in=expectation_parameters,
    values=CHANCE,
    slow=True,
)

NET = BotKind(
    "net",
    "plays by a trained network",
    NetParameters,
    NetBot,
    games=None,
    game_of=lambda parameters: game_of_network(parameters.path),
    files=lambda parameters: [find_network(parameters.path)],
    values=PROBABILITY,
)

SEARCH = BotKind(
    "search",
    "tree search over sampled worlds, guided by a trained network",
    BelievingSearchParameters,
    SearchBot,
    games=tuple(filter(can_search, OWN_GAMES)),
    parameters_in=search_parameters,
    game_of=lambda parameters: game_of_network(parameters.net),
    files=lambda parameters: [
        *map(find_network, parameters.networks),
        *files_of_belief(belief_of(parameters)),
    ],
    values=CHANCE,
    slow=True,
)

PLAYOUTS = BotKind(
    "playouts",
    "plays by a trained network, and compares likely actions by playouts",
    BelievingPlayoutsParameters,
    PlayoutsBot,
    games=tuple(filter(can_search, OWN_GAMES)),
    parameters_in=playouts_parameters,
    game_of=lambda parameters: game_of_network(parameters.net),
    files=lambda parameters: [
        find_network(parameters.net),
        *files_of_belief(belief_of(parameters)),
    ],
    values=CHANCE,
    slow=True,
)

STDIO = BotKind(
    "stdio",
    "any program that follows the protocol of docs/protocol.md (JSON lines)",
    StdioParameters,
    lambda parameters, seed: StdioBot(parameters, seed, DEFAULT_GAME),
    games=None,
    files=files_of_program,
    build_for=StdioBot,
    starts_program=True,
)

_BUILT_IN = {
    kind.name: kind for kind in (RANDOM, SCRIPTED, QUELLER, EXPECTATION, MCTS, NET, SEARCH, PLAYOUTS, STDIO)
}


@functools.cache
def bot_plugins() -> Plugins[BotKind]:
    """The registered bots, and the entry points that cannot be used."""

    def check(found: Any) -> str | None:
        fits = isinstance(found, BotKind) and dataclasses.is_dataclass(found.parameters)
        return None if fits else f"must be a BotKind, not {found!r}"

    return find_plugins(ENTRY_POINTS, _BUILT_IN, check)


def bot_kinds() -> Mapping[str, BotKind]:
    """All registered bots by name: the bots of this package, then the usable bots of other packages."""
    return bot_plugins().kinds


def built_in_kinds() -> Mapping[str, BotKind]:
    """The bots of this package by name; no other package is loaded."""
    return _BUILT_IN


def has_plugin_bots() -> bool:
    """Whether bots of other packages are installed; none is loaded."""
    return bool(importlib.metadata.entry_points(group=ENTRY_POINTS))


def is_built_in(spec: str) -> bool:
    """Whether a spec names a bot of this package; no other package is loaded."""
    return spec.partition(":")[0] in _BUILT_IN


def starts_program(spec: str) -> bool:
    """Whether a spec names a program to start, as ``stdio`` does; no other package is loaded."""
    kind = _BUILT_IN.get(spec.partition(":")[0])
    return kind is not None and kind.starts_program


def is_slow(spec: str) -> bool:
    """Whether a spec names a slow bot of this package (``BotKind.slow``); no other package is loaded."""
    kind = _BUILT_IN.get(spec.partition(":")[0])
    return kind is not None and kind.slow


def parse_spec(spec: str, game: str | None = None) -> tuple[BotKind, Any]:
    """The kind of bot of a spec, and its parameters (an instance of ``kind.parameters``).

    Args:
        spec: the spec, such as ``mcts:sims=400``. A value may be in double quotes; then it may contain
            commas, and ``""`` for a quote.
        game: the name of the game; None: any game.

    Raises:
        BotError: the bot or a parameter is unknown, given twice, or has a bad value, or the bot cannot be
            used or does not play the game.
    """
    if not isinstance(spec, str):
        raise BotError(f"a bot is given by a spec such as 'mcts:sims=400', not by {spec!r}")
    name, _, text = spec.partition(":")
    kinds, broken, _ = Plugins(_BUILT_IN, {}, {}) if name in _BUILT_IN else bot_plugins()
    if name in broken and name not in kinds:
        raise BotError(broken[name])
    if name not in kinds:
        raise BotError(f"unknown bot {name!r}; known: {', '.join(kinds)}{did_you_mean(name, kinds)}")
    kind = kinds[name]
    if game is not None and not kind.plays(game):
        raise BotError(f"bot {name} does not play {game}; it plays {', '.join(kind.games or ())}")
    if game is not None:
        kind = kind.in_game(game)
    return kind, _parse_parameters(kind, text)


def canonical_spec(spec: str, game: str | None = None) -> str:
    """The spec with only the parameters that differ from their defaults, in order of declaration.

    Arguments and errors are those of ``parse_spec``.
    """
    kind, parameters = parse_spec(spec, game)
    changed = [
        f"{field.name}={_text(getattr(parameters, field.name))}"
        for field in dataclasses.fields(parameters)
        if getattr(parameters, field.name) != field.default
    ]
    return f"{kind.name}:{','.join(changed)}" if changed else kind.name


def display_spec(spec: str) -> str:
    """A spec for people: without the name of the parameter for a program, as in ``stdio:python3 bot.py``."""
    name, _, text = spec.partition(":")
    key, equals, rest = text.partition("=")
    if not equals or not starts_program(spec):
        return spec
    kind = _BUILT_IN[name]
    is_first = key == dataclasses.fields(kind.parameters)[0].name
    short = f"{name}:{rest}"
    with contextlib.suppress(BotError):
        return short if is_first and parse_spec(short) == parse_spec(spec) else spec
    return spec


def make_bot(spec: str, seed: int, game: str = DEFAULT_GAME) -> Bot:
    """Makes the bot of a spec.

    Args:
        spec: the spec, such as ``random``.
        seed: seed of the bot's random stream, 0 <= seed < 2**63.
        game: the name of the game.

    Raises:
        BotError: as ``parse_spec``, or the parameters are for another game, or a file that they name cannot
            be read.
    """
    kind, parameters = _parsed_for(spec, game)
    if kind.build_for is not None:
        return kind.build_for(parameters, seed, game)
    return kind.build(parameters, seed)


def check_spec(spec: str, game: str) -> str:
    """The ``canonical_spec``, after a check that the files of the spec exist; no bot is made.

    Raises:
        BotError: as ``make_bot``, except for errors that occur only when the bot is made.
    """
    kind, parameters = _parsed_for(spec, game)
    for _file in kind.files(parameters):
        pass  # those that there are not raise
    return canonical_spec(spec, game)


def _parsed_for(spec: str, game: str) -> tuple[BotKind, Any]:
    kind, parameters = parse_spec(spec, game)
    if kind.game_of is not None and (found := kind.game_of(parameters)) != game:
        raise BotError(f"bot {spec} is for {found}, not for {game}")
    return kind, parameters


def _parse_parameters(kind: BotKind, text: str) -> Any:
    fields = {field.name: field for field in dataclasses.fields(kind.parameters)}
    types = typing.get_type_hints(kind.parameters)
    values: dict[str, Any] = {}
    for position, part in enumerate(_split(kind, text)):
        key, equals, value = part.partition("=")
        if position == 0 and fields and not (equals and _KEY.fullmatch(key)):
            key, value = next(iter(fields)), part
        elif not equals:
            raise BotError(f"bot {kind.name}: {part!r} does not have the form key=value; {_known(fields)}")
        if key not in fields:
            known = _known(fields) + did_you_mean(key, fields)
            raise BotError(f"bot {kind.name}: unknown parameter {key!r}; {known}")
        if key in values:
            raise BotError(f"bot {kind.name}: parameter {key} is given twice")
        values[key] = _parse_value(kind, key, types[key], _unquoted(value))
    for name, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in values:
            raise BotError(f"bot {kind.name}: parameter {name} is missing; give {kind.name}:{name}=VALUE")
    try:
        return kind.parameters(**values)
    except ValueError as error:
        raise BotError(f"bot {kind.name}: {error}") from error


def _split(kind: BotKind, text: str) -> list[str]:
    """Splits a text at commas outside quotes."""
    if text.count('"') % 2:
        raise BotError(f"bot {kind.name}: a double quote is not closed in {text!r}")
    return _PART.findall(text) if text else []


def _unquoted(value: str) -> str:
    return value[1:-1].replace('""', '"') if _QUOTED.fullmatch(value) else value


def _parse_value(kind: BotKind, key: str, wanted: type, text: str) -> Any:
    if choices := choices_of(wanted):
        if text not in choices:
            raise BotError(f"bot {kind.name}: parameter {key} is one of {', '.join(choices)}, not {text!r}")
        return text
    try:
        return _TRUTH[text.lower()] if wanted is bool else wanted(text)
    except (KeyError, ValueError):
        words = {bool: "true or false", int: "a whole number", float: "a number"}
        raise BotError(
            f"bot {kind.name}: parameter {key} must be {words.get(wanted, wanted.__name__)}, not {text!r}"
        ) from None


def _text(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text


def _known(names: Mapping[str, Any]) -> str:
    return f"known: {', '.join(names)}" if names else "it has no parameters"
