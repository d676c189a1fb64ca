"""Sources of the person's lines: a terminal, a pipe, a script, a test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.text import Text

from wotr_env.core.read_errors import reason
from wotr_env.core.values import read_text, without_mark
from wotr_experiments.errors import CommandError, printable
from wotr_experiments.terminal.typed import plain, words_begin


class Reader(Protocol):
    """Reads single lines."""

    def read(self, prompt: str, completions: Sequence[str]) -> str:
        """The next line without its end.

        Args:
            prompt: text before the input.
            completions: completions for Tab.

        Raises:
            EOFError: there are no more lines.
            KeyboardInterrupt: Ctrl-C.
        """
        ...


class LineReader:
    """Reads lines of an iterable or a function, which raises ``EOFError`` at the end.

    Every line is printed after its prompt, as if typed. The lines may come from an untrusted script.
    """

    def __init__(self, lines: Iterable[str] | Callable[[], str], console: Console) -> None:
        self._next = lines if callable(lines) else _next_of(lines)
        self._console = console

    def read(self, prompt: str, completions: Sequence[str]) -> str:
        """See ``Reader``."""
        line = without_mark(self._next().rstrip("\r\n"))
        self._console.print(Text(f"{prompt}{printable(line.expandtabs())}"))
        return line


class PromptReader:
    """Reads from a terminal, with editing, history and completion of answers and commands."""

    def __init__(self) -> None:
        # Imported here, where there is a terminal: it takes a third of a second.
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory

        self.completer = _line_completer(self)
        self._session = PromptSession(
            history=InMemoryHistory(), completer=self.completer, complete_while_typing=False
        )
        self.completions: Sequence[str] = ()

    def read(self, prompt: str, completions: Sequence[str]) -> str:
        """See ``Reader``."""
        self.completions = completions
        return self._session.prompt(prompt)


class ChainReader:
    """Reads the lines of one reader, then those of another."""

    def __init__(self, first: Reader, then: Reader) -> None:
        self._first: Reader | None = first
        self._then = then

    def read(self, prompt: str, completions: Sequence[str]) -> str:
        """See ``Reader``."""
        if self._first is not None:
            try:
                return self._first.read(prompt, completions)
            except EOFError:
                self._first = None
        return self._then.read(prompt, completions)


def standard_reader(console: Console) -> Reader:
    """The reader for standard input."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return PromptReader()
    return LineReader(sys.stdin, console)


def script_lines(script: Path) -> list[str]:
    """The lines of a script.

    Raises:
        CommandError: the file is not a text.
        OSError: the file cannot be read.
    """
    try:
        return read_text(script).splitlines()
    except UnicodeDecodeError as error:
        raise CommandError(f"{script} cannot be read as lines of input: {reason(error)}") from None


def reader_of(script: Path | None, console: Console, reader: Reader | None = None) -> Reader:
    """The reader for a script, if there is one, followed by another reader, by default standard input."""
    lines = [] if script is None else script_lines(script)
    reader = reader or standard_reader(console)
    return ChainReader(LineReader(lines, console), reader) if lines else reader


def _line_completer(reader: PromptReader) -> Any:
    """Completes the whole line."""
    from prompt_toolkit.completion import Completer, Completion

    class LineCompleter(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Any]:
            typed = document.text_before_cursor
            for text in reader.completions:
                if words_begin(plain(typed), plain(text)):
                    yield Completion(text, start_position=-len(typed))

    return LineCompleter()


def _next_of(lines: Iterable[str]) -> Callable[[], str]:
    remaining = iter(lines)

    def following() -> str:
        for line in remaining:
            return line
        raise EOFError

    return following
