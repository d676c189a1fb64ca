"""Shell completion of values: bots with their parameters, seats, games, rulesets.

Nothing is compiled or opened: files of the zoo are listed but not read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Any

import typer

from wotr_agents import BotKind, bot_kinds
from wotr_agents.belief.model import ZOO as BELIEFS
from wotr_agents.networks.files import FIXED_NAMES, ZOO
from wotr_agents.networks.weight_files import zoo_names
from wotr_agents.parameters import Parameter, parameters_of
from wotr_env.core.kind import GameKind
from wotr_env.core.spelling import canonical_name
from wotr_env.play.games import DEFAULT_GAME, game_kind, game_kinds

Offered = list[tuple[str, str]]
"""Values, each with a description."""
_NETWORKS = ("path", "net", "versus")
"""Parameters that name a network."""
_BELIEF = "belief"
_BREAKS = re.compile(r"[:=]")
"""Characters at which bash starts a new word."""


def bots(context: typer.Context, incomplete: str) -> Offered:
    """Completes specs: the name, and after a colon the parameters."""
    game = context.params.get("game") or DEFAULT_GAME
    kinds = {name: kind for name, kind in bot_kinds().items() if kind.plays(game)}
    name, colon, _ = incomplete.partition(":")
    if not colon:
        return _offered(incomplete, ((each, kind.summary) for each, kind in kinds.items()))
    return (
        _offered(incomplete, _with_parameters(kinds[name].in_game(game), incomplete)) if name in kinds else []
    )


def seated_bots(context: typer.Context, incomplete: str) -> Offered:
    """Completes ``SEAT=SPEC``."""
    seat, equals, spec = incomplete.partition("=")
    if not equals:
        return [(f"{name}=", title) for name, title in seats(context, incomplete)]
    return [(f"{seat}={value}", meaning) for value, meaning in bots(context, spec)]


def seats(context: typer.Context, incomplete: str) -> Offered:
    """Completes seats of the game and ruleset given earlier; by default of two players."""
    kind = _game_of(context)
    try:
        ruleset = kind.find_ruleset(context.params.get("ruleset") or "")
    except ValueError:
        return []
    return _offered(incomplete, ((canonical_name(seat.name), seat.title) for seat in ruleset.seats))


def games(incomplete: str) -> Offered:
    """Completes names of games."""
    return _offered(incomplete, ((name, kind.title) for name, kind in game_kinds().items()))


def rulesets(context: typer.Context, incomplete: str) -> Offered:
    """Completes rulesets of the game, and after a colon their options."""
    kind = _game_of(context)
    name, colon, changes = incomplete.partition(":")
    if not colon:
        return _offered(incomplete, ((each, "") for each in kind.rulesets))
    if name not in kind.rulesets:
        return []
    head, _, _ = changes.rpartition(",")
    given = {each.partition("=")[0] for each in head.split(",")}
    begun = f"{name}:{head}{',' if head else ''}"
    return _offered(
        incomplete,
        (
            (f"{begun}{field.name}={value}", field.metadata.get("about", ""))
            for field in dataclasses.fields(kind.rulesets[name])
            if field.name not in given
            for value in _values_of_option(field)
        ),
    )


def complete_for_bash(complete: Callable[[], object]) -> int:
    """Completes a word that bash has divided, and prints the completions of its last part.

    Args:
        complete: prints completions of whole words, by typer.
    """
    before = _join_words(os.environ)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
        complete()
    for line in filter(None, said.getvalue().splitlines()):
        print(line.removeprefix(before))
    return 0


def _join_words(environment: MutableMapping[str, str]) -> str:
    """Joins words that bash has divided at colons and equals signs, in the environment variables.

    Returns:
        The part before bash's current word, which must not be repeated.
    """
    words, place = environment["COMP_WORDS"].split(" "), int(environment["COMP_CWORD"])
    joined: list[str] = []
    at = 0
    glued = False
    for number, word in enumerate(words):
        breaks = word in (":", "=", "::")
        if joined and number > 1 and (breaks or glued):
            joined[-1] += word
        else:
            joined.append(word)
        glued = breaks
        if number <= place:
            at = len(joined) - 1
    environment["COMP_WORDS"], environment["COMP_CWORD"] = " ".join(joined), str(at)
    whole = joined[at] if at < len(joined) else ""
    ends = [found.end() for found in _BREAKS.finditer(whole)]
    return whole[: ends[-1]] if ends else ""


def _game_of(context: typer.Context) -> GameKind:
    with contextlib.suppress(ValueError):
        return game_kind(context.params.get("game") or DEFAULT_GAME)
    return game_kind(DEFAULT_GAME)


def _offered(incomplete: str, values: Iterable[tuple[str, str]]) -> Offered:
    return [(value, meaning) for value, meaning in values if value.startswith(incomplete)]


def _with_parameters(kind: BotKind, incomplete: str) -> Iterator[tuple[str, str]]:
    """Specs that extend a spec by values of each parameter that is not given."""
    known = {each.name: each for each in parameters_of(kind.parameters)}
    before = incomplete[: max(incomplete.rfind(","), incomplete.index(":")) + 1]
    given = {part.partition("=")[0] for part in before.partition(":")[2].split(",")}
    first = next(iter(known.values()), None)
    if first is not None and before.endswith(":"):
        yield from ((before + value, first.help) for value in _values(first) if first.required)
    for name, each in known.items():
        if name not in given:
            yield from ((f"{before}{name}={value}", each.help) for value in _values(each))


def _values(parameter: Parameter) -> Iterable[str]:
    """Possible values of a parameter; for a number, the default."""
    if parameter.choices:
        return parameter.choices
    if parameter.name in _NETWORKS:
        return [*FIXED_NAMES, *zoo_names(ZOO)]
    if parameter.name == _BELIEF:
        return zoo_names(BELIEFS)
    if parameter.type == "bool":
        return ("true", "false")
    return ("" if parameter.required else str(parameter.default),)


def _values_of_option(field: dataclasses.Field[Any]) -> Iterable[str]:
    meanings = field.metadata.get("meanings")
    words = [str(value).lower() for value in meanings or (field.default,)]
    return [word for word in words if " " not in word]
