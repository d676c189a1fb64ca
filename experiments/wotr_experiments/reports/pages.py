"""Shared parts of reports: pages of sections, notes and tables in HTML; tables in Markdown."""

from __future__ import annotations

import argparse
import html
import importlib.resources
import re
import shlex
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from wotr_agents import BotError
from wotr_experiments.errors import CommandError
from wotr_experiments.files import write_text

_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def template(name: str, package: str = "wotr_experiments.reports") -> str:
    """The text of a file of ``templates/`` in a package."""
    return text_of(package, "templates", name)


def table_file(name: str) -> str:
    """The text of a file of the web table (``table/static``), which a page contains inline."""
    return text_of("wotr_experiments.table", "static", name)


def text_of(package: str, *path: str) -> str:
    """The text of a file in a package, by its folders and its name."""
    return importlib.resources.files(package).joinpath(*path).read_text(encoding="utf-8")


def as_script(module: str) -> str:
    """The text of a JavaScript module as part of one script, after the modules that it imports; each import
    is one line."""
    return _EXPORT.sub("", _IMPORT.sub("", module))


def page(title: str, content: str, game: str) -> str:
    """A self-contained page with sortable tables, for the title of a game; the content must be HTML."""
    style, heading = template("report.css"), html.escape(f"{game}: {title}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{heading}</title>\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{style}</style></head>\n"
        f"<body><h1>{heading}</h1>\n{content}"
        f"<script>\n{template('report.js')}</script></body></html>\n"
    )


def section(title: str, content: str) -> str:
    """A section of a page; the content must be HTML."""
    return f"<section><h2>{html.escape(title)}</h2>\n{content}</section>\n"


def note(text: str) -> str:
    """A note in small print below a table or chart."""
    return f'<p class="note">{html.escape(text)}</p>'


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], last: str = "", words: Collection[int] = ()
) -> str:
    """A table; its cells must be HTML.

    Args:
        head: titles of the columns.
        rows: rows of cells.
        last: a last row that starts with this text is set off.
        words: indices of text columns besides the first.
    """
    columns = max(map(len, [head, *rows]))
    kinds = [' class="words"' if number in words else "" for number in range(columns)]
    lines = []
    for number, row in enumerate(rows):
        set_off = ' class="all"' if last and number == len(rows) - 1 and row[0] == last else ""
        cells = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, row, strict=False))
        lines.append(f"<tr{set_off}>{cells}</tr>")
    heads = "".join(f"<th{kind}>{html.escape(cell)}</th>" for kind, cell in zip(kinds, head, strict=False))
    top = f"<thead><tr>{heads}</tr></thead>" if head else ""
    return f'<div class="wide"><table>{top}<tbody>{"".join(lines)}</tbody></table></div>'


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def report_parser(
    command: str, doc: str | None, out: Path | None = None, **numbers: int
) -> argparse.ArgumentParser:
    """The parser of a report's command.

    Args:
        command: how the report is started.
        doc: the docstring of its module, whose first line is the description.
        out: the default of ``--out``; None: there is no such option.
        numbers: integer options with their defaults.
    """
    parser = argparse.ArgumentParser(prog=command, description=(doc or "").split("\n", 1)[0])
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    if out is not None:
        parser.add_argument("--out", type=Path, default=out)
    return parser


def command_text(command: str, arguments: Sequence[str] | None) -> str:
    """The command of a report with its arguments but without ``--out``, for its page.

    Args:
        command: how the report is started.
        arguments: the arguments; None: those of this process.
    """
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--out")
    _, rest = parser.parse_known_args(arguments)
    return shlex.join([*command.split(), *rest])


def write_page(path: Path, make: Callable[[], str]) -> int:
    """Writes the page of a report's command, and prints its path or a one-line error.

    Returns:
        The exit code.
    """
    try:
        write_text(path, make())
    except (BotError, CommandError, OSError) as error:
        print(f"wotr: {error}", file=sys.stderr)
        return 2
    print(path)
    return 0
