"""The base of all tables in the terminal: output, complaints, saving, hints, takeback and leaving."""

from __future__ import annotations

import abc
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

from rich.console import Console
from rich.text import Text

from wotr_env.play.bots import BotError
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.terminal import hints
from wotr_experiments.terminal.match import BaseMatch
from wotr_experiments.terminal.readers import Reader

_SLOW = 0.3
"""Seconds; if a bot's decision took longer, a spinner is shown during the next one."""


class Leave(Exception):
    """The person leaves; the game has been saved if requested."""


M = TypeVar("M", bound=BaseMatch[Any, Any])


class BaseScreen(abc.ABC, Generic[M]):
    """A person at the terminal, playing a match.

    Args:
        match: the game.
        reader: the source of input lines.
        console: the console for output.
        path: the file for ``save`` without a name, after Ctrl-C, and at the end of the input.
        hint_bot: the spec of the bot for ``hint``.
    """

    rescue_name: str
    """Name of the file in a temporary folder, used if the game cannot be saved elsewhere."""

    def __init__(self, match: M, reader: Reader, console: Console, path: Path, hint_bot: str) -> None:
        self.match = match
        self.path = path
        self._reader = reader
        self._console = console
        self._hint_bot = hint_bot
        self._kept: tuple[Any, ...] | None = None  # the progress that was saved last
        self._slow = False

    def run(self) -> None:
        """Plays to the end.

        Raises:
            BotError, CommandError: a bot failed.
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

    @abc.abstractmethod
    def _greet(self) -> None:
        """Prints the seats and their players."""

    @abc.abstractmethod
    def _persons_decision(self) -> None:
        """Asks the person until a choice or a command is done."""

    @abc.abstractmethod
    def _bots_decision(self) -> None:
        """Lets a bot decide and prints the consequences."""

    @abc.abstractmethod
    def _tell_end(self) -> None:
        """Prints the end of the game."""

    @abc.abstractmethod
    def _write(self, path: Path) -> None:
        """Saves the game.

        Raises:
            CommandError: the file may not be replaced.
            OSError: the file cannot be written.
        """

    @abc.abstractmethod
    def _named_choices(self) -> dict[int, str]:
        """The legal actions with the words of the pending question."""

    @abc.abstractmethod
    def _asked_anew(self) -> None:
        """Called after a takeback, when an earlier decision is pending again."""

    def _hint(self, rest: str) -> None:
        spec = rest or self._hint_bot
        try:
            with self._thinking():
                hint = self.match.hint(spec)
        except BotError as error:
            self._complain(str(error))
            return
        words = self._named_choices()
        self._say("bold green", f"{printable(spec)} would: {words[hint.action]}")
        values = [(words[action], value) for action, value in hint.values if action in words]
        if values:
            self._console.print(hints.table(values, hint.scale))

    def _take_back(self, rest: str) -> None:
        if rest:
            self._complain("undo takes no argument: it takes back one choice")
            return
        players = self.match.players
        if (undone := self.match.undo()) is not None:
            noted = f", including what you have seen since; the record notes this ({players.taken_back})"
            self._say("dim", f"Taken back{noted if undone.seen else ''}.")
            self._asked_anew()
        elif players.full_takeback:
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

    def _keep(self, path: Path) -> None:
        self._write(path)
        self._kept = self.match.progress

    def _rescue(self) -> None:
        """Saves the game; if the file cannot be written, to a temporary folder."""
        try:
            self._keep(self.path)
        except (CommandError, OSError) as error:
            self._complain(_unwritten(self.path, error))
            self._keep(Path(tempfile.mkdtemp(prefix="wotr-play-")) / self.rescue_name)

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

    @contextlib.contextmanager
    def _thinking(self) -> Iterator[None]:
        """A spinner while a bot thinks, if its last decision was slow."""
        start = time.monotonic()
        if self._slow and self._console.is_terminal:
            with self._console.status("thinking ..."):
                yield
        else:
            yield
        self._slow = time.monotonic() - start > _SLOW

    def _say(self, style: str, text: str) -> None:
        self._console.print(Text(text, style=style))

    def _complain(self, text: str) -> None:
        self._say("yellow", printable(text))


def _unwritten(path: Path, error: Exception) -> str:
    return f"{path} cannot be written: {getattr(error, 'strerror', None) or error}"


Command = Callable[[str], None]
"""A command: a function that receives the rest of the line after the command word."""
