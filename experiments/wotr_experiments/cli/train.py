"""The command ``wotr train``. It imports torch late, because torch takes seconds to load."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from wotr_agents.networks.files import read_network
from wotr_experiments.cli.config_options import config_from, options_of, settings_of
from wotr_experiments.cli.groups import grouped
from wotr_experiments.cli.options import BotProcesses, Json, Seed, tell_loading
from wotr_experiments.cli.resuming import changed_by, given_settings, resume_help
from wotr_experiments.errors import CommandError, as_command_error
from wotr_experiments.training.config import TRAIN_MAY_CHANGE, TrainConfig


class Engines(StrEnum):
    """Options for the engine that plays the games of a training run."""

    threads = "threads"
    ray = "ray"


@grouped
@options_of(TrainConfig, seed=Seed)
def train(
    run: Annotated[
        Path | None, typer.Argument(metavar="RUN", help="Folder of the run: a new folder, or one to resume.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the run, as an option; the same as RUN.", show_default=False),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help=resume_help("the run", TRAIN_MAY_CHANGE))] = False,
    device: Annotated[
        str,
        typer.Option(
            help="Device for the network: cpu, cuda or auto. emulated runs the GPU code on the CPU."
        ),
    ] = "auto",
    report: Annotated[
        bool, typer.Option("--report", help="Only write the report of the run in the folder, with its plots.")
    ] = False,
    engine: Annotated[
        Engines, typer.Option(help="Where games run: in threads, or in the workers of a Ray cluster.")
    ] = Engines.threads,
    wandb: Annotated[
        str,
        typer.Option(
            metavar="PROJECT",
            help="Also send the metrics to this project of Weights & Biases. By default they are not sent.",
            show_default=False,
        ),
    ] = "",
    as_json: Json = False,
    *,
    processes: BotProcesses,
    context: typer.Context,
    **settings: Any,
) -> None:
    """Train a network by PPO in self-play. Ctrl-C stops the run; --resume continues it.

    To train with several processes, on one machine or several, start them with torchrun: torchrun
    --nproc-per-node 2 -m -- wotr_experiments.cli.main train RUN --workers 2
    """
    if (run is None) == (out is None):
        raise CommandError("give the folder of the run once: wotr train RUN, or --out RUN")
    out = run or out
    assert out is not None
    tell_loading()
    from wotr_experiments.reports.training import write_train_report
    from wotr_experiments.training.watch import train_in

    if report:
        print(f"wotr: {write_train_report(out)}", file=sys.stderr)
        return
    given = given_settings(context, settings)
    with as_command_error():
        config = None if resume else config_from(TrainConfig, settings | _size_of_start(settings, given))
    change = changed_by(given, TRAIN_MAY_CHANGE, out)
    train_in(out, config, device, as_json, processes.isolation(), engine, change, wandb)


def _size_of_start(settings: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the size of the network of ``--start``, except those given on the command line.

    Raises:
        BotError: the network cannot be read.
    """
    if not settings["start"]:
        return {}
    size = settings_of(read_network(settings["start"]).config, "network")
    return {name: value for name, value in size.items() if name not in given}
