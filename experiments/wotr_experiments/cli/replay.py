"""The command ``wotr replay``: shows a game in words, as JSON, position by position, or as a web page."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from wotr_env import GameRecord
from wotr_env.core.descriptions import Sentence, Tone
from wotr_env.core.seats import Seat
from wotr_env.play.game_text import turn_of
from wotr_env.play.replaying import verify_records
from wotr_experiments.arena.endings import Ending
from wotr_experiments.arena.result_tables import words
from wotr_experiments.arena.store import is_store, load_record, load_records, read_store
from wotr_experiments.cli import completion
from wotr_experiments.cli.endings import answers_in, ending_in
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import Json, LuckOfGame, print_json, viewer_named
from wotr_experiments.cli.sources import records_named
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.files import HTML_PAGE, check_output, write_text
from wotr_experiments.language.text_env import Answer
from wotr_experiments.luck.report import NONE, LuckReport, luck_of, method_of
from wotr_experiments.reports.replay_page import begins_with_choice, replay_page

ALL_EYES = "both"


@dataclasses.dataclass(frozen=True)
class GameSelection:
    """Options for the game and the position."""

    at: Annotated[
        int | None, typer.Option(min=0, help="Show the position after this number of decisions.")
    ] = None
    game: Annotated[
        int | None,
        typer.Option(
            "--record",
            min=1,
            help="Number of the game in the file, from 1; only this game is checked. By default all games "
            "are checked and the first is shown.",
        ),
    ] = None
    pairing: Annotated[
        int | None,
        typer.Option(
            min=0,
            help=(
                "Number of the pairing in a tournament, from 0, as in exported tables. Use it with --number."
            ),
        ),
    ] = None
    number: Annotated[
        int | None,
        typer.Option(min=0, help="Number of the game in its pairing, from 0. By default 0."),
    ] = None


@dataclasses.dataclass(frozen=True)
class ReplayOutput:
    """Options for the form of output."""

    as_json: Json = False
    positions: Annotated[
        bool,
        typer.Option(
            "--positions",
            help="Print all positions as JSON, one per line: the first one and one after each step.",
        ),
    ] = False
    text: Annotated[
        bool,
        typer.Option("--text", help="Print the game in the text format, which wotr replay can read again."),
    ] = False
    html: Annotated[Path | None, typer.Option(help="Write the game as a web page to this file.")] = None
    luck: LuckOfGame = None
    eyes: Annotated[
        str,
        typer.Option(
            metavar="SEAT",
            autocompletion=completion.seats,
            help="View for --html and --positions: the name of a seat (free-peoples, shadow, gondor ...) "
            "hides all information that this seat does not have; both or all hides nothing.",
        ),
    ] = ALL_EYES

    def check(self, at: int | None) -> None:
        """Raises CommandError if options contradict each other or the given ``--at``."""
        if self.luck is not None and self.html is None:
            raise CommandError("--luck needs --html OUT; wotr analyse shows luck as text and JSON")
        if self.html is None and not self.positions and self.eyes != ALL_EYES:
            raise CommandError("--eyes needs --html OUT or --positions")
        if self.html is not None and (at is not None or self.as_json or self.positions):
            raise CommandError(
                "--html writes the whole game as a page: leave out --at, --json and --positions"
            )
        if self.text and (self.html is not None or at is not None or self.as_json or self.positions):
            raise CommandError("--text prints the whole game: leave out --at, --json, --positions and --html")
        if self.positions and at is not None:
            raise CommandError("--positions prints them all: leave out --at")

    def story(self, record: GameRecord, viewer: int | None) -> LuckReport | None:
        """The luck for a page; None for the view of a seat, or if luck is not requested.

        Raises:
            CommandError: luck is requested for the view of a seat; or an error of ``method_of``.
            BotError: an error of ``method_of``.
        """
        if viewer is not None and self.luck not in (None, NONE):
            raise CommandError("luck is measured with hidden information: leave out --luck or --eyes")
        method = None if viewer is not None else method_of(self.luck, record.kind, record.ruleset)
        return None if method is None else luck_of(record, method)


@grouped
def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="File of records (JSON Lines, text, or games.sqlite of a tournament), the folder of a "
            "tournament, or published: a complete game of two strong players.",
        ),
    ],
    which: GameSelection,
    form: ReplayOutput,
) -> None:
    """Check the records of a file, and show one game: in words, as one position, as text, or as a web
    page."""
    form.check(which.at)
    file, game = records_named(file), which.game
    if which.pairing is not None or which.number is not None:
        game = _counted(file, game, which.pairing or 0, which.number or 0)
    record = _checked_record(file, game, which.at)
    viewer = viewer_named(form.eyes, record.ruleset.seats)
    ending = ending_in(file, game or 1, record)
    if form.html is not None:
        check_output(form.html, HTML_PAGE, "a page")
        _write_page(form, record, viewer, ending, answers_in(file, record))
        print(f"wotr: open {form.html} in a browser to see game {game or 1}", file=sys.stderr)
    elif form.positions:
        for line in position_lines(record, viewer):
            print(json.dumps(line, separators=(",", ":")))
    elif form.text:
        print(record.to_text(), end="")
    elif form.as_json:
        if which.at is None:
            shown = game_to_dict(record, answers_in(file, record))
        else:
            shown = position_to_dict(record, which.at)
        print_json(shown if ending is None else {**shown, "ended": ending.to_dict()})
    elif which.at is None:
        print(game_text(record, game_to_dict(record, answers_in(file, record)), ending))
    else:
        print(position_text(record, position_to_dict(record, which.at), ending))


def _write_page(
    form: ReplayOutput,
    record: GameRecord,
    viewer: int | None,
    ending: Ending | None,
    answers: Sequence[Answer],
) -> None:
    assert form.html is not None
    ended = "" if ending is None else ending.text(viewer is None)
    write_text(
        form.html, replay_page(record, viewer, ended=ended, answers=answers, luck=form.story(record, viewer))
    )


def _counted(file: Path, game: int | None, pairing: int, number: int) -> int:
    """The number (from 1) of a tournament's game given by pairing and number (from 0), as in exports.

    Raises:
        CommandError: there is no such game, the file is not a tournament, or the game is given twice.
    """
    if game is not None:
        raise CommandError("give --record, or --pairing and --number, not both")
    if not is_store(file):
        raise CommandError(f"--pairing and --number need a tournament, and {file} is not one: give --record")
    with read_store(file) as store:
        for place, each in enumerate(store.games(), start=1):
            if (each.pairing, each.number) == (pairing, number):
                return place
    raise CommandError(f"{file} has no game {number} of pairing {pairing}")


def _checked_record(file: Path, game: int | None, at: int | None) -> GameRecord:
    """The game to show, verified. If no number is given, all games of the file are verified."""
    records = load_records(file) if game is None else [load_record(file, game)]
    if not records:
        raise CommandError(f"{file} contains no game")
    record = records[0]
    if at is not None and at > len(record.actions):
        raise CommandError(f"game {game or 1} has {len(record.actions)} decisions; there is no position {at}")
    for played in {(each.game, each.ruleset) for each in records}:
        verify_records([each for each in records if (each.game, each.ruleset) == played])
    if game is not None:
        count = f"game {game} replays to its hash"
    elif len(records) == 1:
        count = "1 record replays to its hash"
    else:
        count = f"{len(records)} records replay to their hashes"
    print(f"wotr: {count}", file=sys.stderr)
    return record


def position_lines(record: GameRecord, viewer: int | None) -> Iterator[dict[str, Any]]:
    """The positions of a verified record, for JSON: the first one, and one after each step.

    The keys are ``step`` (0, 1, ...), ``turn``, ``seat`` (the seat that decided; None in the first position),
    ``events`` and ``told`` (the consequences, as in ``game_to_dict``), and ``position``
    (``GameKind.picture``; None if the game has none). In the view of another seat, a hidden choice is not a
    separate step.

    Args:
        record: a record of any game.
        viewer: the seat whose view is used; None: all information.

    Raises:
        CommandError: the game has no view of a single seat.
    """
    kind, seats, game = record.kind, record.ruleset.seats, record.begun()
    if viewer is not None and (kind.picture is None or kind.events is None):
        raise CommandError(f"{kind.title} has no view of a single seat; leave out --eyes")

    def position() -> dict[str, Any]:
        state = game.state
        shown = None if kind.picture is None else kind.picture(state, viewer)
        return {"turn": turn_of(state), "position": shown}

    line: dict[str, Any] = {"step": 0, "seat": None, "events": [], "told": [], **position()}
    for number, action in enumerate(record.actions):
        state = record.given(game.state, number)
        decider = int(state["seat"])
        step = kind.step_of(state, action, viewer)
        told = [_told(sentence, seats) for sentence in step.sentences]
        game.step(action)
        if viewer in (None, decider) or begins_with_choice(step.events):
            yield line
            events = step.events
            line = {"step": line["step"] + 1, "seat": seats[decider].name, "events": events, "told": told}
        else:  # these eyes do not see that anything was chosen
            line = {**line, "events": line["events"] + step.events, "told": line["told"] + told}
        line |= position()
    yield line


def game_to_dict(record: GameRecord, answers: Sequence[Answer] = ()) -> dict[str, Any]:
    """A verified record with every decision and its consequences, as events and in words, for JSON.

    Args:
        record: a record of any game.
        answers: texts written by players; if there are any, ``answers`` lists them.
    """
    kind, seats = record.kind, record.ruleset.seats
    game, decisions = record.begun(), []
    for number, (state, action) in enumerate(record.steps(game), start=1):
        step = kind.step_of(state, action)
        decisions.append(
            {
                "number": number,
                "turn": turn_of(state),
                "seat": seats[int(state["seat"])].name,
                "asked": kind.words.decision(state),
                "action": kind.actions.names[action],
                "events": step.events,
                "told": [_told(sentence, seats) for sentence in step.sentences],
            }
        )
    told = {**_record_to_dict(record), "decisions": decisions, "position": kind.words.position(game.state)}
    if answers:
        told["answers"] = [{**each._asdict(), "seat": seats[each.seat].name} for each in answers]
    return told


def _told(sentence: Sentence, seats: Sequence[Seat]) -> dict[str, Any]:
    seat = None if sentence.seat is None else seats[sentence.seat].name
    return {"tone": sentence.tone, "seat": seat, "text": sentence.text, "opens": sentence.opens}


def game_text(record: GameRecord, shown: Mapping[str, Any], ending: Ending | None = None) -> str:
    """``game_to_dict`` as text: a line with a seat's choices, the consequences below it, and the last
    position.

    A line starts with the number of its first decision. A text of a player precedes the decision to which it
    belongs.
    """
    titles = {seat.name: seat.title for seat in record.ruleset.seats}
    lines = [_heading(record, ending)]
    if shown["decisions"] and (turn := shown["decisions"][0]["turn"]):
        lines.append(f"\nTurn {turn}")
    choosing: str | None = None  # whose choices the last line holds
    begun, choices = "", []
    written = _written(shown.get("answers", ()), titles)
    for decision in shown["decisions"]:
        if before := written.pop(decision["number"] - 1, None):
            lines += before
            choosing = None
        for told in decision["told"]:
            tone, text = told["tone"], told["text"]
            if tone in (Tone.CHOICE, Tone.FORCED):
                if choosing != told["seat"] or told["opens"]:
                    begun, choices = f"{decision['number']:>6}  {titles[told['seat']]}: ", []
                    lines.append(begun)
                choices.append(f"({text})" if tone == Tone.FORCED else text)
                lines[-1] = begun + " · ".join(record.kind.words.merge_repeats(choices))
                choosing = told["seat"]
            elif tone != Tone.TEXT:
                lines.append(f"\n{text}" if tone == Tone.TURN else f"          {text}")
                choosing = None
    lines += [line for after in written.values() for line in after]
    return "\n".join([*lines, "", shown["position"]])


def _written(answers: Sequence[Mapping[str, Any]], titles: Mapping[str, str]) -> dict[int, list[str]]:
    """Texts of players as lines, by the number of decisions before them."""
    written: dict[int, list[str]] = {}
    for each in answers:
        failure = f" ({each['failure']})" if each["failure"] else ""
        lines = written.setdefault(each["decision"], [])
        lines.append(f"          {titles[each['seat']]} writes{failure}:")
        lines += [
            f"            {printable(line.expandtabs())}".rstrip() for line in each["text"].splitlines()
        ]
    return written


def position_to_dict(record: GameRecord, at: int) -> dict[str, Any]:
    """The position of a verified record after ``at`` decisions, for JSON."""
    kind, game = record.kind, record.replay(at)
    state, legal = game.state, game.legal()
    played = record.actions[at] if at < len(record.actions) else None
    return {
        **_record_to_dict(record),
        "at": at,
        "position": kind.words.position(state),
        "seat": record.ruleset.seats[int(state["seat"])].name if legal else None,
        "asked": kind.words.decision(state) if legal else None,
        "legal": [kind.actions.names[action] for action in legal],
        "words": [kind.words.action(state, action) for action in legal],
        "played": None if played is None else kind.actions.names[played],
    }


def position_text(record: GameRecord, shown: Mapping[str, Any], ending: Ending | None = None) -> str:
    """``position_to_dict`` as text."""
    lines = [_heading(record, ending), f"after {shown['at']} decisions", "", shown["position"]]
    if shown["legal"]:
        choices = dict(zip(shown["legal"], shown["words"], strict=True))
        width = max(map(len, choices))
        lines += ["", f"{shown['asked']}", *(f"  {name:<{width}}  {choices[name]}" for name in choices)]
        if shown["played"] is not None:
            lines += ["", f"played: {shown['played']}, {choices[shown['played']]}"]
    return "\n".join(lines)


def _record_to_dict(record: GameRecord) -> dict[str, Any]:
    fields = json.loads(record.to_json())
    del fields["actions"]
    return fields


def _heading(record: GameRecord, ending: Ending | None) -> str:
    seats = list(zip(map(printable, record.players), record.ruleset.seats, strict=True))
    teams = (
        " and ".join(f"{player or 'unknown'} ({seat.title})" for player, seat in seats if seat.team == team)
        for team in sorted({seat.team for seat in record.ruleset.seats})
    )
    begun = "from a position" if record.position else f"seed {record.seed}"
    return f"{' against '.join(teams)}, {begun}, {record.ruleset.title}: {_end(record, ending)}"


def _end(record: GameRecord, ending: Ending | None) -> str:
    if ending is not None:
        return ending.text()
    if record.ended is not None:
        return record.ended.words(record.kind, record.ruleset)
    if record.result is None:
        return "not over"
    kind, state = record.kind, record.replay().state
    end, turn = kind.end_of(state), turn_of(state)
    when = "" if turn is None else f" in turn {turn}"
    winner, reason = kind.winner_name(int(end["winner"])), kind.reason_name(int(end["reason"]))
    return f"{words(winner)} by {words(reason)}{when}"
