"""The options of ``wotr train``. What it does is imported when it is wanted: torch takes seconds to load."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer

from wotr_agents.networks.config import NetworkConfig
from wotr_experiments.cli.options import Json, Seed
from wotr_experiments.errors import CommandError
from wotr_experiments.training.config import PpoConfig, TrainConfig

_PPO = PpoConfig()
_NETWORK = NetworkConfig()
_TRAIN = TrainConfig()


def train(
    out: Annotated[Path, typer.Argument(help="Folder of the run: a new one, or one to resume.")],
    decisions: Annotated[
        float, typer.Option(help="Decisions of all games together to train for, such as 2e8.")
    ] = _PPO.decisions,
    side: Annotated[
        str, typer.Option(help="The seats that learn: both, free-peoples or shadow.")
    ] = _TRAIN.side,
    opponent: Annotated[
        list[str] | None,
        typer.Option(help="A bot that plays the other seat in part of the games; may be given again."),
    ] = None,
    opponents_share: Annotated[
        float, typer.Option(help="Part of the games against these bots.")
    ] = _TRAIN.opponents_share,
    past_share: Annotated[
        float, typer.Option(help="Part of the games against networks of the past.")
    ] = _TRAIN.past_share,
    network: Annotated[str, typer.Option(help="mlp (for CPUs) or entity (for GPUs).")] = _NETWORK.kind,
    width: Annotated[int, typer.Option(help="Of the first layer, or of each entity.")] = _NETWORK.width,
    hidden: Annotated[int, typer.Option(help="Width of the layers behind it.")] = _NETWORK.hidden,
    layers: Annotated[int, typer.Option(help="Layers, or rounds of messages.")] = _NETWORK.layers,
    advice: Annotated[
        bool, typer.Option("--advice", help="The network also sees what the scripted policy thinks.")
    ] = _NETWORK.advice,
    games: Annotated[int, typer.Option(help="Games played at once.")] = _PPO.games,
    steps: Annotated[int, typer.Option(help="Decisions of each between updates.")] = _PPO.steps,
    workers: Annotated[int, typer.Option(help="Threads that play and learn side by side.")] = _PPO.workers,
    minibatch_size: Annotated[int, typer.Option(help="Decisions per optimiser step.")] = _PPO.minibatch_size,
    epochs: Annotated[int, typer.Option(help="Times a decision is learned from.")] = _PPO.epochs,
    learning_rate: Annotated[float, typer.Option(help="At the start.")] = _PPO.learning_rate,
    clip_range: Annotated[
        float, typer.Option(help="Of the change of an action's probability.")
    ] = _PPO.clip_range,
    gae_lambda: Annotated[float, typer.Option(help="Lambda of the returns.")] = _PPO.gae_lambda,
    entropy_coefficient: Annotated[
        float, typer.Option(help="Pull towards the uniform policy at the start.")
    ] = _PPO.entropy_coefficient,
    kl_coefficient: Annotated[
        float, typer.Option(help="Pull towards the policy before.")
    ] = _PPO.kl_coefficient,
    policy_share: Annotated[
        float, typer.Option(help="Part of the decisions that the policy learns from.")
    ] = _PPO.policy_share,
    expert: Annotated[
        str, typer.Option(help="A bot to learn from at first, such as scripted or search:net=self,sims=64.")
    ] = _TRAIN.expert,
    expert_decisions: Annotated[
        float, typer.Option(help="Decisions until the network goes on without it.")
    ] = _TRAIN.expert_decisions,
    start: Annotated[str, typer.Option(help="A network to go on from, such as zoo/NAME.")] = _TRAIN.start,
    evaluate_every: Annotated[int, typer.Option(help="Updates between evaluations.")] = _TRAIN.evaluate_every,
    evaluate_games: Annotated[
        int, typer.Option(help="Games of an evaluation with each anchor on each side.")
    ] = _TRAIN.evaluate_games,
    checkpoint_every: Annotated[
        int, typer.Option(help="Updates between checkpoints.")
    ] = _TRAIN.checkpoint_every,
    seed: Seed = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run of the folder.")] = False,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "auto",
    report: Annotated[
        bool, typer.Option("--report", help="Only write the report of the folder's run, with its plots.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Trains a network by PPO in self-play; stop it with Ctrl-C, go on with --resume."""
    from wotr_experiments.reports.training import write_train_report
    from wotr_experiments.training.watch import train_in

    if report:
        print(f"wotr: {write_train_report(out)}", file=sys.stderr)
        return
    config = None
    if not resume:
        try:
            config = dataclasses.replace(
                _TRAIN,
                network=NetworkConfig(network, width, hidden, layers, advice),
                ppo=PpoConfig(
                    decisions=int(decisions),
                    games=games,
                    steps=steps,
                    workers=workers,
                    epochs=epochs,
                    minibatch_size=minibatch_size,
                    learning_rate=learning_rate,
                    clip_range=clip_range,
                    gae_lambda=gae_lambda,
                    entropy_coefficient=entropy_coefficient,
                    kl_coefficient=kl_coefficient,
                    policy_share=policy_share,
                ),
                seed=seed,
                side=side,
                opponents=tuple(opponent or ()),
                opponents_share=opponents_share,
                past_share=past_share,
                expert=expert,
                expert_decisions=int(expert_decisions),
                start=start,
                evaluate_every=evaluate_every,
                evaluate_games=evaluate_games,
                checkpoint_every=checkpoint_every,
            )
        except (ValueError, OverflowError) as error:
            raise CommandError(str(error)) from None
    train_in(out, config, device, as_json)
