"""The terminal screen of any game with words: positions, numbered choices, undo, hints, saved records.

War of the Ring has its own, richer screen in ``wotr_experiments.games.war_of_the_ring``.
"""

from __future__ import annotations

import contextlib
import datetime
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from wotr_env.core.telling import Sentence, Tone
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.luck.telling import NONE
from wotr_experiments.terminal.base import BaseScreen, Command, Leave
from wotr_experiments.terminal.choices import Choice, choices_of, meant
from wotr_experiments.terminal.luck import tell_luck
from wotr_experiments.terminal.match import Match
from wotr_experiments.terminal.readers import Reader
from wotr_experiments.terminal.typed import find_named

_STYLES = ("bold dodger_blue1", "bold red1", "bold green3", "bold gold3", "bold magenta")
"""Styles of the seats, in order."""
_NAMED = 4
"""Maximal number of choices listed for an ambiguous line."""
_COMMANDS = {
    "position": "the position again",
    "answers": "the legal answers again",
    "about": "about NAME: what a card or another part of the game costs and does",
    "hint": "hint [BOT]: what a bot would do in your place",
    "undo": "take back your last choice, and what came after it",
    "save": "save [FILE]: save the game as a record and play on",
    "quit": "leave; asks whether to save, unless that was done",
    "help": "this list",
}
_WITH_MORE = ("about", "hint", "save")
"""Commands that may have an argument."""
_HOW_TO_ANSWER = (
    "Answer by number or by words; beginnings of words are enough. A command whose word also begins "
    "an answer can be written with a slash: /save."
)


class Screen(BaseScreen[Match]):
    """A person at the terminal, playing a match.

    Args:
        match: the game.
        reader: the source of input lines.
        console: the console for output.
        save: the file for ``save`` without a name, after Ctrl-C, and at the end of the input; by default a
            new file.
        own: whether this file belongs to the game and may be replaced.
        hint_bot: the spec of the bot for ``hint``; by default the first bot of the game.
    """

    rescue_name = "game.jsonl"

    def __init__(
        self,
        match: Match,
        reader: Reader,
        console: Console,
        save: Path | None = None,
        own: bool = False,
        hint_bot: str | None = None,
    ) -> None:
        path = save or Path(f"wotr-{match.kind.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}.jsonl")
        hint_bot = hint_bot or next(filter(None, match.players.bots))
        super().__init__(match, reader, console, path, hint_bot)
        self._own = {path.absolute()} if own else set()
        self._choices: list[Choice] = []
        self._overview = True
        self._end_told = False
        self._commands: dict[str, Command] = {
            "position": lambda _: self._show_position(),
            "answers": lambda _: self._show_choices(),
            "about": self._about,
            "hint": self._hint,
            "undo": self._take_back,
            "save": self._save,
            "quit": self._quit,
            "help": lambda _: self._help(),
        }
        if match.kind.words.parts is None:
            del self._commands["about"]

    @property
    def _ending(self) -> str:
        """Describes the end of the finished game."""
        return self.match.kind.words.decision(self.match.game.state).removesuffix(".")

    def _greet(self) -> None:
        match = self.match
        seats, players = match.game.ruleset.seats, match.players
        others = [
            f"{printable(spec)} ({seats[place].title})" for place, spec in enumerate(players.bots) if spec
        ]
        title = f"{match.kind.title}, {match.game.ruleset.title}. You play {seats[players.seat].title}"
        self._say(
            self._style(players.seat), f"{title}; {' and '.join(others)} at the table. Type help for help."
        )

    def _bots_decision(self) -> None:
        with self._thinking():
            told = self.match.answer()
        self._tell(told, own=False)
        self._overview = True

    def _tell_end(self) -> None:
        if not self._end_told:
            self._say("bold magenta", f"{self._ending}.")

    def _persons_decision(self) -> None:
        match = self.match
        state = match.game.state
        self._choices = choices_of(match.kind, state, match.game.legal())
        if self._overview:
            self._show_position()
            self._overview = False
        self._show_choices()
        before = len(match.game.actions)
        completions = [*(choice.words for choice in self._choices), *self._commands]
        while len(match.game.actions) == before:
            self._obey(self._reader.read("> ", completions))

    def _obey(self, line: str) -> None:
        word, _, rest = line.strip().partition(" ")
        command = word.removeprefix("/").casefold()
        if command in self._commands and (word[0] == "/" or rest == "" or command in _WITH_MORE):
            self._commands[command](rest.strip())
            return
        found = meant(self._choices, line)
        if len(found) == 1:
            self._tell(self.match.play(found[0].action), own=True)
        elif found:
            named = [f"{each.label} {each.words}" for each in found[:_NAMED]]
            more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
            self._complain(f"that can mean {'; '.join(named)}{more}")
        elif line.strip():
            many = len(self._choices)
            self._complain(f"no answer: type a number from 1 to {many}, words of an answer, or help")

    def _show_position(self) -> None:
        match = self.match
        self._console.print()
        words, state = match.kind.words, match.game.state
        if drawn := words.layout(state) if words.layout is not None else "":
            self._say("default", f"{drawn}\n")
        self._say("default", words.position(state))

    def _show_choices(self) -> None:
        match = self.match
        self._console.print()
        self._say(self._style(match.players.seat), match.kind.words.decision(match.game.state))
        width = len(str(len(self._choices)))
        for choice in self._choices:
            self._say("default", f"  {choice.label:>{width}}  {choice.words}")

    def _tell(self, told: Sequence[Sentence], own: bool) -> None:
        """Prints the consequences of a step, without the person's own choice."""
        seats = self.match.game.ruleset.seats
        for sentence in told:
            if sentence.tone == Tone.TEXT or (own and sentence.tone == Tone.CHOICE):
                continue
            if sentence.tone in (Tone.CHOICE, Tone.FORCED) and sentence.seat is not None:
                self._say(self._style(sentence.seat), f"{seats[sentence.seat].title}: {sentence.text}")
            elif self.match.over and sentence.text.removesuffix(".") == self._ending:
                self._say("bold magenta", f"{self._ending}.")
                self._end_told = True
            elif sentence.tone in (Tone.TURN, Tone.MAJOR):
                self._say("bold yellow", sentence.text)
            else:
                self._say("default", f"  {sentence.text}")

    def _about(self, rest: str) -> None:
        assert self.match.kind.words.parts is not None
        parts = self.match.kind.words.parts(self.match.game.state)
        names = list(parts)
        found = [names[place] for place in find_named(names, rest)]
        if len({parts[name] for name in found}) == 1:
            self._say("cyan", parts[found[0]])
        elif found:
            more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
            self._complain(f"that can mean {', '.join(found[:_NAMED])}{more}")
        else:
            listed = ", ".join([*names[:_NAMED], names[-1]])
            self._complain(f"there is no {rest!r}" if rest else f"about what? For example: {listed}")

    def _named_choices(self) -> dict[int, str]:
        return {choice.action: f"{choice.label} {choice.words}" for choice in self._choices}

    def _asked_anew(self) -> None:
        self._overview = True

    def _write(self, path: Path) -> None:
        """Saves the game; never replaces a file of another game."""
        if path.absolute() not in self._own and path.exists():
            raise CommandError("the file exists; name a new one")
        self.match.save(path)
        self._own.add(path.absolute())
        again = f"wotr play --game {self.match.kind.name} --load {shlex.quote(str(path))}"
        self._say("green", f"Saved. To play on: {again}")

    def _help(self) -> None:
        for name in self._commands:
            self._say("cyan", f"{name:9} {_COMMANDS[name]}")
        self._say("dim", _HOW_TO_ANSWER)

    def _style(self, seat: int) -> str:
        return _STYLES[seat % len(_STYLES)]


def play_on_screen(
    match: Match,
    reader: Reader,
    console: Console,
    *,
    save: Path | None = None,
    loaded: bool = False,
    out: Path | None = None,
    hint_bot: str | None = None,
    luck: str | None = NONE,
) -> bool:
    """Plays a match to the end, or until the person leaves; returns whether the game is over.

    Args:
        match: the match; closed at the end.
        reader: the source of input lines.
        console: the console for output.
        save: the file to save to; by default a new file in the working folder.
        loaded: whether the game was loaded from this file, which may then be replaced.
        out: a new file for the record of the finished game.
        hint_bot: the spec of the bot for ``hint``.
        luck: the network that measures luck after the end (``luck.telling.method_of``).

    Raises:
        BotError: a bot failed; the game has been saved.
        CommandError: a file of another game would be replaced, or its folder does not exist.
        KeyboardInterrupt: Ctrl-C; the game has been saved.
        OSError: a file cannot be written.
    """
    with contextlib.closing(match):
        for path, own in ((save, loaded), (out, False)):
            if path is not None and not path.absolute().parent.is_dir():
                raise CommandError(f"there is no folder {path.parent}")
            if path is not None and path.exists() and not own:
                raise CommandError(f"{path} exists; name a new file")
        screen = Screen(match, reader, console, save, loaded, hint_bot)
        try:
            screen.run()
        except (Leave, EOFError):
            return False
        if out is not None:
            match.save(out)
            console.print(f"The record is in {out}; wotr replay {out} shows the game.", markup=False)
        tell_luck(match, luck, console)
    return True
