"""The commands and blocks of the documentation, for tests that follow them."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import typer
import typer.main

from wotr_experiments.cli.main import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PLACEHOLDERS = {
    **dict.fromkeys(("A", "BOT", "SPEC"), "scripted"),
    **dict.fromkeys(("B", "C", "SHADOW"), "random"),
    **dict.fromkeys(("I", "K", "N", "S"), "2"),
    "NAME": "decisions",
    "WORDS": "siege",
}
"""What stands in commands for something of the reader's own; other words in capitals are files."""
BY_HAND = {
    "tests.tools.documentation": "has no arguments",
    "tests.tools.table_picture": "has no arguments",
    "wotr_experiments.reports.cross": "counts its arguments",
    "wotr_experiments.reports.strength": "counts its arguments",
    "wotr_experiments.training.zoo": "counts its arguments",
}
"""Programs whose arguments no parser reads: only that they are there is known without running them."""
_BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`((?:wotr|python -m (?:wotr_|tests\.)\w+[\w.]*)(?: [^`]+)?)`")
_MAIN = "wotr_experiments.cli.main"


class Block(NamedTuple):
    """A block of a page."""

    language: str
    text: str


class Command(NamedTuple):
    """A command as it is started: ``wotr``, or the name of a module."""

    program: str
    arguments: list[str]


class Parsed(BaseException):
    """A program has read its arguments, and goes no further."""


def blocks(page: Path) -> list[Block]:
    """The blocks of a page that can be run, in order."""
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def lines(block: Block) -> list[str]:
    """The command lines of a block of bash."""
    return [line for line in block.text.replace("\\\n", " ").splitlines() if line.strip()]


def commands(line: str) -> Iterator[Command]:
    """Those of our commands that a line starts."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = "#"
    part: list[str] = []
    for word in [*words, ";"]:
        if word in ("&&", "|", ";"):
            yield from _ours(part)
            part = []
        else:
            part.append(word)


def _ours(words: list[str]) -> Iterator[Command]:
    if ">" in words:
        words = words[: words.index(">")]
    while words and re.match(r"[A-Z_]+=", words[0]):
        words = words[1:]
    if words[:1] == ["wotr"]:
        yield Command("wotr", words[1:])
    elif words[:1] in (["python"], ["torchrun"]) and "-m" in words:
        module, *arguments = (word for word in words[words.index("-m") + 1 :] if word != "--")
        if module.startswith(("wotr_", "tests.")):
            yield Command("wotr" if module == _MAIN else module, arguments)


def mentioned(page: Path) -> list[str]:
    """The commands in the text of a page."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return list(dict.fromkeys(found.replace("\n", " ") for found in _INLINE.findall(text)))


def filled(mention: str) -> str:
    """A mention as a command, with what may be left out, and with something for what is the reader's."""
    mention = re.sub(r"\\\|\w+", "", mention).replace("...", "")
    return " ".join(
        PLACEHOLDERS.get(word, word.lower() if word.isupper() else word)
        for word in re.sub(r"[\[\]]", "", mention).split()
    )


def parse(command: Command) -> dict[str, Any]:
    """Has the program read the arguments as it does when it is started; those of ``wotr`` by name.

    Raises:
        typer.TyperException: the arguments are refused.
        SystemExit: so they are by a program of another kind.
    """
    if command.program != "wotr":
        _parse_module(command)
        return {}
    group = typer.main.get_command(app)
    if not command.arguments or command.arguments[0].startswith("-"):
        known = {
            name for option in group.get_params(group.make_context("wotr", ["bots"])) for name in option.opts
        }
        unknown = set(command.arguments) - known  # not tried: --install-completion would change this account
        if unknown:
            raise typer.BadParameter(f"there is no option {', '.join(sorted(unknown))}")
        return {}
    name, *arguments = command.arguments
    found = group.commands.get(name)  # type: ignore[attr-defined]
    if found is None:
        raise typer.BadParameter(f"there is no command {name}")
    return found.make_context(name, arguments).params


def _parse_module(command: Command) -> None:
    if command.program in BY_HAND:
        assert importlib.util.find_spec(command.program) is not None
        return
    read = argparse.ArgumentParser.parse_args

    def parse_args(self: Any, *given: Any, **named: Any) -> Any:
        read(self, *given, **named)
        raise Parsed

    def run(function: Any) -> None:
        program = typer.Typer()
        program.command()(function)
        typer.main.get_command(program).make_context(command.program, list(command.arguments))
        raise Parsed

    with (
        mock.patch.object(sys, "argv", [command.program, *command.arguments]),
        mock.patch.object(argparse.ArgumentParser, "parse_args", parse_args),
        mock.patch.object(typer, "run", run),
        contextlib.suppress(Parsed),
    ):
        runpy.run_module(command.program, run_name="__main__", alter_sys=True)
