"""A person against bots in any game that has words: positions, numbered choices, undo, hints, saved records.

War of the Ring has a table of its own, which shows more (``terminal.table``).
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import secrets
import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.text import Text

from wotr_agents.registry import starts_program
from wotr_env import GameRecord
from wotr_env.core.kind import GameKind, Sentence, Tone, check_seat
from wotr_env.play.bots import Bot, BotError, BotView, view_of
from wotr_env.play.history import FollowedGame
from wotr_experiments.arena.schedule import settled
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.files import write_text
from wotr_experiments.isolation.bots import Bots, Isolation, ask, check_made, identity_of
from wotr_experiments.persons import PERSON, person_of_study, taken_back_by
from wotr_experiments.terminal import hints
from wotr_experiments.terminal.answers import find_named, has_symbols, plain, words_begin
from wotr_experiments.terminal.hints import Hint, hint_of
from wotr_experiments.terminal.readers import Reader
from wotr_experiments.terminal.takeback import Takeback, Undone

_STYLES = ("bold dodger_blue1", "bold red1", "bold green3", "bold gold3", "bold magenta")
"""Of the seats in their order."""
_NAMED = 4
"""Choices that are named where a line could mean several."""
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
"""Commands that may have more behind them."""
_HOW_TO_ANSWER = (
    "Answer by number or by words; beginnings of words are enough. A command whose word also begins "
    "an answer can be written with a slash: /save."
)


class Leave(Exception):
    """The person leaves; the game has been saved if that was wanted."""


class Choice(NamedTuple):
    """A legal action as it is listed."""

    action: int
    label: str
    """Its number in the list."""
    words: str
    name: str
    """The stable name of the action."""


def choices_of(kind: GameKind, state: np.record, legal: Sequence[int]) -> list[Choice]:
    """The legal actions of a pending decision in the order of their ids, numbered from 1."""
    return [
        Choice(action, str(number), kind.words.action(state, action), kind.actions.names[action])
        for number, action in enumerate(legal, start=1)
    ]


def meant(choices: Sequence[Choice], line: str) -> list[Choice]:
    """The choices that a typed line can mean: none, one, or several that it does not tell apart.

    Its number, its words or name, how these begin, or the beginnings of some of its words in their order; a
    better fit hides the others.
    """
    if found := [choice for choice in choices if choice.label == line.strip()]:
        return found
    wanted = plain(line)
    if has_symbols(line) or not any(letter.isalpha() for letter in wanted):
        return []  # another number is a mistake, not the beginning of some words
    keys = [(choice, (plain(choice.words), plain(choice.name))) for choice in choices]
    fits: tuple[Callable[[str], bool], ...] = (
        lambda key: key == wanted,
        lambda key: key.startswith(wanted),
        lambda key: words_begin(wanted, key),
    )
    for fit in fits:
        if found := [choice for choice, texts in keys if any(map(fit, texts))]:
            return found
    return []


@dataclasses.dataclass
class Players:
    """Who plays a game: the seat of the person, and the specs of the bots, the person's empty."""

    seat: int
    bots: list[str]
    taken_back: int = 0
    """How often the person has taken back what was seen."""
    takeback: bool = True
    """Whether that is possible."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of a record."""
        person = person_of_study(self.taken_back) if self.taken_back else PERSON
        return tuple(spec or person for spec in self.bots)


def new_match(
    kind: GameKind,
    seat: int,
    bots: Sequence[str],
    ruleset: Any = None,
    seed: int | None = None,
    isolation: Isolation | None = None,
    game: Any = None,
    takeback: bool = True,
) -> Match:
    """A game at its start.

    Args:
        kind: the game.
        seat: of the person.
        bots: the spec of the bot of each seat; that of the person's is not used.
        ruleset: by default the game's first.
        seed: of all chance and of the bots; by default a secret one.
        isolation: which bots have processes of their own.
        game: that begins elsewhere, by that ruleset; by default a new one.
        takeback: whether the person may take back what chance and the bots have answered.

    Raises:
        BotError: there is no such bot.
        ValueError: there is no such seat.
    """
    ruleset = kind.find_ruleset() if ruleset is None else ruleset
    seat = check_seat(seat, ruleset.seats)
    specs = ["" if place == seat else spec for place, spec in enumerate(bots)]
    for spec in filter(None, specs):
        settled(spec, kind.name)
    seed = secrets.randbelow(2**63) if seed is None else seed
    players = Players(seat, specs, takeback=takeback)
    return Match(kind, game or kind.game(seed, ruleset), players, seed, isolation)


def saved_record(kind: GameKind, path: Path) -> GameRecord:
    """The record of a game that was saved here.

    Raises:
        CommandError: the file holds no such game.
        RecordError: it is damaged.
    """
    records = GameRecord.load(path)
    if len(records) != 1:
        raise CommandError(f"{path} holds {len(records)} games; wotr play goes on with a file of one")
    record = records[0]
    if record.game != kind.name:
        raise CommandError(f"{path} is a game of {record.kind.title}: --game {record.game}")
    if (persons := sum(taken_back_by(player) is not None for player in record.players)) != 1:
        raise CommandError(f"{path} was not saved by wotr play: {persons} of its players are persons")
    return record


def resumed_match(
    record: GameRecord,
    seat: int | None,
    bots: Sequence[str],
    isolation: Isolation | None = None,
    takeback: bool = True,
) -> Match:
    """A saved game, played on.

    Args:
        record: of ``saved_record``.
        seat: of the person, if it is to be checked.
        bots: for each seat the spec of the bot that takes over there, or an empty text.
        isolation: which bots have processes of their own.
        takeback: whether the person may take back what chance and the bots answer from now on.

    Raises:
        BotError: there is no such bot.
        CommandError: the person played another seat, or the file names a program to be started.
        RecordError: the record does not replay.
    """
    counts = [taken_back_by(player) for player in record.players]
    person, taken_back = next((place, count) for place, count in enumerate(counts) if count is not None)
    if seat not in (None, person):
        raise CommandError(f"in this game you play {record.ruleset.seats[person].title}; leave out --as")
    specs = ["" if place == person else bots[place] or spec for place, spec in enumerate(record.players)]
    for place, spec in enumerate(specs):
        if spec and not bots[place] and starts_program(spec):  # the file may come from anybody
            raise CommandError(f"the record names a program, {spec}; to start it, name it again by --against")
        if not spec and place != person:
            title = record.ruleset.seats[place].title
            raise CommandError(f"the record does not say who plays {title}; name a bot by --against")
        if spec:
            settled(spec, record.game)
    game = record.verify()
    players = Players(person, specs, taken_back, takeback)
    return Match(record.kind, game, players, secrets.randbelow(2**63), isolation)


class Match:
    """A person at one game, and bots at all other seats of it.

    Args:
        kind: the game.
        game: made by ``kind.game``, new or begun.
        players: who plays.
        bot_seed: of the bots.
        isolation: which bots have processes of their own; they end when the match is closed.

    Raises:
        BotError: a bot cannot be made.
    """

    def __init__(
        self, kind: GameKind, game: Any, players: Players, bot_seed: int, isolation: Isolation | None = None
    ) -> None:
        self.kind = kind
        self.game = game
        self.players = players
        self._bot_seed = bot_seed
        self._isolation = isolation or Isolation()
        self._followed = FollowedGame(kind)
        self._takeback: Takeback[int] = Takeback(players.takeback)
        """By the number of actions before a choice."""
        self._processes = contextlib.ExitStack()
        self._bots: dict[str, Bot] = {}
        with contextlib.ExitStack() as made:
            made.callback(self.close)
            self._identities = tuple(self._identity(spec) for spec in players.bots)
            made.pop_all()

    def close(self) -> None:
        """Ends the processes of the bots."""
        self._processes.close()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.game.result is not None

    @property
    def persons_turn(self) -> bool:
        """Whether the person decides now."""
        return not self.over and int(self.game.state["seat"]) == self.players.seat

    def play(self, action: int) -> list[Sentence]:
        """Plays a legal choice of the person; returns what came of it, as the person learns it."""
        state = self.game.state
        self._takeback.chosen(len(self.game.actions))
        if self.players.seat in self.kind.who_learns(state, action):
            self._takeback.seen()
        return self._step(state, action)

    def answer(self) -> list[Sentence]:
        """Lets the bot whose turn it is decide once; returns what the person learns of it.

        Raises:
            BotError: the bot failed, or answered with something that is not legal.
        """
        state = self.game.state
        spec = self.players.bots[int(state["seat"])]
        action = int(ask(self._made(spec), self._view(), spec)[0])
        self._takeback.seen()
        return self._step(state, action)

    def undo(self) -> Undone[int] | None:
        """Takes the latest choice of the person back; None if there is none that can be.

        In a casual game also what chance and the bots have answered to it, which is counted.
        """
        undone = self._takeback.take()
        if undone is not None:
            self.game = self._record().replay(undone.earlier)
            self.players.taken_back += undone.seen
        return undone

    def hint(self, spec: str) -> Hint:
        """What a bot would do in the person's place, and how it values its best actions.

        Raises:
            BotError: there is no such bot, or it failed.
        """
        return hint_of(self._made(settled(spec, self.kind.name)), self._view(), spec)

    def save(self, path: Path) -> None:
        """Writes the record of the game; an existing file is replaced, or left as it was after an error.

        Raises:
            OSError: the file cannot be written.
        """
        write_text(path, self._record().to_json() + "\n")

    def _record(self) -> GameRecord:
        record = GameRecord.from_game(self.game, self.players.names, kind=self.kind.name)
        return dataclasses.replace(record, identities=self._identities)

    def _step(self, state: np.record, action: int) -> list[Sentence]:
        told = list(self.kind.step_of(state, action, self.players.seat).told)
        self.game.step(action)
        return told

    def _view(self) -> BotView:
        states = np.empty(1, dtype=self.kind.state)
        states[0] = self.game.state
        masks = np.zeros((1, self.kind.actions.size), dtype=np.bool_)
        masks[0, self.game.legal()] = True
        return view_of(states, masks, self.kind, self._followed.past(self.game))

    def _made(self, spec: str) -> Bot:
        if spec not in self._bots:
            bots = self._processes.enter_context(Bots(self._isolation))
            bot = bots.seat([spec], [self._bot_seed], self.kind.name)[0]
            check_made(spec, bot)
            self._bots[spec] = bot
        return self._bots[spec]

    def _identity(self, spec: str) -> str:
        return identity_of(self._made(spec), spec, self.kind.name) if spec else ""


class Talk:
    """A person at the terminal, playing a match.

    Args:
        match: the game.
        reader: asks for lines.
        console: shows.
        save: where ``save`` without a name, Ctrl-C and the end of the input write to; by default a new file.
        own: whether that file is the game's own, which may be replaced.
        hint_bot: the spec of the bot that ``hint`` asks; by default the first one that plays.
    """

    def __init__(
        self,
        match: Match,
        reader: Reader,
        console: Console,
        save: Path | None = None,
        own: bool = False,
        hint_bot: str | None = None,
    ) -> None:
        self.match = match
        self.path = save or Path(f"wotr-{match.kind.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}.jsonl")
        self._kept: tuple[Any, ...] | None = None  # the progress that was saved last
        self._own = {self.path.absolute()} if own else set()
        self._reader = reader
        self._console = console
        self._hint_bot = hint_bot or next(filter(None, match.players.bots))
        self._choices: list[Choice] = []
        self._overview = True
        self._end_told = False
        self._commands: dict[str, Callable[[str], None]] = {
            "position": lambda _: self._show_position(),
            "answers": lambda _: self._show_choices(),
            "about": self._about,
            "hint": self._hint,
            "undo": lambda _: self._take_back(),
            "save": self._save,
            "quit": lambda _: self._quit(),
            "help": lambda _: self._help(),
        }
        if match.kind.words.parts is None:
            del self._commands["about"]

    def run(self) -> None:
        """Plays to the end.

        Raises:
            BotError: a bot failed.
            EOFError: the input ends.
            KeyboardInterrupt: Ctrl-C.
            Leave: the person leaves.

        After everything but ``Leave`` and the end of the game it has been saved.
        """
        try:
            self._greet()
            while not self.match.over:
                if self.match.persons_turn:
                    self._decide()
                else:
                    self._tell(self.match.answer(), own=False)
                    self._overview = True
            if not self._end_told:
                self._say("bold magenta", f"{self._ending}.")
        except Leave:
            raise
        except BaseException:  # whatever happened, no game is lost
            self._console.print()
            self._rescue()
            raise

    @property
    def _ending(self) -> str:
        """How the game ended, that is over."""
        return self.match.kind.words.decision(self.match.game.state).removesuffix(".")

    def _greet(self) -> None:
        match = self.match
        seats, players = match.game.ruleset.seats, match.players
        others = [
            f"{printable(spec)} ({seats[place].title})" for place, spec in enumerate(players.bots) if spec
        ]
        title = f"{match.kind.title}, {match.game.ruleset.title}. You play {seats[players.seat].title}"
        self._say(
            self._style(players.seat), f"{title}; {' and '.join(others)} at the table. help tells more."
        )

    def _decide(self) -> None:
        match = self.match
        state = match.game.state
        self._choices = choices_of(match.kind, state, match.game.legal())
        if self._overview:
            self._show_position()
            self._overview = False
        self._show_choices()
        before = len(match.game.actions)
        while len(match.game.actions) == before:
            try:
                self._obey(
                    self._reader.read("> ", [*(choice.words for choice in self._choices), *self._commands])
                )
            except BotError as error:
                self._complain(str(error))

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
        """What a step did; the person's own choice needs no telling."""
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

    def _hint(self, rest: str) -> None:
        spec = rest or self._hint_bot
        hint = self.match.hint(spec)
        words = {choice.action: f"{choice.label} {choice.words}" for choice in self._choices}
        self._say("cyan", f"{printable(spec)} would answer {words[hint.action]}")
        if hint.values:
            self._console.print(
                hints.table([(words[each], value) for each, value in hint.values], hint.scale)
            )

    def _take_back(self) -> None:
        match = self.match
        if (undone := match.undo()) is not None:
            self._choices = choices_of(match.kind, match.game.state, match.game.legal())
            count = match.players.taken_back
            self._say("green", f"Taken back{f'; the record says so ({count})' if undone.seen else ''}.")
            self._show_position()
            self._show_choices()
        else:
            since = "chance or another seat has followed"
            if match.players.takeback:
                since = "you have not chosen since you sat down"
            self._complain(f"nothing can be taken back: {since}")

    def _save(self, rest: str) -> None:
        path = Path(rest).expanduser() if rest else self.path
        try:
            self._write(path)
            self.path = path
        except (CommandError, OSError) as error:
            self._complain(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}")

    def _write(self, path: Path) -> None:
        """Saves the game, not over a file that is not its own."""
        if path.absolute() not in self._own and path.exists():
            raise CommandError("there is such a file; name a new one")
        self.match.save(path)
        self._kept = self._progress
        self._own.add(path.absolute())
        again = f"wotr play --game {self.match.kind.name} --load {shlex.quote(str(path))}"
        self._say("green", f"Saved. To play on: {again}")

    @property
    def _progress(self) -> tuple[Any, ...]:
        """What differs between two games that are worth saving."""
        return tuple(self.match.game.actions), self.match.players.taken_back

    def _rescue(self) -> None:
        """Saves the game, and if the file cannot be written, to a folder for passing things."""
        try:
            self._write(self.path)
        except (CommandError, OSError) as error:
            self._complain(f"{self.path} cannot be written: {getattr(error, 'strerror', None) or error}")
            self._write(Path(tempfile.mkdtemp(prefix="wotr-play-")) / "game.jsonl")

    def _quit(self) -> None:
        if self._kept == self._progress:
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
                    self._write(self.path)
                except (CommandError, OSError) as error:
                    reason = getattr(error, "strerror", None) or error
                    self._complain(f"{self.path} cannot be written: {reason}; back, then save FILE")
                    continue
                raise Leave
            self._complain("yes saves and leaves, no leaves, back plays on")

    def _help(self) -> None:
        for name in self._commands:
            self._say("cyan", f"{name:9} {_COMMANDS[name]}")
        self._say("dim", _HOW_TO_ANSWER)

    def _style(self, seat: int) -> str:
        return _STYLES[seat % len(_STYLES)]

    def _say(self, style: str, text: str) -> None:
        self._console.print(Text(text, style=style))

    def _complain(self, text: str) -> None:
        self._say("yellow", printable(text))


def play_any_game(
    match: Match,
    reader: Reader,
    console: Console,
    *,
    save: Path | None = None,
    loaded: bool = False,
    out: Path | None = None,
    hint_bot: str | None = None,
) -> bool:
    """Plays a match to its end, or until the person leaves; returns whether it is over.

    Args:
        match: is closed at the end.
        reader: asks for lines.
        console: shows.
        save: where it is saved to; by default a new file in the working folder.
        loaded: whether the game came from that file, which may be replaced then.
        out: where the record of the finished game is written, a new file.
        hint_bot: the spec of the bot that ``hint`` asks.

    Raises:
        BotError: a bot failed; the game has been saved.
        CommandError: a file would be replaced that is not the game's own, or has no folder.
        KeyboardInterrupt: Ctrl-C; the game has been saved.
        OSError: a file cannot be written.
    """
    with contextlib.closing(match):
        for path, own in ((save, loaded), (out, False)):
            if path is not None and not path.absolute().parent.is_dir():
                raise CommandError(f"there is no folder {path.parent}")
            if path is not None and path.exists() and not own:
                raise CommandError(f"{path} exists; name a new file")
        talk = Talk(match, reader, console, save, loaded, hint_bot)
        try:
            talk.run()
        except (Leave, EOFError):
            return False
        if out is not None:
            match.save(out)
            console.print(f"The record is in {out}; wotr replay {out} tells the game.", markup=False)
    return True
