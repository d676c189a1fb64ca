"""Trains a belief about the other side's hand, from which bots can draw worlds.

``python -m wotr_experiments.games.war_of_the_ring.belief OUT [--bot SPEC]... [--games N] [--every N]
[--seed S]``

Bots play against themselves; every n-th decision of a game is a training position. The games, and finally
``belief.safetensors``, are written to OUT. ``mcts``, ``search`` and ``playouts`` use the belief with
``belief=OUT``. The same command continues a stopped run; the same arguments make the same file. ``python -m
wotr_experiments.games.war_of_the_ring.reports.belief OUT`` measures the quality of the belief.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import numpy as np
import torch
import tqdm

from wotr_agents import BotError
from wotr_agents.belief.model import FILE, belief_bytes
from wotr_experiments.errors import CommandError
from wotr_experiments.games.war_of_the_ring.belief.fit import FitConfig, fit_belief
from wotr_experiments.games.war_of_the_ring.belief.positions import join
from wotr_experiments.games.war_of_the_ring.belief.shards import Watched, batch_of, open_folder
from wotr_experiments.training.run_folder import write_durably

COMMAND = "python -m wotr_experiments.games.war_of_the_ring.belief"
BOTS = ("net:zoo/longer",)
GAMES = 12_000
EVERY = 32
SEED = 20_261_125
FEWEST = 20
"""Minimal number of games of all bots; a tenth is held out."""


def learn(out: Path, watched: Watched, fit: FitConfig) -> float:
    """Plays the missing games, trains the belief and writes it.

    Returns:
        The loss per position in the held-out games, in nats.

    Raises:
        BotError: a bot cannot be made.
        CommandError: the folder belongs to another run, is in use or is damaged.
        OSError: the folder cannot be read or written.
    """
    if not out.is_dir():
        if out.exists():
            raise CommandError(f"{out} is not a folder")
        out.mkdir(parents=True)
    with _alone(out), _one_thread():
        open_folder(out, watched, dataclasses.asdict(fit))
        batches = list(watched.batches())
        games = tqdm.tqdm(batches, desc="games", unit="batch", leave=False)
        seen = join([batch_of(out, watched, *batch) for batch in games])
        if not np.isin([0, 1], seen.games % 10 == 0).all():
            raise CommandError("these games have too few positions: give a higher --games or a lower --every")
        with tqdm.tqdm(total=fit.epochs, desc="learning", unit="epoch", leave=False) as bar:

            def on_epoch(_epoch: int, learned: float, kept_apart: float) -> None:
                bar.set_postfix_str(f"{learned:.3f} nats, games kept apart {kept_apart:.3f}")
                bar.update()

            facts = {
                "bots": list(watched.bots),
                "games": watched.games,
                "every": watched.every,
                "seed": watched.seed,
                "ruleset": watched.ruleset,
            }
            belief = fit_belief(seen, fit, watched.seed, facts, on_epoch)
        scratch = out / (FILE + ".new")
        write_durably(scratch, belief_bytes(belief))
        os.replace(scratch, out / FILE)
    return float(belief.facts["nats"])


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    lock = filelock.FileLock(out / ".lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise CommandError(f"another process learns in {out}") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _one_thread() -> Iterator[None]:
    """Limits torch to one thread, so that sums have the same order everywhere."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "out", type=Path, metavar="OUT", help="folder for the results; it is created if needed"
    )
    parser.add_argument(
        "--bot",
        action="append",
        metavar="SPEC",
        help=f"spec of a bot whose games are used; repeatable (default: {', '.join(BOTS)})",
    )
    parser.add_argument("--games", type=int, default=GAMES, help="games of each bot against itself")
    parser.add_argument("--every", type=int, default=EVERY, help="decisions between two positions of a game")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--ruleset", default="", metavar="SPEC", help="ruleset, for two players")
    for field in dataclasses.fields(FitConfig):
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default
        )
    options = parser.parse_args(arguments)
    try:
        bots = tuple(options.bot or BOTS)
        watched = Watched(bots, options.games, options.every, options.seed, options.ruleset)
        if watched.games * len(bots) < FEWEST:
            raise CommandError(f"a belief is learned from at least {FEWEST} games")
        fit = FitConfig(
            **{field.name: getattr(options, field.name) for field in dataclasses.fields(FitConfig)}
        )
        nats = learn(options.out, watched, fit)
    except (BotError, CommandError, OSError, ValueError) as error:
        print(f"wotr: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"wotr: stopped; the same command continues in {options.out}", file=sys.stderr)
        return 130
    print(f"{options.out / FILE}: {nats:.3f} nats a position in the games kept apart")
    return 0


if __name__ == "__main__":
    sys.exit(main())
