"""Checks of the settings of a new table."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from wotr_env.core.kind import GameKind
from wotr_env.core.values import check_seed
from wotr_env.play.games import game_kind
from wotr_experiments.chance import new_seed
from wotr_experiments.isolation.listing import ListedBot
from wotr_experiments.persons import PERSON
from wotr_experiments.table.clocks import ClockRule
from wotr_experiments.table.meeting import OFF, Options
from wotr_experiments.table.messages import NewTable, Refused, Watch, refusing
from wotr_experiments.table.viewers import Link, view_of_name


def rules_of(wanted: NewTable) -> tuple[GameKind, Any]:
    """The game and the ruleset of a new table; raises Refused if one does not exist."""
    with refusing((TypeError, ValueError)):
        kind = game_kind(wanted.game)
        return kind, kind.find_ruleset(wanted.ruleset)


def seed_of(wanted: NewTable) -> int:
    """The seed of a new table; raises Refused if the text is not a seed."""
    if wanted.seed is None:
        return new_seed()
    with refusing():
        return check_seed(int(wanted.seed))


def link_of(wanted: Watch, ruleset: Any) -> Link:
    """A spectator link; raises Refused if there is no such view."""
    if view_of_name(wanted.view, ruleset) is None:
        raise Refused("message", f"a link shows the public view or the view of a seat, not {wanted.view}")
    return Link(wanted.view, wanted.delay)


def check_no_files(bot: ListedBot, text: str) -> None:
    """Raises Refused for parameters of a spec that may name files outside the zoo."""
    by_name = {each["name"]: each for each in bot.parameters}
    for place, part in enumerate(text.split(",") if text else []):
        name, equals, value = part.partition("=")
        if not equals and place == 0 and by_name:
            name, value = next(iter(by_name)), part
        known = by_name.get(name, {"type": "str", "default": None})
        if known["type"] == "str" and value != known["default"] and not _in_zoo(value):
            raise Refused("bot", f"here {name} of a bot is of the form zoo/NAME, not {value!r}")


def _in_zoo(value: str) -> bool:
    folder, _, name = value.partition("/")
    return folder == "zoo" and name.replace("-", "").replace("_", "").isalnum()


def options_of(wanted: NewTable, seats: Mapping[str, str]) -> Options:
    """The options of a new table about people.

    Args:
        wanted: the settings.
        seats: the player of each seat, by name.

    Raises:
        Refused: the options contradict each other or the table.
    """
    people = [name for name, who in seats.items() if who == PERSON]
    if wrong := [name for name in wanted.lobby if name not in people]:
        raise Refused("message", f"the list can only offer seats of people, not {wrong[0]}")
    if wanted.chat != OFF and not people:
        raise Refused("message", "a chat needs a person at the table")
    return Options(_clock_of(wanted, people), wanted.chat, tuple(dict.fromkeys(wanted.lobby)))


def _clock_of(wanted: NewTable, people: Sequence[str]) -> ClockRule | None:
    if wanted.clock is None:
        return None
    rule = ClockRule(wanted.clock.game, wanted.clock.increment, wanted.clock.move)
    if bool(rule.game) == bool(rule.move) or (rule.move and rule.increment):
        raise Refused(
            "message",
            "a clock has a time for the game or for each move; only the former has an increment",
        )
    if wanted.study or wanted.own_dice:
        raise Refused("message", "a study game and a game with own dice have no clock")
    if not people:
        raise Refused("message", "a clock needs a person at the table")
    return rule


def players(kind: GameKind) -> dict[str, Sequence[Any]]:
    """The seats of the default ruleset by number of players, for games with that option."""
    default = kind.find_ruleset()
    if not hasattr(default, "players"):
        return {str(len(default.seats)): default.seats}
    found = {}
    for number in range(1, 11):
        with contextlib.suppress(ValueError):
            found[str(number)] = dataclasses.replace(default, players=number).seats
    return found
