"""The luck of a finished game in the terminal. It is shown only after the end, because it uses hidden
information."""

from __future__ import annotations

import contextlib

from rich.console import Console
from rich.table import Table

from wotr_agents.compiled import everything_is_compiled
from wotr_env.compiler.kernels import KernelSet
from wotr_experiments.errors import CommandError, one_line
from wotr_experiments.luck.report import LuckReport, luck_of, method_of, taken_back_words
from wotr_experiments.luck.terminal_table import luck_table
from wotr_experiments.terminal.match import Match


def tell_luck(match: Match, network: str | None, console: Console) -> None:
    """Prints the luck of a finished game.

    If there is no suitable network, nothing is printed. If luck cannot be measured, or after Ctrl-C, one line
    is printed. No errors are raised, because the game is over; the record must be written before.

    Args:
        match: the game.
        network: the name of the network, as for ``method_of``.
        console: the console for output.
    """
    try:
        method = method_of(network, match.kind, match.game.ruleset)
        if method is None:
            return
        if KernelSet.background_compiler is not None and not everything_is_compiled():
            raise CommandError("the rules are still being compiled")
        with console.status("measuring luck ...") if console.is_terminal else contextlib.nullcontext():
            story = luck_of(match.record(), method, most=0)
    except KeyboardInterrupt:
        console.print("Luck was not measured.", style="yellow")
    except Exception as error:  # whatever it is: the result has been told, and that was the game
        why = one_line(error) or type(error).__name__
        console.print(f"Luck was not measured: {why}", style="yellow", markup=False)
    else:
        for part in luck_parts(story, match.saved.taken_back):
            console.print(part, markup=False)


def luck_parts(story: LuckReport, taken_back: int) -> list[str | Table]:
    """Describes the luck of a game: in a sentence, and in a table by turn and source.

    Args:
        story: the luck.
        taken_back: the number of choices that a player took back after seeing their consequences.
    """
    notes = [taken_back_words(taken_back)] if taken_back else []
    scale = "A point is one percentage point of winning chance, and all numbers are rounded."
    return [story.sentence(), *notes, "", story.table_words(), luck_table(story), "", scale]
