"""The command line ``wotr``. Every error is one line on stderr and exit code 2."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from wotr_env.core.errors import RecordError
from wotr_env.play.bots import BotError
from wotr_env.play.plugins import how_to_install, package_version
from wotr_experiments.cli.flags import LazyCommands, PlainGroup
from wotr_experiments.cli.usage import usage_words
from wotr_experiments.consoles import fit_streams
from wotr_experiments.errors import CommandError, Stopped, one_line

INTERRUPTED = 130
"""Exit code after Ctrl-C, as in shells."""

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Start": {
        "demo": "wotr_experiments.cli.demo:demo",
        "warmup": "wotr_experiments.cli.warmup:warmup",
    },
    "Play": {
        "play": "wotr_experiments.terminal.command:play",
        "serve": "wotr_experiments.cli.serve:serve",
    },
    "Bots": {
        "bots": "wotr_experiments.cli.bots:bots",
        "check-bot": "wotr_experiments.cli.bots:check_bot_command",
        "serve-bot": "wotr_experiments.cli.serve_bot:serve_bot",
        "mcp": "wotr_experiments.cli.mcp:mcp",
    },
    "Tournaments": {
        "tournament": "wotr_experiments.cli.arena:tournament",
        "compare": "wotr_experiments.cli.arena:compare",
        "book": "wotr_experiments.cli.book:book",
        "text-tournament": "wotr_experiments.cli.text_tournament:text_tournament",
    },
    "Training": {
        "train": "wotr_experiments.cli.train:train",
        "exploit": "wotr_experiments.cli.exploit:exploit",
        "export-network": "wotr_experiments.cli.export_network:export_network",
    },
    "Games, positions and data": {
        "replay": "wotr_experiments.cli.replay:replay",
        "position": "wotr_experiments.cli.position:position",
        "analyse": "wotr_experiments.cli.analyse:analyse",
        "export": "wotr_experiments.cli.export:export_command",
        "study": "wotr_experiments.cli.study:study",
    },
    "Rules and measurements": {
        "rules": "wotr_experiments.cli.rules:rules",
        "bench": "wotr_experiments.cli.bench:bench",
    },
}
"""The functions of all commands, as ``module:name``, by the headings of docs/commands.md and by name."""


LOADED = LazyCommands(COMMANDS)
"""The commands by name; each is imported at its first use."""


class _Wotr(PlainGroup):
    """The main command, which imports the module of a command at its first use."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.commands: Any = LOADED


app = typer.Typer(
    cls=_Wotr,
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


def main(arguments: list[str] | None = None) -> int:
    """The console command; returns the exit code.

    Args:
        arguments: the arguments; by default those of the process.
    """
    fit_streams()
    if logging.lastResort is not None:  # it prints warnings on stderr
        logging.lastResort.setFormatter(logging.Formatter("wotr: %(message)s"))
    arguments = sys.argv[1:] if arguments is None else arguments
    if os.environ.get("_WOTR_COMPLETE") == "complete_bash" and "COMP_WORDS" in os.environ:
        from wotr_experiments.cli.completion import complete_for_bash  # loads the bots

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
