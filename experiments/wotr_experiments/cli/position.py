"""The command ``wotr position``: checks, changes and prints positions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from wotr_env import Game
from wotr_env.core.kind import GameKind
from wotr_env.games.war_of_the_ring.codes import Decision
from wotr_env.games.war_of_the_ring.game import WAR_OF_THE_RING
from wotr_env.games.war_of_the_ring.setups import setup_of
from wotr_experiments.arena.schedule import find_ruleset
from wotr_experiments.cli import completion
from wotr_experiments.cli.options import Json, RecordNumber, Rules, print_json, seat_named
from wotr_experiments.cli.sources import (
    Begun,
    check_place,
    game_by_hand,
    read_source,
    recorded_game,
    setup_or_none,
)
from wotr_experiments.errors import CommandError, as_command_error


def position(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT|FILE|-]",
            help="A position as text, or a file with a position, with records (see --record and --at) or "
            "with the output of --json. - means standard input. By default a new game at its first "
            "choice of an action die.",
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Change a value, named by its path in the output of --json, such as turn=4, "
            'fellowship.corruption=5, regions.edoras.rohan=[3,0,1] or dice.shadow.unused={"army":2}. '
            "The decks are then shuffled again. Repeatable.",
        ),
    ] = None,
    game: RecordNumber = 1,
    at: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Take the position after this number of decisions of the game. By default after the last "
            "decision.",
        ),
    ] = None,
    eyes: Annotated[
        str | None,
        typer.Option(
            metavar="SEAT",
            autocompletion=completion.seats,
            help="Print only the information of this seat: free-peoples, shadow, gondor ...",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=2**63 - 1,
            help="Random seed: of a new game, of decks and dice in a changed position, or of the hidden "
            "information in the position of a seat.",
        ),
    ] = None,
    ruleset: Rules = None,
    as_text: Annotated[bool, typer.Option("--text", help="Print only the line of text.")] = False,
    as_json: Json = False,
) -> None:
    """Check a position, change it, and print it in words and as one line of text."""
    if as_text and as_json:
        raise CommandError("give --text or --json, not both")
    kind, played, setup = _given(source, game, at, seed, ruleset)
    if kind.positions is None:
        raise CommandError(f"{kind.title} has no text form of positions")
    if changes or setup is not None:
        if not isinstance(played, Game):
            raise CommandError(f"--set changes only positions of {WAR_OF_THE_RING.title}")
        played = _changed(played, setup, changes or (), seed)
    viewer = None if eyes is None else seat_named(eyes, played.ruleset.seats)
    text = kind.positions.write(played.state, viewer)
    if as_text:
        print(text)
        return
    seen = kind.positions.read(text, None, None)
    if as_json:
        print_json(_to_dict(kind, seen, text))
        return
    print(kind.words.described(seen.state))
    if seen.result is None:
        print(f"legal: {', '.join(_names(kind, seen))}")
    print(f"\n{text}")


def _given(
    source: str | None, game: int, at: int | None, seed: int | None, ruleset: str | None
) -> tuple[GameKind, Any, dict[str, Any] | None]:
    """The requested position: the kind of game, the game, and the setup written by hand, if any."""
    given = None if source is None else read_source(source, seed)
    if isinstance(given, list):
        if ruleset is not None:
            raise CommandError("a record has its own rules; leave out --ruleset")
        record = recorded_game(given, game)
        check_place(record, game, at)
        return record.kind, record.replay(at), None
    if at is not None or game != 1:
        raise CommandError("--record and --at need a file of records")
    if isinstance(given, Begun):
        if ruleset is not None:
            raise CommandError("a position has its own rules; leave out --ruleset")
        return given.kind, given.game, None
    if given is not None and ruleset is not None:
        raise CommandError("the file has its own rules; leave out --ruleset")
    begun = first_die(Game(seed or 0, find_ruleset(WAR_OF_THE_RING, ruleset)))
    return WAR_OF_THE_RING, begun, given


def first_die(game: Game) -> Game:
    """A new game after its first decisions (always the first legal action), at the first choice of an action
    die."""
    while not game.over and game.decision != Decision.ACTION_DIE:
        game.step(game.legal()[0])
    return game


def _changed(played: Game, given: dict[str, Any] | None, changes: Sequence[str], seed: int | None) -> Game:
    """The position by hand or of a game, with changes, as the start of a new game."""
    options, setup = played.ruleset.to_dict(), None
    if given is not None:
        options, setup = given.get("ruleset", {}), given["setup"]
    if setup is None:
        with as_command_error():
            setup = setup_of(played.state)
    for change in changes:
        _set(setup, change)
    return game_by_hand(setup, options, seed or 0)


def _set(setup: Any, change: str) -> None:
    """Changes a value by its path; it is checked when the position is made."""
    path, separator, written = change.partition("=")
    if not separator or not path:
        raise CommandError(f"--set takes PATH=VALUE, such as fellowship.corruption=5, not {change!r}")
    try:
        value = json.loads(written)
    except (ValueError, RecursionError):
        value = written  # a name
    *parents, name = path.split(".")
    inside = setup
    for parent in parents:
        inside = inside.setdefault(parent, {}) if isinstance(inside, dict) else None
    if not isinstance(inside, dict):
        raise CommandError(f"--set {change}: there is nothing to change at {path}")
    inside[name] = value


def _names(kind: GameKind, game: Any) -> list[str]:
    """The names of the legal actions."""
    return [kind.actions.names[action] for action in game.legal()]


def _to_dict(kind: GameKind, game: Any, text: str) -> dict[str, Any]:
    """A position for JSON; ``setup`` is None if the position cannot be changed by hand."""
    return {
        "position": text,
        "ruleset": game.ruleset.to_dict(),
        "words": kind.words.position(game.state),
        "seat": None if game.result is not None else game.ruleset.seats[int(game.state["seat"])].name,
        "asked": kind.words.decision(game.state),
        "legal": _names(kind, game),
        "setup": setup_or_none(game),
    }
