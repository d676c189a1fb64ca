"""The command ``wotr analyse``: evaluations of a position or a whole game by bots."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import tqdm
import typer
from rich.table import Table

from wotr_env import GameRecord
from wotr_experiments.analysis.costly import CostlyChoice, costly_sentence
from wotr_experiments.analysis.evaluations import Evaluation, Evaluator, in_words
from wotr_experiments.analysis.games import (
    CONFIRMATIONS,
    ConfirmedCostlyChoice,
    EvaluatedDecision,
    candidates,
    confirm_costly_choices,
    decision_positions,
    evaluate_game,
    played_line,
)
from wotr_experiments.arena.result_tables import number_columns
from wotr_experiments.arena.schedule import check_two_teams
from wotr_experiments.cli import completion
from wotr_experiments.cli.endings import ending_in
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import (
    BotProcesses,
    Json,
    LuckOfGame,
    RecordNumber,
    Seed,
    print_json,
    print_tables,
)
from wotr_experiments.cli.sources import (
    Begun,
    check_place,
    game_by_hand,
    read_source,
    recorded_game,
    records_named,
)
from wotr_experiments.errors import CommandError
from wotr_experiments.files import HTML_PAGE, check_output, write_text
from wotr_experiments.isolation.bots import Bots, Isolation, check_made
from wotr_experiments.luck.report import NONE, LuckReport, luck_of, method_of, points
from wotr_experiments.luck.terminal_table import luck_table
from wotr_experiments.reports.replay_page import Curve, replay_page

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 72
"""Maximal number of characters of a curve."""
MIN_COSTLY_LOSS = 0.03
"""Minimal loss of winning chance of a costly choice."""
MOST_SLIPS = 8
"""Default maximal number of costly choices."""


@dataclasses.dataclass(frozen=True)
class AnalysisOptions:
    """Options for the depth of the analysis."""

    every: Annotated[
        bool,
        typer.Option(
            "--every",
            help=(
                "Analyse every decision. By default only main decisions are analysed, such as the choice "
                "of an action die."
            ),
        ),
    ] = False
    choices: Annotated[int, typer.Option(min=1, max=20, help="Number of actions to show per position.")] = 5
    playouts: Annotated[
        int,
        typer.Option(
            min=1,
            max=100_000,
            help="Playouts per action, for bots whose values are not winning chances, such as scripted.",
        ),
    ] = 64
    slips: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Maximal number of costly choices to show per game; 0: none are sought. "
            f"By default {MOST_SLIPS}.",
            show_default=False,
        ),
    ] = None
    seed: Seed = 0
    luck: LuckOfGame = None

    @property
    def most_slips(self) -> int:
        """The maximal number of costly choices."""
        return MOST_SLIPS if self.slips is None else self.slips

    def check_position(self) -> None:
        """Raises CommandError if an option for a whole game is given."""
        given = {
            "--every": self.every,
            "--slips": self.slips is not None,
            "--luck": self.luck not in (None, NONE),
        }
        if names := [name for name, is_given in given.items() if is_given]:
            raise CommandError(f"{names[0]} needs a whole game")

    def story(self, record: GameRecord) -> LuckReport | None:
        """The luck of a game; None if it is not requested or cannot be measured."""
        method = method_of(self.luck, record.kind, record.ruleset, self.seed)
        return None if method is None else luck_of(record, method)


@grouped
def analyse(
    source: Annotated[
        str,
        typer.Argument(
            metavar="TEXT|FILE|-",
            help="A position as text, or a file with a position or with records (JSON Lines, text, or "
            "games.sqlite of a tournament). - means standard input.",
        ),
    ],
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            autocompletion=completion.bots,
            help="Spec of a bot for the analysis. By default mcts. Repeatable.",
        ),
    ] = None,
    game: RecordNumber = 1,
    at: Annotated[
        int | None,
        typer.Option(
            min=0, help="Analyse the position after this number of decisions instead of the whole game."
        ),
    ] = None,
    *,
    depth: AnalysisOptions,
    as_json: Json = False,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the game as a web page with the curves of winning chances to this file."),
    ] = None,
    processes: BotProcesses,
) -> None:
    """Show how bots judge a position or a whole game: winning chances, best lines, costly choices."""
    record = _record_of(source, game, at, depth.seed)
    whole = at is None and bool(record.actions)
    if html is not None:
        check_output(html, HTML_PAGE, "a page")
    if not whole:
        if html is not None:
            raise CommandError("--html needs a whole game")
        depth.check_position()
    if not whole and record.replay(at).result is not None:
        raise CommandError("the game is over at this position: there is nothing to analyse")
    isolation = processes.isolation()
    with _evaluators(bot or ["mcts"], record, depth, isolation) as evaluators:
        if not whole:
            _tell_position(record, record.replay(at), evaluators, as_json)
            return
        story = depth.story(record)
        decisions, found = _think(record, evaluators, depth, isolation)
    if html is not None:
        ending = ending_in(records_named(Path(source)), game, record)
        ended = "" if ending is None else ending.text()
        curves = _curves(decisions, evaluators, found)
        write_text(html, replay_page(record, None, curves=curves, ended=ended, luck=story))
        print(f"wotr: open {html} in a browser to see the game", file=sys.stderr)
    if as_json:
        luck = None if story is None else story.to_dict()
        print_json({**game_to_dict(record, decisions, evaluators, found), "luck": luck})
        return
    sentences = [] if story is None else [story.sentence()]
    if found is not None:
        sentences += [_sentence(record, *each) for each in zip(evaluators, found, strict=True)]
    for sentence in sentences:
        print(sentence)
    if sentences:
        print()
    _print_game(record, decisions, evaluators, found)
    if story is not None:
        _print_luck(story)


def _think(
    record: GameRecord, evaluators: Sequence[Evaluator], depth: AnalysisOptions, isolation: Isolation
) -> tuple[list[EvaluatedDecision], list[list[_WordedChoice]] | None]:
    """The bots' evaluations of a whole game, and the costly choices that each bot finds; None if they are not
    sought."""
    positions = decision_positions(record, depth.every)
    if not positions:
        raise CommandError("this game has no decision to analyse")
    for evaluator in evaluators:
        print(f"wotr: {plan(evaluator, len(positions), depth.playouts, depth.choices)}", file=sys.stderr)
    total, found = len(positions) * len(evaluators), []
    with (
        tqdm.tqdm(total=total, unit="position", disable=not sys.stderr.isatty()) as bar,
        Bots(isolation) as others,
    ):
        decisions = evaluate_game(record, positions, evaluators, bar.update)
        if not depth.most_slips:
            return decisions, None
        for place, evaluator in enumerate(evaluators):
            bar.total += CONFIRMATIONS * len(candidates(decisions, place, depth.most_slips, MIN_COSTLY_LOSS))
            again = _again(others, evaluator.spec, record, depth)
            sure = confirm_costly_choices(
                decisions, place, again, depth.most_slips, MIN_COSTLY_LOSS, bar.update
            )
            found.append([_in_words(record, slip, place, evaluator) for slip in sure])
    return decisions, found


def plan(evaluator: Evaluator, positions: int, playouts: int, choices: int) -> str:
    """Describes what a bot will do for a number of positions.

    Args:
        evaluator: the bot.
        positions: number of positions.
        playouts, choices: as for ``Evaluator``; if the played choice is not among the choices, it is added.
    """
    asked = f"{positions:,} position{'s' if positions != 1 else ''}"
    if evaluator.own:
        return f"{evaluator.spec} evaluates {asked}, and the most costly choices {CONFIRMATIONS} more times"
    games = positions * choices * playouts
    first = f"{evaluator.spec} plays {playouts:,} games after each of up to {choices} choices in {asked}"
    return f"{first}: {games:,} games, and {CONFIRMATIONS} more times after the most costly choices"


def _record_of(source: str, game: int, at: int | None, seed: int) -> GameRecord:
    """The record to analyse; for a position, a record without actions."""
    given = read_source(source, seed or None)
    if isinstance(given, list):
        record = recorded_game(given, game)
        _check_two_teams(record)
        check_place(record, game, at)
        return record
    if at is not None or game != 1:
        raise CommandError("--record and --at need a file of records")
    if isinstance(given, Begun):
        record = GameRecord.from_game(given.game)
        _check_two_teams(record)
        return record
    return GameRecord.from_game(game_by_hand(given["setup"], given.get("ruleset", {}), seed))


def _check_two_teams(record: GameRecord) -> None:
    check_two_teams(record.kind, record.ruleset, "the analysis needs a game of two teams")


@contextlib.contextmanager
def _evaluators(
    specs: Sequence[str], record: GameRecord, depth: AnalysisOptions, isolation: Isolation
) -> Iterator[list[Evaluator]]:
    with Bots(isolation) as bots:
        made = bots.seat(list(specs), [depth.seed] * len(specs), record.game)
        for spec, each in zip(specs, made, strict=True):
            check_made(spec, each)
        record.kind.kernels.prepare()
        yield [
            _evaluator(spec, each, record, depth, depth.seed) for spec, each in zip(specs, made, strict=True)
        ]


def _again(bots: Bots, spec: str, record: GameRecord, depth: AnalysisOptions) -> Iterator[Evaluator]:
    """Yields ``CONFIRMATIONS`` copies of a bot with other seeds."""
    for number in range(1, CONFIRMATIONS + 1):
        other = (depth.seed + number) % 2**63
        (made,) = bots.seat([spec], [other], record.game)
        yield _evaluator(spec, made, record, depth, other)


def _evaluator(spec: str, bot: Any, record: GameRecord, depth: AnalysisOptions, seed: int) -> Evaluator:
    return Evaluator(spec, bot, record.kind, record.ruleset, depth.playouts, depth.choices, seed)


# --- A position. ---


def _tell_position(record: GameRecord, game: Any, evaluators: list[Evaluator], as_json: bool) -> None:
    kind, state = record.kind, game.state
    states = np.array([state], dtype=kind.state)
    number = len(game.actions)
    played = record.actions[number] if number < len(record.actions) else None
    found = [evaluator.think(states, [played])[0] for evaluator in evaluators]
    seat = record.ruleset.seats[int(state["seat"])]
    if as_json:
        print_json(
            {
                "seat": seat.name,
                "asked": kind.words.decision(state),
                "bots": [
                    {
                        "bot": evaluator.spec,
                        "scale": evaluator.scale,
                        **evaluation_to_dict(kind, state, evaluator, evaluation),
                    }
                    for evaluator, evaluation in zip(evaluators, found, strict=True)
                ],
            }
        )
        return
    print(kind.words.decision(state))
    for evaluator, evaluation in zip(evaluators, found, strict=True):
        print(f"\n{evaluator.spec}: {seat.title} {_percent(evaluation.chance)} ({evaluator.scale})")
        table = Table(show_header=False, box=None)
        table.add_column(justify="right")
        table.add_column()
        rows = list(evaluation.best)
        if evaluation.played is not None and evaluation.played not in rows:
            rows.append(evaluation.played)
        for choice in rows:
            mark = "  (played)" if played == choice.action else ""
            table.add_row(_percent(choice.chance), evaluator.line(state, choice.action).words + mark)
        print_tables(table, markup=False)


def evaluation_to_dict(
    kind: Any, state: np.record, evaluator: Evaluator, evaluation: Evaluation
) -> dict[str, Any]:
    """A bot's evaluation of a position, for JSON; chances are those of the deciding side."""
    names = kind.actions.names
    played = evaluation.played
    lines = [evaluator.line(state, choice.action) for choice in evaluation.best]
    return {
        "chance": evaluation.chance,
        "best": [
            {
                "action": names[choice.action],
                "chance": choice.chance,
                "line": [names[each] for each in line.actions],
                "words": line.words,
            }
            for choice, line in zip(evaluation.best, lines, strict=True)
        ],
        "played": None if played is None else {"action": names[played.action], "chance": played.chance},
        "lost": evaluation.lost,
    }


# --- A game. ---


def game_to_dict(
    record: GameRecord,
    decisions: list[EvaluatedDecision],
    evaluators: list[Evaluator],
    slips: list[list[_WordedChoice]] | None,
) -> dict[str, Any]:
    """The bots' evaluations of a game, for JSON. ``lost`` in ``thoughts`` is a single estimate; ``lost`` in
    ``slips`` (costly choices) comes from repeated evaluations. If costly choices were not sought, there are
    none, and ``sentence`` is None."""
    seats, names = record.ruleset.seats, record.kind.actions.names
    return {
        "game": record.game,
        "players": list(record.players),
        "ruleset": record.ruleset.to_dict(),
        "bots": [
            {
                "bot": evaluator.spec,
                "scale": evaluator.scale,
                "sentence": None if slips is None else _sentence(record, evaluator, of_bot),
                "slips": [
                    {
                        "number": slip.decision.number,
                        "best": names[slip.found.best],
                        "lost": slip.found.lost,
                        "interval_95": list(slip.found.interval),
                    }
                    for slip in of_bot
                ],
            }
            for evaluator, of_bot in zip(evaluators, slips or [[]] * len(evaluators), strict=True)
        ],
        "positions": [
            {
                "number": decision.number,
                "turn": decision.turn,
                "seat": seats[decision.seat].name,
                "team": record.kind.teams[decision.team].name,
                "played": None if decision.played is None else names[decision.played],
                "thoughts": [
                    {
                        "chance": evaluation.chance,
                        "best": [
                            {"action": names[choice.action], "chance": choice.chance}
                            for choice in evaluation.best
                        ],
                        "played": None if evaluation.played is None else evaluation.played.chance,
                        "lost": evaluation.lost,
                    }
                    for evaluation in decision.evaluations
                ],
            }
            for decision in decisions
        ],
    }


def _print_game(
    record: GameRecord,
    decisions: list[EvaluatedDecision],
    evaluators: list[Evaluator],
    slips: list[list[_WordedChoice]] | None,
) -> None:
    team = record.kind.teams[0].title
    for place, evaluator in enumerate(evaluators):
        chances = [decision.chance_of(place, 0) for decision in decisions]
        if place:
            print()
        print(f"{evaluator.spec}: chance to win as {team} ({evaluator.scale})")
        print(f"  {curve(chances)}  {_percent(chances[0])} to {_percent(chances[-1])}")
        print(f"  {_turns(decisions)}")
        if slips is None:
            continue
        again = f"evaluated {CONFIRMATIONS} more times (95% interval)"
        print(f"\nCostly choices by {evaluator.spec}: at least {MIN_COSTLY_LOSS:.0%} lost, {again}")
        for number, side in enumerate(record.kind.teams_of(record.ruleset)):
            _print_slips(record, side.title, [slip for slip in slips[place] if slip.decision.team == number])


def _print_slips(record: GameRecord, side: str, slips: list[_WordedChoice]) -> None:
    """Prints the costly choices of a side; if a side has several seats, with the seats."""
    if not slips:
        print(f"{side}: none found")
        return
    print(f"{side}:")
    seats = ["seat"] if len(record.ruleset.seats) > len(record.kind.teams_of(record.ruleset)) else []
    table = Table(*number_columns(["after", "turn", "lost"]), *seats, "played", "best", box=None)
    for slip in slips:
        turn = "" if slip.decision.turn is None else str(slip.decision.turn)
        who = [slip.who] if seats else []
        table.add_row(str(slip.decision.number), turn, slip.lost, *who, slip.played, slip.best)
    print_tables(table, markup=False)


def _print_luck(story: LuckReport) -> None:
    """Prints luck by turn and source, and the largest strokes of luck."""
    print(f"\n{story.table_words()}")
    print_tables(luck_table(story), markup=False)
    if not story.strokes:
        return
    print("\nThe largest strokes of luck:")
    table = Table(*number_columns(["after", "turn", "gained"]), "who", "by", "what happened", box=None)
    for stroke in story.strokes:
        who = story.record.kind.teams[stroke.team].title
        turn = str(stroke.turn) if stroke.turn >= 0 else ""
        table.add_row(str(stroke.number), turn, points(stroke.gained), who, stroke.source, stroke.words)
    print_tables(table, markup=False)


class _WordedChoice(NamedTuple):
    """A costly choice, in words."""

    found: ConfirmedCostlyChoice
    decision: EvaluatedDecision
    lost: str
    who: str
    played: str
    best: str

    def costly(self) -> CostlyChoice:
        """The costly choice with a sentence on it."""
        words = f"{self.who} lost {self.lost}: {self.played} instead of {self.best}"
        return CostlyChoice(self.decision.number, self.decision.team, words, self.found.lost)


def _in_words(
    record: GameRecord, slip: ConfirmedCostlyChoice, place: int, evaluator: Evaluator
) -> _WordedChoice:
    """A costly choice in words, from the bot at index ``place``."""
    decision = slip.decision
    evaluation = decision.evaluations[place]
    assert evaluation.played is not None
    played = in_words(record.kind, played_line(record, decision.number))
    best = evaluator.line(decision.state, slip.best).words
    low, high = slip.interval
    return _WordedChoice(
        slip,
        decision,
        f"{_percent(slip.lost)} ({_percent(low)} to {_percent(min(1.0, high))})",
        record.ruleset.seats[decision.seat].title,
        f"{played} ({_percent(evaluation.played.chance)})",
        f"{best} ({_percent(evaluation.chance)})",
    )


def curve(chances: Sequence[float]) -> str:
    """Chances (0 to 1) as a line of at most ``_WIDTH`` bars; a bar is the mean of its part."""
    parts = np.array_split(np.asarray(chances), min(_WIDTH, len(chances)))
    heights = [min(len(_BARS) - 1, int(float(part.mean()) * len(_BARS))) for part in parts]
    return "".join(_BARS[height] for height in heights)


def _turns(decisions: list[EvaluatedDecision]) -> str:
    """The numbers of turns, below the bars at which they start, if there is room."""
    parts = np.array_split(np.arange(len(decisions)), min(_WIDTH, len(decisions)))
    line, last = "", None
    for place, part in enumerate(parts):
        turn = decisions[int(part[0])].turn
        if turn is not None and turn != last and len(line) <= place:
            line = line.ljust(place) + f"{turn} "
        last = turn
    return line.rstrip()


def _curves(
    decisions: list[EvaluatedDecision], evaluators: list[Evaluator], slips: list[list[_WordedChoice]] | None
) -> list[Curve]:
    return [
        Curve(
            evaluator.spec,
            [(decision.number, decision.chance_of(place, 0)) for decision in decisions],
            None if slips is None else [slip.costly() for slip in slips[place]],
        )
        for place, evaluator in enumerate(evaluators)
    ]


def _sentence(record: GameRecord, evaluator: Evaluator, slips: list[_WordedChoice]) -> str:
    """A sentence about the costly choices of each side."""
    choices = [slip.costly() for slip in slips]
    return costly_sentence(evaluator.spec, choices, record.kind.teams_of(record.ruleset))


def _percent(chance: float) -> str:
    return f"{chance:.0%}"
