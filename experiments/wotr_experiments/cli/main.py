"""The command line ``wotr``. Every error is one line on stderr and exit code 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from wotr_agents import BotError
from wotr_env.core.errors import RecordError
from wotr_env.play.plugins import how_to_install, package_version
from wotr_experiments.cli.analyse import analyse
from wotr_experiments.cli.arena import compare, tournament
from wotr_experiments.cli.bench import bench
from wotr_experiments.cli.book import book
from wotr_experiments.cli.bots import bots, check_bot_command
from wotr_experiments.cli.completion import complete_for_bash, completed_by_bash
from wotr_experiments.cli.demo import demo
from wotr_experiments.cli.exploit import exploit
from wotr_experiments.cli.export import export_command
from wotr_experiments.cli.export_network import export_network
from wotr_experiments.cli.flags import PlainCommand, PlainGroup
from wotr_experiments.cli.mcp import mcp
from wotr_experiments.cli.position import position
from wotr_experiments.cli.replay import replay
from wotr_experiments.cli.rules import rules
from wotr_experiments.cli.serve import serve
from wotr_experiments.cli.serve_bot import serve_bot
from wotr_experiments.cli.study import study
from wotr_experiments.cli.text_tournament import text_tournament
from wotr_experiments.cli.train import train
from wotr_experiments.cli.usage import usage_words
from wotr_experiments.cli.warmup import warmup
from wotr_experiments.consoles import fit_streams
from wotr_experiments.errors import CommandError, Stopped, one_line
from wotr_experiments.terminal.command import play

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

COMMANDS: Mapping[str, Mapping[str, Callable[..., None]]] = {
    "Start": {"demo": demo, "warmup": warmup},
    "Play": {"play": play, "serve": serve},
    "Bots": {"bots": bots, "check-bot": check_bot_command, "serve-bot": serve_bot, "mcp": mcp},
    "Tournaments": {
        "tournament": tournament,
        "compare": compare,
        "book": book,
        "text-tournament": text_tournament,
    },
    "Training": {"train": train, "exploit": exploit, "export-network": export_network},
    "Games, positions and data": {
        "replay": replay,
        "position": position,
        "analyse": analyse,
        "export": export_command,
        "study": study,
    },
    "Rules and measurements": {"rules": rules, "bench": bench},
}
"""All commands by their names, under the headings of docs/commands.md."""

app = typer.Typer(
    cls=PlainGroup,
    pretty_exceptions_enable=False,
    help="War of the Ring and smaller Middle-earth games (--game): bots, tournaments, training, rules.",
    epilog="wotr COMMAND --help shows the options of a command, with examples.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(package_version())
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and exit."),
    ] = False,
) -> None: ...


for _panel, _commands in COMMANDS.items():
    for _name, _command in _commands.items():
        app.command(_name, cls=PlainCommand, rich_help_panel=_panel)(_command)


def main(arguments: list[str] | None = None) -> int:
    """The console command; returns the exit code.

    Args:
        arguments: the arguments; by default those of the process.
    """
    fit_streams()
    arguments = sys.argv[1:] if arguments is None else arguments
    if completed_by_bash():
        return complete_for_bash(lambda: app(arguments, prog_name="wotr"))
    try:
        code = app(arguments or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _fail(usage_words(error))
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}")
    except (BotError, CommandError, RecordError) as error:
        return _fail(str(error))
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        return _fail(f"this command needs torch: {how_to_install('learn')}")
    except Stopped as stopped:
        if str(stopped):
            print(f"wotr: {stopped}", file=sys.stderr)
        return INTERRUPTED
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("wotr: stopped", file=sys.stderr)
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    print(f"wotr: {one_line(message)}", file=sys.stderr)
    return 2


def _drop_output() -> None:
    """Redirects stdout so that Python does not fail again at exit if stdout cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
