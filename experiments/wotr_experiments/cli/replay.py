"""The command ``wotr replay``: a game of a file in words, as JSON or as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from wotr_env import GameRecord, Ruleset
from wotr_env.actions import ACTION_NAMES
from wotr_env.codes import Decision, Side
from wotr_env.events import trace_of
from wotr_env.games import DEFAULT_GAME
from wotr_env.words.events import Sentence, Tone, tell
from wotr_env.words.positions import describe
from wotr_experiments.arena.play import verify_records
from wotr_experiments.arena.store import load_records
from wotr_experiments.arena.tables import words
from wotr_experiments.cli.options import Json, print_json
from wotr_experiments.errors import CommandError
from wotr_experiments.reports.replay_page import write_replay


class Eyes(StrEnum):
    """Whose knowledge a page shows."""

    free_peoples = "free-peoples"
    shadow = "shadow"
    both = "both"


def replay(
    file: Annotated[
        Path, typer.Argument(help="Records of games: JSON Lines, or games.sqlite of a tournament.")
    ],
    at: Annotated[
        int | None, typer.Option(min=0, help="Show the position after this many decisions.")
    ] = None,
    game: Annotated[int, typer.Option(min=1, help="Number of the game in the file.")] = 1,
    as_json: Json = False,
    html: Annotated[Path | None, typer.Option(help="Write the game as a web page to this file.")] = None,
    eyes: Annotated[
        Eyes, typer.Option(help="Whose hand the page holds; the other hand is not in it.")
    ] = Eyes.both,
) -> None:
    """Checks every record of a file and shows one game, or one position of it, or makes a page of it."""
    if html is None and eyes is not Eyes.both:
        raise CommandError("--eyes is for the page that --html OUT writes")
    if html is not None and (at is not None or as_json):
        raise CommandError("--html writes the whole game as a page: leave out --at and --json")
    records = load_records(file)
    if not records:
        raise CommandError(f"{file} holds no game")
    if game > len(records):
        raise CommandError(f"{file} has {len(records)} games, there is no game {game}")
    record = records[game - 1]
    if at is not None and at > len(record.actions):
        raise CommandError(f"game {game} has {len(record.actions)} decisions, there is no position {at}")
    for played in {(each.game, each.ruleset) for each in records}:
        verify_records([each for each in records if (each.game, each.ruleset) == played])
    count = (
        "1 record replays to its hash"
        if len(records) == 1
        else f"{len(records)} records replay to their hashes"
    )
    print(f"wotr: {count}", file=sys.stderr)
    if record.game != DEFAULT_GAME:
        raise CommandError(f"game {game} is of {record.kind.title}, which this command cannot show")
    if html is not None:
        viewer = {Eyes.free_peoples: int(Side.FREE_PEOPLES), Eyes.shadow: int(Side.SHADOW), Eyes.both: None}
        write_replay(html, record, viewer[eyes])
        print(f"wotr: {html} shows game {game} to any browser", file=sys.stderr)
        return
    shown = game_to_dict(record) if at is None else position_to_dict(record, at)
    if as_json:
        print_json(shown)
    else:
        print(game_text(shown) if at is None else position_text(shown))


def game_to_dict(record: GameRecord) -> dict[str, Any]:
    """A record with every decision, what it did and that in words, for JSON; it must have been verified."""
    state = record.replay(0).state
    decisions = []
    for number, action in enumerate(record.actions, start=1):
        trace = trace_of(state, action)
        decisions.append(
            {
                "number": number,
                "turn": int(state["turn"]),
                "side": Side(int(state["seat"])).name.lower(),
                "decision": Decision(int(state["decision"])).name.lower(),
                "action": ACTION_NAMES[action],
                "events": [event.to_dict() for event in trace.events()],
                "told": [_told(sentence) for sentence in tell(trace, None)],
            }
        )
        state = trace.after
    return {**_record_to_dict(record), "decisions": decisions, "position": describe(state)}


def _told(sentence: Sentence) -> dict[str, Any]:
    side = None if sentence.side is None else Side(sentence.side).name.lower()
    return {"tone": sentence.tone, "side": side, "text": sentence.text, "opens": sentence.opens}


def game_text(shown: Mapping[str, Any]) -> str:
    """``game_to_dict`` as text: choices of a side in a line, what came of them below it, the last position.

    A line begins with the number of its first decision.
    """
    lines = [_heading(shown), *(f"\nTurn {first['turn']}" for first in shown["decisions"][:1])]
    choosing: str | None = None  # whose choices the last line holds
    for decision in shown["decisions"]:
        for told in decision["told"]:
            tone, text = told["tone"], told["text"]
            if tone in (Tone.CHOICE, Tone.FORCED):
                words_of = f"({text})" if tone == Tone.FORCED else text
                if choosing == told["side"] and not told["opens"]:
                    lines[-1] += f" · {words_of}"
                else:
                    lines.append(f"{decision['number']:>6}  {words(told['side']).title()}: {words_of}")
                choosing = told["side"]
            elif tone != Tone.TEXT:
                lines.append(f"\n{text}" if tone == Tone.TURN else f"          {text}")
                choosing = None
    return "\n".join([*lines, "", shown["position"]])


def position_to_dict(record: GameRecord, at: int) -> dict[str, Any]:
    """The position of a verified record after ``at`` decisions, for JSON."""
    game = record.replay(at)
    played = record.actions[at] if at < len(record.actions) else None
    return {
        **_record_to_dict(record),
        "at": at,
        "position": game.describe(),
        "side": None if game.over else game.side.name.lower(),
        "decision": None if game.over else game.decision.name.lower(),
        "legal": [ACTION_NAMES[action] for action in game.legal()],
        "played": None if played is None else ACTION_NAMES[played],
    }


def position_text(shown: Mapping[str, Any]) -> str:
    """``position_to_dict`` as text."""
    lines = [_heading(shown), f"after {shown['at']} decisions", "", shown["position"]]
    if shown["legal"]:
        lines += ["", f"legal: {', '.join(shown['legal'])}"]
    if shown["played"] is not None:
        lines.append(f"played: {shown['played']}")
    return "\n".join(lines)


def _record_to_dict(record: GameRecord) -> dict[str, Any]:
    fields = json.loads(record.to_json())
    del fields["actions"]
    return fields


def _heading(shown: Mapping[str, Any]) -> str:
    free_peoples, shadow = (name or "unknown" for name in shown["players"])
    result = shown["result"]
    if result is None:
        end = "not over"
    else:
        end = f"{words(result['winner'])} by {words(result['reason'])} in turn {result['turn']}"
    ruleset = Ruleset.from_dict(shown["ruleset"])
    players = f"{free_peoples} (Free Peoples) against {shadow} (Shadow)"
    return f"{players}, seed {shown['seed']}, {ruleset.title}: {end}"
