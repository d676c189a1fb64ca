"""The messages between a host, which runs the games, and a program, which decides: protocol version 1.

    the host                                     the program
    hello      once, first                       ready
    new_game   if the host identifies games      nothing
    decide     one decision, or many             actions, or error
    end_game   if the host identifies games      nothing
    end        the last message                  exits

Both sides ignore unknown fields and types. docs/protocol.md describes the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wotr_env.core.kind import GameKind
from wotr_env.core.states import state_hash
from wotr_env.play.bots import BotView, NoActionError

VERSION = 1
PROTOCOL = "wotr-stdio"
_LONGEST_NAME = 100
_LONGEST_WORDS = 200


class WrongMessageError(Exception):
    """A message violates the protocol; the error text describes the violation."""


PARTS = ("observation", "named", "text", "position", "events", "history")
"""Optional parts of a decision that a program can request."""


@dataclasses.dataclass(frozen=True)
class Ready:
    """A program's answer to the handshake."""

    name: str = ""
    batch: bool = False
    """Whether the program accepts many decisions in one line."""
    wants: frozenset[str] = frozenset()
    """The requested parts, some of ``PARTS``."""


def hello(kind: GameKind, seed: int) -> dict[str, Any]:
    """The first message.

    Args:
        kind: the game.
        seed: seed of the program's random numbers, below 2**32.
    """
    fields = [{"name": each.name, "shape": list(each.shape)} for each in kind.layout.fields]
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "version": VERSION,
        "game": kind.name,
        "rules_version": kind.rules_version,
        "seed": seed,
        "actions": list(kind.actions.names),
        "fields": fields,
    }


def read_ready(message: Mapping[str, Any], kind: GameKind) -> Ready:
    """Reads the answer to ``hello``; raises WrongMessageError if it is invalid."""
    _check_type(message, "ready")
    if (version := message.get("version")) != VERSION or isinstance(version, bool):
        raise WrongMessageError(
            f"speaks version {_shown(version)} of the protocol; this package speaks {VERSION}"
        )
    name, batch, wants = message.get("name", ""), message.get("batch", False), message.get("wants", [])
    if not isinstance(name, str):
        raise WrongMessageError(f"answered with the name {_shown(name)}, which is not a text")
    if not isinstance(batch, bool):
        raise WrongMessageError(f"answered with batch {_shown(batch)}, neither true nor false")
    offered = [part for part in PARTS if part != "position" or kind.positions is not None]
    if not isinstance(wants, list) or any(each not in offered for each in wants):
        raise WrongMessageError(f"wants {_shown(wants)}, but the parts are {', '.join(offered)}")
    return Ready(" ".join(name.split())[:_LONGEST_NAME], batch, frozenset(wants))


def decisions_of(view: BotView, kind: GameKind, wants: frozenset[str]) -> list[dict[str, Any]]:
    """The messages for the decisions of a view. They contain no information hidden from the deciding seat.

    Words, position and hash come from a world that depends only on the seat's knowledge: they are the same
    for all positions that the seat cannot distinguish (docs/notation.md).

    Args:
        view: a view of B games.
        kind: the game.
        wants: some of ``PARTS``.

    Raises:
        BotError: the view has no worlds.
    """
    games = len(view.seats)
    worlds = view.worlds_from(1, np.zeros(games, dtype=np.int64))[:, 0]
    observations = view.observations if wants & {"observation", "named"} else None
    past = view.past
    events = past.events() if past is not None and "events" in wants else None
    history = past.history() if past is not None and "history" in wants else None
    found = []
    for row in range(games):
        world, legal = worlds[row], np.flatnonzero(view.masks[row]).tolist()
        told: dict[str, Any] = {
            "game": None if past is None else name_of(int(past.games[row])),
            "number": None if past is None else int(past.decisions[row]),
            "seat": int(view.seats[row]),
            "decision": None if kind.decision is None else kind.decision(world),
            "legal": [kind.actions.names[action] for action in legal],
            "hash": state_hash(world),
        }
        if "text" in wants:
            told["text"] = kind.words.described(world)
            told["words"] = [kind.words.action(world, action) for action in legal]
        if "events" in wants:
            told["events"] = None if events is None else events[row]
        if "history" in wants:
            told["history"] = None if history is None else history[row]
        if "position" in wants:
            assert kind.positions is not None  # else nobody may want it
            told["position"] = kind.positions.write(world, int(view.seats[row]))
        if observations is not None and "observation" in wants:
            told["observation"] = observations[row].tolist()
        if observations is not None and "named" in wants:
            told["named"] = _named(observations[row], kind)
        found.append(told)
    return found


def _named(observation: np.ndarray, kind: GameKind) -> dict[str, Any]:
    """The parts of an observation by name, as nested lists."""
    return {name: part.tolist() for name, part in kind.layout.named(observation).items()}


def name_of(game: int) -> str:
    """The name of a game for the program, from its number in ``GameHistory.games``."""
    return str(game)


def new_game(game: int, seat: int, kind: GameKind) -> dict[str, Any]:
    """The message for a new game of a seat, or for the program's first decision in a game."""
    return {"type": "new_game", "game": name_of(game), "kind": kind.name, "seat": seat}


def end_game(game: int, winner: int, kind: GameKind) -> dict[str, Any]:
    """The message for a finished game; the winner is a team or ``GameKind.draw``."""
    return {"type": "end_game", "game": name_of(game), "winner": kind.winner_name(winner)}


def decide(number: int, seconds: float | None, decisions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The message that requests actions for some decisions, with a time limit in seconds for all of them;
    None: no limit."""
    return {"type": "decide", "id": number, "seconds": seconds, "decisions": list(decisions)}


def read_actions(message: Mapping[str, Any], number: int, count: int) -> list[Any]:
    """Reads the actions from the answer to ``decide``; checks only their number. Raises WrongMessageError if
    the message is invalid."""
    _check_type(message, "actions")
    if message.get("id") != number or isinstance(message["id"], bool):
        raise WrongMessageError(f"answered question {_shown(message.get('id'))} instead of {number}")
    actions = message.get("actions")
    if not isinstance(actions, list) or len(actions) != count:
        given = f"{len(actions)}" if isinstance(actions, list) else _shown(actions)
        raise WrongMessageError(f"answered with {given} actions instead of {count}")
    return actions


def read_action(answer: Any, decision: Mapping[str, Any], ids: Mapping[str, int]) -> int:
    """Returns the id of an action given by name; the action need not be legal.

    Raises:
        NoActionError: the name is not an action of the game.
    """
    if not isinstance(answer, str) or answer not in ids:
        legal = ", ".join(decision["legal"][:4]) + (", ..." if len(decision["legal"]) > 4 else "")
        raise NoActionError(f"{_shown(answer)}, which is no action of the game; legal: {legal}")
    return ids[answer]


def _check_type(message: Mapping[str, Any], wanted: str) -> None:
    """Raises WrongMessageError if the message has another type, with the program's message if it reports an
    error."""
    found = message.get("type")
    if found == "error":
        raise WrongMessageError(f"reports an error: {_shown(message.get('message'))}")
    if found != wanted:
        raise WrongMessageError(f"answered with type {_shown(found)} instead of {wanted}")


def _shown(value: Any) -> str:
    """Any JSON as a short printable text."""
    text = " ".join(repr(value).split())
    text = text if len(text) <= _LONGEST_WORDS else text[:_LONGEST_WORDS] + "..."
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
