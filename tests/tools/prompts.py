"""Counts how often ``wotr play`` asks: ``python -m tests.tools.prompts``.

Bots play games, which a person then plays again at a terminal, once from each seat: the same choices, typed
as briefly as the lines allow (``terminal/chain.py``). A line holds all choices up to the next thing that the
person cannot foresee. Told are the lines for each action die used.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from tests.terminals import new_game
from wotr_agents import Bot, BotView
from wotr_agents.registry import make_bot
from wotr_env import STATE, Game, Ruleset
from wotr_env.games.war_of_the_ring.actions import FIGURES_PER_NATION, Block
from wotr_env.games.war_of_the_ring.codes import Decision, Nation, Verb
from wotr_env.games.war_of_the_ring.events import learners
from wotr_env.play.bots import view_of
from wotr_experiments.games.war_of_the_ring.terminal.answers import forced_answers, idle_answer, question
from wotr_experiments.games.war_of_the_ring.terminal.chain import ALL, Chain, ends_names
from wotr_experiments.games.war_of_the_ring.terminal.presenter import LOOKS
from wotr_experiments.isolation.bots import Isolation
from wotr_experiments.terminal.choices import Answer, LineError, Question, find
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.screen import COMMANDS, Screen

_FIRST_EDITION = Ruleset.first_edition()
_KINDS = "rel"
_DONE, _WHOLE = Block.VERB + Verb.DONE, Block.VERB + Verb.WHOLE_ARMY
_SHORTEST = 3
"""Letters of a word that a person types; of shorter words none."""


class PromptError(Exception):
    """A game that cannot be typed again: a line was not understood as it was meant."""


@dataclasses.dataclass(frozen=True)
class Count:
    """What a seat was asked in a game."""

    seat: str
    lines: int
    choices: int
    """Decisions of the seat: the lines without chains."""
    dice: int
    """Action dice used."""


def main(
    games: Annotated[int, typer.Option(min=1, help="Games.")] = 10,
    bot: Annotated[str, typer.Option(metavar="SPEC", help="Who plays all seats.")] = "scripted",
    seed: Annotated[int, typer.Option(min=0, help="Of the first game; the others follow.")] = 0,
) -> None:
    """Prints lines and choices per action die of each seat."""
    counts = [count for game in range(games) for count in count_game(bot, seed + game)]
    for seat in dict.fromkeys(count.seat for count in counts):
        own = [count for count in counts if count.seat == seat]
        lines, choices, dice = (
            sum(getattr(count, name) for count in own) for name in ("lines", "choices", "dice")
        )
        typer.echo(
            f"{seat}: {lines / dice:.2f} lines for each of {dice} action dice, "
            f"{choices / dice:.2f} choices, in {games} games"
        )


def count_game(bot: str, seed: int, ruleset: Ruleset = _FIRST_EDITION) -> list[Count]:
    """Counts one game from each of its seats.

    Raises:
        PromptError: it cannot be typed again.
    """
    actions = _played(bot, seed, ruleset)
    return [_typed(actions, seat, seed, ruleset) for seat in range(len(ruleset.seats))]


def _played(spec: str, seed: int, ruleset: Ruleset) -> list[int]:
    game = Game(seed, ruleset)
    bots = [make_bot(spec, seed + seat) for seat in range(len(ruleset.seats))]
    states = np.empty(1, dtype=STATE)
    while not game.over:
        states[0] = game.state
        game.step(int(bots[game.seat].act(view_of(states, game.mask()[None]))[0]))
    return list(game.actions)


def _typed(actions: Sequence[int], seat: int, seed: int, ruleset: Ruleset) -> Count:
    """A game typed again by one seat."""
    saved = new_game(seat, "random", seed=seed, ruleset=ruleset)
    match = Match(saved, Isolation("none"))
    for place in match.bots:
        match.bots[place] = _Again(match, actions)
    typist = _Typist(match, actions)
    console = Console(file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        Screen(match, typist, console, Path(folder) / "game.json").run()
    typist.check()
    choices = dice = 0
    game = Game(seed, ruleset)
    for action in actions:
        if game.seat == seat:
            choices += 1
            dice += game.decision == Decision.ACTION_DIE and Block.FACE <= action < Block.REGION
        game.step(action)
    return Count(ruleset.seats[seat].title, len(typist.lines), choices, dice)


class _Again(Bot):
    """Plays a game again."""

    def __init__(self, match: Match, actions: Sequence[int]) -> None:
        self._match, self._actions = match, actions

    def act(self, view: BotView) -> np.ndarray:
        return np.array([self._actions[len(self._match.game.actions)]])


class _Typist:
    """Types the choices of the person's seat, as many in a line as can be foreseen."""

    def __init__(self, match: Match, actions: Sequence[int]) -> None:
        self._match, self._actions = match, actions
        self._planned: list[int] = []
        self._before = 0
        self.lines: list[str] = []

    def read(self, prompt: str, completions: Sequence[str]) -> str:
        """See ``Reader``."""
        self.check()
        game = self._match.game
        choices = list(_foreseen(game, self._actions))
        meant = [answer.action for _, answer in choices]
        lines = (_line(choices, careful) for careful in (False, True))
        line = next((line for line in lines if _understood(game, line) == meant), None)
        if line is None:
            raise PromptError(f"{_line(choices, careful=True)!r} does not say what was meant")
        self._planned = meant
        self._before = len(game.actions)
        self.lines.append(line)
        return line

    def check(self) -> None:
        """Raises PromptError where the line typed last was understood otherwise, or not to its end."""
        played = iter(self._match.game.actions[self._before :])
        if not all(action in played for action in self._planned):  # between them may be what is not asked
            raise PromptError(f"{self.lines[-1]!r} did not say what was meant")


def _foreseen(game: Game, actions: Sequence[int]) -> Iterator[tuple[Question, Answer]]:
    """The questions from now on, and their answers, up to the first that tells its seat something new.

    What is not asked is left out.
    """
    game, seat = game.clone(), game.seat
    while not game.over and game.seat == seat:
        action = actions[len(game.actions)]
        if idle_answer(game) is None:
            asked = question(game.state, game.legal())
            yield asked, next(answer for answer in asked.answers if answer.action == action)
        trace = game.trace(action)
        game.step(action)
        if seat in learners(trace):
            return


def _understood(game: Game, line: str) -> list[int]:
    """The choices that a line means, as a table reads it."""
    game, chain, found = game.clone(), Chain(line), []
    if one := chain.whole(question(game.state, game.legal())):
        return [one[0].action] if len(one) == 1 else []
    seat, news = game.seat, False
    while not (game.over or news or game.seat != seat):
        action = idle_answer(game)
        if action is None:
            asked = question(game.state, game.legal())
            try:
                answer = chain.next(asked) if chain.pending else None
            except LineError:
                return []
            if answer is None:
                break
            action = answer.action
            found.append(action)
        trace = game.trace(action)
        game.step(action)
        chain.follow(forced_answers(trace))
        news = seat in learners(trace)
    return [] if chain.rest else found


def _line(choices: Sequence[tuple[Question, Answer]], careful: bool) -> str:
    """The words for some choices; the careful ones say where an answer ends, and that picking is done."""
    groups: list[_Group] = []
    for asked, answer in choices:
        word = _word(asked, answer)
        last = groups[-1] if groups else None
        if last is not None and last.decision == asked.decision and last.word == word and _is_figure(answer):
            last.number += 1
        elif careful or not (answer.action == _DONE and last is not None and last.figure):
            groups.append(_Group(asked.decision, word, _is_figure(answer)))
    line = ""
    for before, group in itertools.pairwise([None, *groups]):
        assert group is not None
        picking = before is not None and before.figure and before.decision == group.decision
        line += ", " if careful and line and not picking else " "
        line += f"{group.number if group.number > 1 else ''}{group.word}"
    return line.strip()


@dataclasses.dataclass
class _Group:
    """One word of a line."""

    decision: int
    word: str
    figure: bool
    number: int = 1


def _word(asked: Question, answer: Answer) -> str:
    """The shortest beginning of a word that means an answer, else its number."""
    if answer.action == _WHOLE:
        return ALL
    if _is_figure(answer):
        return _figure(asked, answer)
    words = {word for key in answer.keys for word in key.split() if word not in (*COMMANDS, *LOOKS)}
    beginnings = sorted(
        {word[:length] for word in words for length in range(_SHORTEST, len(word) + 1)},
        key=lambda word: (len(word), word),
    )
    for beginning in beginnings:
        if not ends_names(beginning) and find(asked.answers, beginning) == [answer]:
            return beginning
    return answer.label or answer.words


def _figure(asked: Question, answer: Answer) -> str:
    """``r``, or ``r:gon`` where there are some of several nations."""
    nation, kind = divmod(answer.action - Block.FIGURE, FIGURES_PER_NATION)
    others = [each for each in asked.answers if _is_figure(each) and each is not answer]
    several = any((each.action - Block.FIGURE) % FIGURES_PER_NATION == kind for each in others)
    return f"{_KINDS[kind]}:{Nation(nation).name.casefold()[:3]}" if several else _KINDS[kind]


def _is_figure(answer: Answer) -> bool:
    return Block.FIGURE <= answer.action < Block.COUNT


if __name__ == "__main__":
    typer.run(main)
