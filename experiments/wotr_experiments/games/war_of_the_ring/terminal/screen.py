"""The terminal screen of War of the Ring: shows the game, asks questions, runs commands, and reports
events."""

from __future__ import annotations

import contextlib
import datetime
import random
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from wotr_env import Game
from wotr_env.core.telling import Sentence, Tone
from wotr_env.games.war_of_the_ring.codes import Phase
from wotr_env.games.war_of_the_ring.components import CARD_NAMES, CHARACTER_NAMES, NUM_CARDS, REGION_NAMES
from wotr_env.games.war_of_the_ring.picture import picture
from wotr_env.games.war_of_the_ring.seating import partner_of, seats_of, side_of
from wotr_env.games.war_of_the_ring.words.actions import own_words
from wotr_env.games.war_of_the_ring.words.events import tell
from wotr_env.games.war_of_the_ring.words.names import seat_name, the_seat
from wotr_env.play.bots import BotError
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.terminal import own_dice, views
from wotr_experiments.games.war_of_the_ring.terminal.answers import (
    Answer,
    Question,
    answer_of,
    exact,
    question,
)
from wotr_experiments.games.war_of_the_ring.terminal.battle import battle
from wotr_experiments.games.war_of_the_ring.terminal.chain import Chain, ChainError
from wotr_experiments.games.war_of_the_ring.terminal.commands import COMMANDS, HOW_TO_ANSWER, find_command
from wotr_experiments.games.war_of_the_ring.terminal.match import (
    OutcomesOf,
    Step,
    WarMatch,
    idle_answer,
    pickable,
)
from wotr_experiments.games.war_of_the_ring.terminal.story import (
    SIDE_STYLES,
    TURN,
    UNASKED,
    Line,
    line_of,
    result_lines,
)
from wotr_experiments.terminal.base import BaseScreen
from wotr_experiments.terminal.readers import Reader
from wotr_experiments.terminal.typed import find_named

_LOG_LINES = 30
_MANY_NAMES = 4
_ABOUT_ANSWERS = ("answers", "hint", "undo")
_LINES_BELOW = 3
"""Number of lines left free below a drawing."""
_LOWEST = 20
"""Minimal number of lines of a drawing if the console has fewer."""


class WarScreen(BaseScreen[WarMatch]):
    """A person at the terminal, playing a match of War of the Ring.

    Args:
        match: the game.
        reader: the source of input lines.
        console: the console for output.
        save_path: the file for ``save`` without a name, after Ctrl-C, and at the end of the input.
    """

    rescue_name = "game.json"

    def __init__(self, match: WarMatch, reader: Reader, console: Console, save_path: Path) -> None:
        super().__init__(match, reader, console, save_path, match.saved.hint_bot)
        self._generator = random.Random()
        self._commands: dict[str, Callable[[str], None]] = {
            "answers": lambda _: self._show_answers(),
            "map": self._show_map,
            "armies": self._show_armies,
            "battle": lambda _: self._show_battle(),
            "region": self._show_region,
            "hand": lambda _: self._show(views.hand(self._shown(), match.seat, self._options)),
            "card": self._show_card,
            "dice": lambda _: self._show(views.dice(self._shown())),
            "fellowship": lambda _: self._show(views.fellowship(self._shown())),
            "politics": lambda _: self._show(views.politics(self._shown())),
            "log": self._show_log,
            "hint": self._hint,
            "undo": self._take_back,
            "save": self._save,
            "quit": self._quit,
            "help": self._help,
        }
        self.question: Question = Question("", (), None)
        self._chain = Chain()
        self._begun = False  # whether a choice of the line has been played
        self._asked_again = False
        self._overview = True
        self._choices: list[str] = []
        self._chooser = 0
        self._announced = False

    def _greet(self) -> None:
        saved = self.match.saved
        self._say(self._style(self.match.seat), self._who_plays())
        if saved.log:
            words = "The bot is made" if len(saved.bots) == 2 else "The bots are made"
            memory = "it remembers" if len(saved.bots) == 2 else "they remember"
            self._say("dim", f"{words} anew from spec and seed; {memory} nothing of the game so far.")
            for spec in self.match.changed:
                self._complain(
                    f"{spec} is not what it was when the game was saved: its files or its package."
                )
            for style, text in saved.log[-8:]:
                self._say(style, text)
        self._say("dim", HOW_TO_ANSWER)
        self._say("dim", "help lists the commands.")
        if saved.own_dice:
            self._say("dim", own_dice.EXPLANATION)
        if not saved.log:
            self._tell([(TURN, f"Turn {int(self.match.game.state['turn'])}")])

    def _who_plays(self) -> str:
        """Describes the players: ``You play Sauron with random (Isengard) against scripted (Gondor) and
        scripted (Rohan).``"""
        state, bots, me = self.match.game.state, self.match.saved.bots, self.match.seat
        partner = partner_of(state, me)
        named = [f"{spec} ({seat_name(state, seat)})" for seat, spec in enumerate(bots)]
        beside = "" if partner is None else f" with {named[partner]}"
        others = [seat for seat in range(len(seats_of(state))) if side_of(seat) != side_of(me)]
        against = " and ".join(named[seat] for seat in others)
        return f"You play {the_seat(state, me)}{beside} against {against}."

    @staticmethod
    def _style(seat: int) -> str:
        return SIDE_STYLES[side_of(seat)]

    # --- Decisions. ---

    def _persons_decision(self) -> None:
        game = self.match.game
        state = game.state
        if (idle := idle_answer(game)) is not None:
            self._play_unasked(idle)
            return
        self.question = question(state, game.legal())
        answer = self._next_of_chain() or self._asked()
        if answer is None:
            return
        self._asked_again = False
        words = own_words(state, answer.action)
        step = self.match.play(answer.action, self._outcomes(), joined=self._begun)
        self._begun = True
        self.match.saved.log.append((self._style(step.seat), f"{seat_name(state, step.seat)}: {words}"))
        self._tell_step(step)
        self._chain.follow(step.forced)
        if step.news or not self.match.persons_turn:
            self._break_chain()

    def _asked(self) -> Answer | None:
        """Asks for a line and returns its answer; None if the line was not an answer."""
        if not self._asked_again:
            if self._overview and int(self.match.game.state["phase"]) == Phase.ACTION:
                self._console.print()
                self._show(views.status(self._shown()))
            self._overview = False
            shown = self._shown()
            fight = battle(shown, self.match.fought, self.question.decision)
            if fight is not None:
                self._console.print()
                self._show(fight)
            self._say(self._style(self.match.seat), self.question.text)
            figures = views.figures(self.question, pickable(self.match.game, self.question))
            self._show(self._answers(shown, briefly=True) if figures is None else figures)
        self._asked_again = False
        self._begun = False
        return self._understand(self._reader.read(self._prompt(), self._completions()))

    def _play_unasked(self, action: int) -> None:
        """Plays an action without an alternative, or whose alternatives have the same effect."""
        state = self.match.game.state
        words, only = own_words(state, action), len(self.match.game.legal()) == 1
        step = self.match.play(action, self._outcomes(), joined=True)
        line = (UNASKED, f"  {'no other choice' if only else 'nothing to choose'}: {words}")
        self._tell([line])
        self._tell_step(step)
        self._chain.follow([*([answer_of(state, action)] if only else []), *step.forced])
        if step.news or not self.match.persons_turn:
            self._break_chain()

    def _next_of_chain(self) -> Answer | None:
        """The answer of the last typed line to this question; None if the line has no further answer, or no
        legal one."""
        if not self._chain.pending:
            return None
        try:
            return self._chain.next(self.question)
        except ChainError as error:
            played = "undo takes back what comes before it" if self._begun else "nothing is played"
            self._complain(f"The line stops: {error} ({played})")
            self._chain = Chain()
            self._asked_again = not self._begun
            return None

    def _break_chain(self) -> None:
        """Drops the rest of a line if the person got new information, or another seat decides."""
        if self._chain.rest:
            self._complain(f"The line stops before {self._chain.rest!r}: first see what came of it.")
        self._chain = Chain()

    def _bots_decision(self) -> None:
        try:
            step = self._bots_answer()
        except BotError as error:
            self._complain(f"{error}; it is asked anew")
            try:
                step = self._bots_answer()
            except BotError as again:
                raise CommandError(f"{again}; another can play on with --against or --bot") from None
        self._overview = True
        self._tell_step(step)

    def _bots_answer(self) -> Step:
        with self._thinking():
            return self.match.answer(self._outcomes(self._announce))

    def _tell_step(self, step: Step) -> None:
        """Prints the consequences of a choice. Choices of a bot are collected in one line until there is a
        consequence."""
        sentences = tell(step.trace, self.match.seat)
        if self._announced:
            sentences = sentences[1:]
        self._announced = False
        for sentence in sentences:
            if sentence.tone != Tone.CHOICE:
                self._flush()
                self._tell([line_of(sentence)])
            elif sentence.seat != self.match.seat and not self._goes_without_saying(step, sentence):
                self._gather(sentence)
        if self.match.persons_turn or self.match.game.over:
            self._flush()

    def _goes_without_saying(self, step: Step, choice: Sentence) -> bool:
        """Whether a bot's choice need not be printed, because its consequence shows it or it had no effect.
        With own dice, all choices are printed."""
        return step.idle or (getattr(choice, "shows", False) and not self.match.saved.own_dice)

    def _gather(self, choice: Sentence) -> None:
        assert choice.seat is not None
        if choice.opens or choice.seat != self._chooser:
            self._flush()
        self._chooser = choice.seat
        self._choices.append(choice.text)

    def _announce(self, game: Game, action: int) -> None:
        """Prints the bot's choice before the person is asked to roll for it."""
        # Where the cards of the choice go does not depend on chance, so any outcome shows it.
        sentence = tell(game.trace(action), self.match.seat)[0]
        if sentence.tone == Tone.CHOICE:
            self._gather(sentence)
            self._announced = True
        self._flush()

    def _flush(self) -> None:
        if self._choices:
            name = seat_name(self.match.game.state, self._chooser)
            words = " · ".join(self.match.kind.words.summed_up(self._choices))
            self._tell([(self._style(self._chooser), f"{name}: {words}")])
            self._choices = []

    def _outcomes(
        self, announce: Callable[[Game, int], None] = lambda _game, _action: None
    ) -> OutcomesOf | None:
        """Returns a function that asks for the outcomes of a step, in a game with own dice; it calls
        ``announce`` first."""
        if not self.match.saved.own_dice:
            return None
        return lambda game, action: own_dice.ask_outcomes(
            game,
            action,
            self._ask_outcomes,
            self._complain,
            self._generator,
            lambda: announce(game, action),
        )

    def _ask_outcomes(self, prompt: str, completions: Sequence[str]) -> str:
        """Asks for a line with outcomes; commands that do not concern answers also work."""
        while True:
            line = self._reader.read(prompt, completions)
            commands, rest, whole = find_command(line)
            if not whole or commands[0].name in _ABOUT_ANSWERS:
                return line
            self._commands[commands[0].name](rest)

    def _understand(self, line: str) -> Answer | None:
        """The answer in a line; None if the line was a command, or was not understood."""
        asked, text = self.question, line.strip()
        if not text:
            if asked.default is None:
                self._complain("Type an answer, its number, or help; nothing is played by Enter alone here.")
            self._asked_again = asked.default is None
            return asked.default
        commands, rest, whole = find_command(text)
        named = whole and bool(rest)  # "region moria" asks for it, though it is the name of an action, too
        answer = None if named or text.startswith("/") else exact(asked.answers, text)
        if answer is not None:
            return answer
        chain = Chain("" if text.startswith("/") or whole else text)
        found = chain.whole(asked)
        if len(found) == 1:
            return found[0]
        self._asked_again = True
        if not found and chain.begins(asked):
            self._chain = chain
            return self._next_of_chain()
        if found:
            self._complain(f"{text!r} can mean: {_some([answer.words for answer in found])}")
        elif len(commands) == 1:
            self._commands[commands[0].name](rest)
        elif commands:
            self._complain(f"{text!r} can mean: {', '.join(command.name for command in commands)}")
        else:
            self._complain(f"{text!r} is neither an answer nor a command; type answers or help")
        return None

    def _prompt(self) -> str:
        default = self.question.default
        return f"{'[' + default.words + '] ' if default else ''}> "

    def _completions(self) -> list[str]:
        names = [*(answer.words for answer in self.question.answers), *COMMANDS]
        return [*names, *(f"region {name}" for name in REGION_NAMES)]

    # --- Commands. ---

    def _answers(self, shown: dict[str, Any], briefly: bool = False) -> RenderableType:
        """The answers, each with the forces in the region that it names."""
        notes = views.notes_of(self.question, shown, side_of(self.match.seat))
        return views.answers(self.question, notes, briefly)

    def _show_answers(self) -> None:
        self._show(self._answers(self._shown()))

    @property
    def _room(self) -> tuple[int, int]:
        """Columns and lines for a drawing that leaves room for a question and its answer below."""
        return self._console.width, max(_LOWEST, self._console.height - _LINES_BELOW)

    def _show_map(self, rest: str) -> None:
        shown = views.whole_map(self._shown(), *self._room, rest)
        if shown is None:
            self._complain(f"there is no nation {rest!r}; map alone draws the whole map")
        else:
            self._show(shown)

    def _show_armies(self, rest: str) -> None:
        shown = views.armies(self._shown(), rest)
        if shown is None:
            self._complain(f"there is no nation {rest!r}; armies alone lists them, armies all every region")
        else:
            self._show(shown)

    def _show_region(self, rest: str) -> None:
        number = self._named("region", REGION_NAMES, rest)
        if number is not None:
            self._show(views.region(self._shown(), number, *self._room))

    def _show_battle(self) -> None:
        fight = battle(self._shown(), self.match.fought, self.question.decision)
        if fight is None:
            self._complain("there is no battle now")
        else:
            self._show(fight)

    def _show_card(self, rest: str) -> None:
        number = self._named("card", (*CARD_NAMES, *CHARACTER_NAMES), rest)
        if number is None:
            return
        if number < NUM_CARDS:
            self._show(views.card(self._shown(), number, self._options))
        else:
            self._show(views.character(self._shown(), number - NUM_CARDS, self._options))

    @property
    def _options(self) -> np.ndarray:
        return self.match.game.state["options"]

    def _named(self, what: str, names: tuple[str, ...], text: str) -> int | None:
        found = find_named(names, text)
        if len({names[place] for place in found}) == 1:
            return found[0]
        if found:
            self._complain(f"{text!r} can mean: {_some([names[place] for place in found])}")
        else:
            self._complain(f"there is no {what} {text!r}" if text else f"which? type {what} NAME")
        return None

    def _show_log(self, rest: str) -> None:
        if rest and not (rest.isdecimal() and int(rest) > 0):
            self._complain(f"log takes a number of lines, not {rest!r}")
            return
        for style, text in self.match.saved.log[-int(rest or _LOG_LINES) :]:
            self._say(style, text)

    def _named_choices(self) -> dict[int, str]:
        return {answer.action: answer.words for answer in self.question.answers}

    def _asked_anew(self) -> None:
        self._asked_again = False
        self._overview = True
        self._chain = Chain()

    def _help(self, rest: str) -> None:
        table = Table(show_header=False, box=None, pad_edge=False)
        for command in COMMANDS.values():
            table.add_row(Text(f"{command.name} {command.argument}", style="cyan"), command.summary)
        self._show(table)
        self._say("dim", HOW_TO_ANSWER)
        if self.match.saved.own_dice:
            self._say("dim", own_dice.EXPLANATION)

    # --- Showing and saving. ---

    def _shown(self) -> dict:
        return picture(self.match.game.state, self.match.seat)

    def _show(self, shown: RenderableType) -> None:
        self._console.print(shown)

    def _tell(self, lines: list[Line]) -> None:
        for style, text in lines:
            self._say(style, text)
        self.match.saved.log.extend(lines)

    def _tell_end(self) -> None:
        self._flush()
        game = self.match.game
        if (result := game.result) is not None:
            self._tell(result_lines(result, game.ruleset.seats, self.match.seat, len(game.actions)))

    def _write(self, path: Path) -> None:
        self.match.saved.write(path)
        self._say("green", f"Saved. To play on: wotr play --load {shlex.quote(str(path))}")

    def _rescue(self) -> None:
        self._flush()
        super()._rescue()

    @contextlib.contextmanager
    def _thinking(self) -> Iterator[None]:
        """As in the base class, but without a spinner if the person may be asked for dice in the meantime."""
        with contextlib.nullcontext() if self.match.saved.own_dice else super()._thinking():
            yield


def default_save_path() -> Path:
    """A new file name in the working folder."""
    return Path(f"wotr-{datetime.datetime.now():%Y%m%d-%H%M%S}.json")


def _some(names: list[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _MANY_NAMES} more" if len(names) > _MANY_NAMES else ""
    return ", ".join(names[:_MANY_NAMES]) + more
