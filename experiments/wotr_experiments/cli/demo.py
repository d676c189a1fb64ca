"""The command ``wotr demo``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from wotr_experiments.arena.engines import WorkerPool
from wotr_experiments.arena.live_runs import run_tournament_live
from wotr_experiments.arena.schedule import Tournament
from wotr_experiments.cli.arena import show_results
from wotr_experiments.cli.config_options import whole
from wotr_experiments.cli.options import Json, Seed
from wotr_experiments.cli.warmup import warmup
from wotr_experiments.errors import as_command_error
from wotr_experiments.reports.tournament import Replays
from wotr_experiments.training.config import short_training

_ZOO = "net:zoo/laptop"
_SEARCH = "mcts:sims=32,depth=20"
"""A quick search bot, not a strong one."""


def demo(
    decisions: Annotated[
        int,
        typer.Option(parser=whole, metavar="<int>", help="Length of the training run, in decisions."),
    ] = 2_000_000,
    games: Annotated[int, typer.Option(help="Games per pairing, an even number.")] = 20,
    seed: Seed = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the training run, the records and the results. By default a temporary folder."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a network for a minute, play it against bots and a network of the zoo, and write a report."""
    from wotr_experiments.training.watch import train_in  # torch takes seconds to load

    folder = out or Path(tempfile.mkdtemp(prefix="wotr-demo-"))
    trained = folder / "training"
    with as_command_error():
        training = short_training(decisions, seed)
    players = "random", "scripted", _SEARCH, f"net:{trained}", _ZOO
    played = Tournament(players, games, seed)
    folder.mkdir(parents=True, exist_ok=True)
    warmup()
    train_in(trained, training, "auto", as_json=False)
    show_results(played, run_tournament_live(played, folder, WorkerPool()), folder, Replays.FIRST, as_json)
