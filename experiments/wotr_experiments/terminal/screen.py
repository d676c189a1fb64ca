"""The screen of ``wotr play``: shows a game, asks questions, runs commands, and tells the story."""

from __future__ import annotations

import contextlib
import datetime
import functools
import random
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from wotr_env.core.descriptions import Sentence, Tone
from wotr_env.core.kind import GameKind
from wotr_env.play.bots import BotError
from wotr_env.play.games import DEFAULT_GAME
from wotr_experiments import games
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.terminal import hints
from wotr_experiments.terminal.choices import Answer, LineError, Question, exact
from wotr_experiments.terminal.match import Match, OutcomesOf, Step
from wotr_experiments.terminal.presenter import ArgumentError, Look, Room
from wotr_experiments.terminal.readers import Reader
from wotr_experiments.terminal.saves import Told
from wotr_experiments.terminal.typed import can_mean

_SLOW = 0.3
"""Seconds; if a bot's decision took longer, a spinner is shown during the next one."""
_LOG_LINES = 30
_LINES_BELOW = 3
"""Number of lines left free below a drawing."""
_LOWEST = 20
"""Minimal number of lines of a drawing if the console has fewer."""
_UNASKED = "dim"
_RESCUED = "game.json"
"""Name of the file in a temporary folder, used if the game cannot be saved elsewhere."""
_ABOUT_ANSWERS = ("answers", "hint", "undo")
"""Commands that have no meaning while the person is asked for dice."""
COMMANDS = {
    "answers": ("", "the legal answers again"),
    "log": ("[LINES]", f"what has happened, by default the last {_LOG_LINES} lines"),
    "hint": ("[BOT]", "what a bot would do in your place, and how it values your choices"),
    "undo": ("", "take back your last line, and what came after it"),
    "save": ("[FILE]", "save the game and play on"),
    "quit": ("", "leave; asks whether to save, unless that was done"),
    "help": ("", "this list"),
}
"""The commands of all games, each with its argument and its meaning."""


class Leave(Exception):
    """The person leaves; the game has been saved if requested."""


class _Command(NamedTuple):
    argument: str
    """The argument as shown in help; empty if there is none."""
    summary: str
    run: Callable[[str], None]
    """Receives the rest of the line after the command word."""


class Screen:
    """A person at the terminal, playing a match.

    Args:
        match: the game.
        reader: the source of input lines.
        console: the console for output.
        path: the file for ``save`` without a name, after Ctrl-C, and at the end of the input.
    """

    def __init__(self, match: Match, reader: Reader, console: Console, path: Path) -> None:
        self.match = match
        self.path = path
        self.presenter = games.presenter_of(match.kind)(match)
        self.question = Question("", ())
        self._dice = self.presenter.own_dice if match.saved.own_dice else None
        self._reader = reader
        self._console = console
        self._own = {match.saved.path.absolute()} if match.saved.path else set[Path]()
        self._kept: tuple[Any, ...] | None = None  # the progress that was saved last
        self._slow = False
        self._generator = random.Random()
        self._line = self.presenter.line()
        self._begun = False  # whether a choice of the line has been played
        self._asked_again = False
        self._overview = True
        self._choices: list[str] = []
        self._chooser = 0
        self._announced: tuple[int, list[Told]] | None = None
        """The announced choice of a bot: its place in the story, and its line there once it is played."""
        self._commands = self._all_commands()

    def _all_commands(self) -> dict[str, _Command]:
        runs = {
            "answers": lambda _: self._show(self.presenter.answers(self.question)),
            "log": self._show_log,
            "hint": self._hint,
            "undo": self._take_back,
            "save": self._save,
            "quit": self._quit,
            "help": self._help,
        }
        commands = {name: _Command(*COMMANDS[name], run) for name, run in runs.items()}
        looks = {
            name: _Command(each.argument, each.summary, functools.partial(self._look, each))
            for name, each in self.presenter.looks.items()
        }
        return {"answers": commands.pop("answers"), **looks, **commands}

    def run(self) -> None:
        """Plays to the end.

        Raises:
            CommandError: a bot failed twice.
            EOFError: the input ends.
            KeyboardInterrupt: Ctrl-C.
            Leave: the person leaves.

        The game is saved before an error is raised, except before ``Leave``.
        """
        try:
            self._greet()
            while not self.match.over:
                if self.match.persons_turn:
                    self._persons_decision()
                else:
                    self._bots_decision()
            self._tell_end()
        except Leave:
            raise
        except BaseException:  # whatever happened, no game is lost
            self._console.print()
            self._rescue()
            raise

    def _greet(self) -> None:
        saved, presenter = self.match.saved, self.presenter
        self._say(presenter.style(self.match.seat), presenter.greeting())
        if saved.log:
            words = "The bot is made" if len(saved.bots) == 2 else "The bots are made"
            memory = "it remembers" if len(saved.bots) == 2 else "they remember"
            self._say("dim", f"{words} anew from spec and seed; {memory} nothing of the game so far.")
        for spec in self.match.changed:
            self._complain(f"{spec} is not what it was when the game was saved: its files or its package.")
        for style, text in saved.log[-8:]:
            self._say(style, text)
        self._say_how_to_answer()
        if not saved.log:
            self._tell(presenter.opening())

    def _say_how_to_answer(self, help_too: bool = True) -> None:
        self._say("dim", self.presenter.how_to_answer)
        if help_too:
            self._say("dim", "help lists the commands.")
        if self._dice is not None:
            self._say("dim", self._dice.explanation)

    # --- Decisions. ---

    def _persons_decision(self) -> None:
        presenter, seat = self.presenter, self.match.seat
        if (idle := presenter.idle_answer()) is not None:
            self._play_unasked(idle)
            return
        self.question = presenter.question()
        answer = self._next_of_line() or self._asked()
        if answer is None:
            return
        self._asked_again = False
        words = presenter.own_words(answer.action)
        step = self.match.play(answer.action, self._outcomes(), joined=self._begun)
        self._begun = True
        self.match.saved.log.append((presenter.style(seat), f"{presenter.name(seat)}: {words}"))
        self._go_on(step, [])

    def _asked(self) -> Answer | None:
        """Asks for a line and returns its answer; None if the line was not an answer."""
        if not self._asked_again:
            if self._overview and (view := self.presenter.overview()) is not None:
                self._console.print()
                self._show(view)
            self._overview = False
            for shown in self.presenter.asked(self.question):
                self._show(shown)
        self._asked_again = False
        self._begun = False
        return self._understand(self._reader.read(self._prompt(), self._completions()))

    def _play_unasked(self, action: int) -> None:
        """Plays an action without an alternative, or whose alternatives have the same effect."""
        words, only = self.presenter.own_words(action), len(self.match.game.legal()) == 1
        forced = [self.presenter.answer_of(action)] if only else []
        step = self.match.play(action, self._outcomes(), joined=True)
        self._tell([(_UNASKED, f"  {'no other choice' if only else 'nothing to choose'}: {words}")])
        self._go_on(step, forced)

    def _go_on(self, step: Step, forced: list[Answer]) -> None:
        """Tells the consequences of the person's choice, and drops the rest of the line if the person got new
        information or another seat decides.

        Args:
            step: the choice.
            forced: the choice itself if there was no alternative, so that the line may contain a word for it.
        """
        self._line.follow([*forced, *self._tell_step(step)])
        if step.news or not self.match.persons_turn:
            if self._line.rest:
                self._complain(f"The line stops before {self._line.rest!r}: first see what came of it.")
            self._line = self.presenter.line()

    def _next_of_line(self) -> Answer | None:
        """The answer of the last typed line to this question; None if the line has no further answer, or no
        legal one."""
        if not self._line.pending:
            return None
        try:
            return self._line.next(self.question)
        except LineError as error:
            played = "undo takes back what comes before it" if self._begun else "nothing is played"
            self._complain(f"The line stops: {error} ({played})")
            self._line = self.presenter.line()
            self._asked_again = not self._begun
            return None

    def _bots_decision(self) -> None:
        try:
            self._bots_answer()
        except BotError as error:
            self._complain(f"{error}; it is asked anew")
            try:
                self._bots_answer()
            except BotError as again:
                raise CommandError(f"{again}; another can play on with --against or --bot") from None
        self._overview = True

    def _bots_answer(self) -> None:
        idle = self.presenter.idle_answer() is not None
        with self._thinking():
            step = self.match.answer(self._outcomes(self._announce))
        self._tell_step(step, idle)

    def _tell_step(self, step: Step, idle: bool = False) -> list[Answer]:
        """Prints the consequences of a choice. Choices of a bot are collected in one line until there is a
        consequence. With own dice, all choices are printed.

        Returns:
            The answers that the rules gave for the deciding seat after its choice.
        """
        forced = self.presenter.follow(step)
        sentences = step.sentences
        if self._announced is not None:
            place, line = self._announced
            self.match.saved.log[place:] = line
            self._announced, sentences = None, sentences[1:]
        for sentence in sentences:
            if sentence.tone != Tone.CHOICE:
                if (line := self.presenter.line_about(sentence)) is not None:
                    self._flush()
                    self._tell([line])
            elif sentence.seat != self.match.seat and not idle and self._must_be_shown(sentence):
                self._gather(sentence)
        if self.match.persons_turn or self.match.over:
            self._flush()
        return forced

    def _must_be_shown(self, choice: Sentence) -> bool:
        return self._dice is not None or not self.presenter.goes_without_saying(choice)

    def _gather(self, choice: Sentence) -> None:
        assert choice.seat is not None
        if choice.opens or choice.seat != self._chooser:
            self._flush()
        self._chooser = choice.seat
        self._choices.append(choice.text)

    def _announce(self, game: Any, action: int) -> None:
        """Prints the bot's choice before the person is asked to roll for it. The story has only the choices
        before it, because the person may leave instead."""
        # Where the cards of the choice go does not depend on chance, so any outcome shows it.
        sentence = self.match.kind.step_of(game.state, action, self.match.seat).sentences[0]
        if sentence.tone != Tone.CHOICE:
            self._flush()
            return
        self._gather(sentence)
        log, line = self.match.saved.log, self._line_of(self._choices)
        self._announced = len(log), line
        log.extend(self._line_of(self._choices[:-1]))
        self._choices = []
        for each in line:
            self._say(*each)

    def _flush(self) -> None:
        self._tell(self._line_of(self._choices))
        self._choices = []

    def _line_of(self, choices: Sequence[str]) -> list[Told]:
        """Choices of a bot in one line; no line if there are none."""
        words = " · ".join(self.match.kind.words.merge_repeats(choices))
        name, style = self.presenter.name(self._chooser), self.presenter.style(self._chooser)
        return [(style, f"{name}: {words}")] if choices else []

    def _outcomes(
        self, announce: Callable[[Any, int], None] = lambda _game, _action: None
    ) -> OutcomesOf | None:
        """Returns a function that asks for the outcomes of a step, in a game with own dice; it calls
        ``announce`` first."""
        if (dice := self._dice) is None:
            return None
        return lambda game, action: dice.ask(
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
            names, rest, whole = self._find_command(line)
            if not whole or names[0] in _ABOUT_ANSWERS:
                return line
            self._commands[names[0]].run(rest)

    def _understand(self, line: str) -> Answer | None:
        """The answer in a line; None if the line was a command, or was not understood."""
        asked, text = self.question, line.strip()
        if not text:
            if asked.default is None:
                self._complain("Type an answer, its number, or help; nothing is played by Enter alone here.")
            self._asked_again = asked.default is None
            return asked.default
        names, rest, whole = self._find_command(text)
        named = whole and bool(rest)  # "region moria" asks for it, though it is the name of an action, too
        answer = None if named or text.startswith("/") else exact(asked.answers, text)
        if answer is not None:
            return answer
        typed = self.presenter.line("" if text.startswith("/") or whole else text)
        found = typed.whole(asked)
        if len(found) == 1:
            return found[0]
        self._asked_again = True
        if not found and typed.begins(asked):
            self._line = typed
            return self._next_of_line()
        if found:
            self._complain(can_mean(text, [answer.words for answer in found]))
        elif len(names) == 1:
            self._commands[names[0]].run(rest)
        elif names:
            self._complain(f"{text!r} can mean: {', '.join(names)}")
        else:
            self._complain(f"{text!r} is neither an answer nor a command; type answers or help")
        return None

    def _find_command(self, text: str) -> tuple[list[str], str, bool]:
        """The commands that the first word of a line can mean, the rest of the line, and whether the word is
        complete. A leading slash is ignored."""
        word, _, rest = text.strip().removeprefix("/").partition(" ")
        word = "help" if word == "?" else word.casefold()
        if word in self._commands:
            return [word], rest.strip(), True
        return [name for name in self._commands if word and name.startswith(word)], rest.strip(), False

    def _prompt(self) -> str:
        default = self.question.default
        return f"{'[' + default.words + '] ' if default else ''}> "

    def _completions(self) -> list[str]:
        words = [answer.words for answer in self.question.answers]
        return [*words, *self._commands, *self.presenter.completions]

    # --- Commands. ---

    def _look(self, look: Look, rest: str) -> None:
        room = Room(self._console.width, max(_LOWEST, self._console.height - _LINES_BELOW))
        try:
            self._show(look.show(self.presenter, rest, room))
        except ArgumentError as error:
            self._complain(str(error))

    def _show_log(self, rest: str) -> None:
        if rest and not (rest.isdecimal() and int(rest) > 0):
            self._complain(f"log takes a number of lines, not {rest!r}")
            return
        for style, text in self.match.saved.log[-int(rest or _LOG_LINES) :]:
            self._say(style, text)

    def _hint(self, rest: str) -> None:
        spec = rest or self.match.saved.hint_bot
        try:
            with self._thinking():
                hint = self.match.hint(spec)
        except BotError as error:
            self._complain(str(error))
            return
        words = {answer.action: answer.words for answer in self.question.answers}
        self._say("bold green", f"{printable(spec)} would: {words[hint.action]}")
        values = [(words[action], value) for action, value in hint.values if action in words]
        if values:
            self._show(hints.table(values, hint.scale))

    def _take_back(self, rest: str) -> None:
        if rest:
            self._complain("undo takes no argument: it takes back your last line")
            return
        saved = self.match.saved
        if (undone := self.match.undo()) is not None:
            noted = f", including what you have seen since; the record notes this ({saved.taken_back})"
            self._say("dim", f"Taken back{noted if undone.seen else ''}.")
            self._asked_again = False
            self._overview = True
            self._line = self.presenter.line()
        elif saved.full_takeback:
            self._complain("nothing can be taken back: you have not chosen yet")
        else:
            self._complain("nothing can be taken back: chance, a card or another seat came after your choice")

    def _save(self, rest: str) -> None:
        path = Path(rest).expanduser() if rest else self.path
        try:
            self._keep(path)
            self.path = path
        except (CommandError, OSError) as error:
            self._complain(_unwritten(path, error))

    def _quit(self, rest: str) -> None:
        if self._kept == self.match.progress:
            raise Leave
        while True:
            line = self._reader.read(f"Save to {self.path}? [yes] no, back> ", ("yes", "no", "back"))
            reply = line.strip().casefold()
            if reply and "back".startswith(reply):
                return
            if reply and "no".startswith(reply):
                raise Leave
            if "yes".startswith(reply):
                try:
                    self._keep(self.path)
                except (CommandError, OSError) as error:
                    self._complain(f"{_unwritten(self.path, error)}; type back, then save FILE")
                    continue
                raise Leave
            self._complain("yes: save and leave; no: leave; back: play on")

    def _help(self, rest: str) -> None:
        table = Table(show_header=False, box=None, pad_edge=False)
        for name, command in self._commands.items():
            table.add_row(Text(f"{name} {command.argument}", style="cyan"), command.summary)
        self._show(table)
        self._say_how_to_answer(help_too=False)

    # --- Showing and saving. ---

    def _show(self, shown: RenderableType) -> None:
        self._console.print(shown)

    def _say(self, style: str, text: str) -> None:
        self._console.print(Text(text, style=style))

    def _complain(self, text: str) -> None:
        self._say("yellow", printable(text))

    def _tell(self, lines: Sequence[Told]) -> None:
        for style, text in lines:
            self._say(style, text)
        self.match.saved.log.extend(lines)

    def _tell_end(self) -> None:
        self._flush()
        self._tell([line for line in self.presenter.end() if line not in self.match.saved.log])

    def _keep(self, path: Path) -> None:
        """Saves the game; never replaces a file of something else.

        Raises:
            CommandError: the file may not be replaced.
            OSError: the file cannot be written.
        """
        if path.absolute() not in self._own and path.exists():
            raise CommandError("the file exists; name a new one")
        self.match.saved.write(path)
        self._own.add(path.absolute())
        game = "" if self.match.kind.name == DEFAULT_GAME else f"--game {self.match.kind.name} "
        self._say("green", f"Saved. To play on: wotr play {game}--load {shlex.quote(str(path))}")
        self._kept = self.match.progress

    def _rescue(self) -> None:
        """Saves the game; if the file cannot be written, to a temporary folder."""
        self._flush()
        try:
            self._keep(self.path)
        except (CommandError, OSError) as error:
            self._complain(_unwritten(self.path, error))
            self._keep(Path(tempfile.mkdtemp(prefix="wotr-play-")) / _RESCUED)

    @contextlib.contextmanager
    def _thinking(self) -> Iterator[None]:
        """A spinner while a bot thinks, if its last decision was slow, and the person is not asked for dice
        in the meantime."""
        start = time.monotonic()
        shown = self._slow and self._console.is_terminal and self._dice is None
        with self._console.status("thinking ...") if shown else contextlib.nullcontext():
            yield
        self._slow = time.monotonic() - start > _SLOW


def default_path(kind: GameKind) -> Path:
    """A new file name in the working folder."""
    return Path(f"wotr-{kind.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}.json")


def _unwritten(path: Path, error: Exception) -> str:
    return f"{path} cannot be written: {getattr(error, 'strerror', None) or error}"
