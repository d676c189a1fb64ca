"""A training run of seconds for tests; as a program it trains in a folder and is killed now and then.

python -m tests.tiny_training FOLDER KILLS SEED
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import random
import shlex
import signal
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import safetensors.torch
import torch

from tests.waiting import eventually
from wotr_agents.networks import sparse_kernels
from wotr_agents.networks.config import NetworkConfig
from wotr_experiments.arena import evaluation
from wotr_experiments.training.config import PpoConfig, TrainConfig
from wotr_experiments.training.run_folder import LAST, METRICS
from wotr_experiments.training.training import Training, open_run

UPDATES = 11
TINY = TrainConfig(
    network=NetworkConfig(width=16, hidden=8),
    ppo=PpoConfig(decisions=UPDATES * 8 * 16, games=8, steps=16, workers=2, minibatch_size=32),
    opponents=("random", "scripted"),
    past_share=0.25,
    expert="scripted",
    expert_decisions=5 * 8 * 16,
    anchors=("random",),
    evaluate_every=5,
    evaluate_games=2,
    checkpoint_every=2,
    past_every=3,
)
CPU = torch.device("cpu")
UNSIZED = shlex.split(
    "--games 8 --steps 8 --workers 2 --minibatch-size 32 --device cpu --opponent random"
    " --decisions 320 --evaluate-games 2 --evaluate-every 3 --checkpoint-every 2"
)
COMMANDED = ["--width", "16", "--hidden", "8", *UNSIZED]
"""Options of ``wotr train`` for a tiny run of five updates."""
_TIMES = ("seconds", "speed", "shares")
"""Of a line of metrics: what differs from run to run."""


def shorten_evaluations(set_attribute=setattr):
    """Evaluations take longer than all the rest of a tiny run; of one turn they do not."""
    set_attribute(evaluation, "LONGEST", 1)


@contextlib.contextmanager
def short_evaluations():
    """Evaluations are short within it, as in a fixture of a module."""
    import pytest  # processes that train do without it

    with pytest.MonkeyPatch.context() as patch:
        shorten_evaluations(patch.setattr)
        yield


def lasting(config, updates):
    """The configuration with another number of updates."""
    ppo = dataclasses.replace(config.ppo, decisions=updates * config.ppo.games * config.ppo.steps)
    return dataclasses.replace(config, ppo=ppo)


def sharing(config, workers):
    """The configuration with another number of workers; one takes two thirds of the time of two."""
    return dataclasses.replace(config, ppo=dataclasses.replace(config.ppo, workers=workers))


def config_of(updates, workers=TINY.ppo.workers, **changes):
    """The tiny configuration with other numbers."""
    return dataclasses.replace(sharing(lasting(TINY, updates), workers), **changes)


def open_tiny(folder, config=TINY) -> Training:
    return open_run(Path(folder), config, CPU)


def load_before_forks(folder):
    """Loads what children of this process need to train, so that they start at once.

    Args:
        folder: of a run that is only opened.
    """
    torch.set_num_threads(1)  # a fork does not survive OpenMP's threads
    open_tiny(folder).close()
    sparse_kernels.add_later(np.zeros((1, 1), np.float32), np.zeros(1, np.bool_))  # loads much of numba


def train_tiny(folder, config=TINY) -> Training:
    """Trains to the end."""
    opened = open_tiny(folder, config)
    with opened:
        for _ in opened.run():
            pass
    return opened


def timeless_metrics(folder):
    """The lines of metrics without what differs from run to run."""
    lines = map(json.loads, (Path(folder) / METRICS).read_text().splitlines())
    return [{key: value for key, value in line.items() if key not in _TIMES} for line in lines]


def tensors_of(path):
    """The tensors of a file as bytes, by name."""
    tensors = safetensors.torch.load_file(path)
    return {name: value.contiguous().numpy().tobytes() for name, value in tensors.items()}


def check_same(folder, other):
    """The two runs ended with the same bytes and made the same updates, each once."""
    metrics = timeless_metrics(folder)
    assert metrics == timeless_metrics(other)
    updates = [line["update"] for line in metrics if line["kind"] == "update"]
    assert updates == list(range(1, len(updates) + 1))
    newest = Path("checkpoints", str(len(updates)), "state.safetensors")
    for name in (LAST, "best.safetensors", newest):
        assert tensors_of(Path(folder) / name) == tensors_of(Path(other) / name)
    past = [sorted(path.name for path in (Path(each) / "past").iterdir()) for each in (folder, other)]
    assert past[0] == past[1]


def check_that_it_goes_on(folder, config, layer):
    """Checks that a run that was stopped ends with the same bytes, and that no layer for training is left."""
    config = sharing(lasting(config, 7), 1)
    train_tiny(folder / "whole", config)
    with open_tiny(folder / "stopped", config) as opened:
        for _ in opened.run(lambda: opened.updates == 6):
            pass
    train_tiny(folder / "stopped", config)
    check_same(folder / "whole", folder / "stopped")
    assert not any(layer in name for name in tensors_of(folder / "whole" / LAST))
    start = {"start": str(folder / "whole" / LAST), "expert": "", "expert_decisions": 0}
    train_tiny(folder / "started", dataclasses.replace(lasting(config, 1), **start))


def lines_in(folder):
    """How many lines of metrics there are."""
    path = Path(folder) / METRICS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def has_ended(child):
    """Whether a child process has ended, which can still be waited for then."""
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def main(folder, kills, seed):
    """Trains in child processes that are killed at random moments, then in one that is not."""
    shorten_evaluations()
    load_before_forks(f"{folder}.loaded")
    luck = random.Random(seed)
    for left in range(kills, -1, -1):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                train_tiny(folder)
                code = 0
            except BaseException:
                traceback.print_exc()
            os._exit(code)
        if left:
            wanted = lines_in(folder) + luck.randrange(1, 2 + UPDATES // kills)
            try:
                eventually(lambda n=wanted, child=child: lines_in(folder) >= n or has_ended(child), "lines")
                time.sleep(luck.random() * 0.02)
            finally:
                os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        print(f"child ended with {status}, {lines_in(folder)} lines", flush=True)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
