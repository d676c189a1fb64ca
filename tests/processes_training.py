"""A tiny training run by several processes, which are disturbed; for tests of what torchrun starts.

python -m tests.processes_training FOLDER          sittings in processes forked from one, told as JSON
python -m tests.processes_training command ...     the command line, with short evaluations
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import torch

from tests.tiny_training import lines_in, open_tiny, shorten_evaluations
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training.folder_copy import FolderCopy

SIZES = "--width 16 --hidden 8 --games 8 --steps 8 --workers 4 --minibatch-size 32 --device cpu"
TIMES = "--decisions 768 --evaluate-games 6 --evaluate-every 5 --checkpoint-every 2 --past-every 1"
BOTS = "--opponent random --opponent scripted --past-share 0.25 --anchor random"
EXPERT = "--expert scripted --expert-decisions 256"
OPTIONS = " ".join((SIZES, TIMES, BOTS, EXPERT)).split()
UPDATES = 12
"""That the options ask for."""
FAILURE = "this bot has failed twice"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def sitting(folder, count, options, disturb=None, fail=False):
    """Trains in so many processes; returns their exit codes, what each wrote, and how long the last one took.

    Args:
        folder: of the run.
        count: of processes.
        options: of the command.
        disturb: called with the process ids once they train; the time is taken from its end.
        fail: whether the last process meets an error at the third update.
    """
    port, errors = free_port(), [Path(f"{folder}.{rank}") for rank in range(count)]
    children = []
    for rank in range(count):
        child = os.fork()
        if child == 0:
            os.environ.update(RANK=f"{rank}", WORLD_SIZE=f"{count}", MASTER_ADDR="127.0.0.1")
            os.environ.update(MASTER_PORT=f"{port}", LOCAL_RANK=f"{rank}")
            os.dup2(os.open(errors[rank], os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
            if fail and rank == count - 1:
                FolderCopy.log = _failing
            os._exit(cli.main(["train", str(folder), *options]))
        children.append(child)
    if disturb is not None:
        disturb(children)
    start = time.monotonic()
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    return {
        "codes": codes,
        "seconds": time.monotonic() - start,
        "errors": [path.read_text() for path in errors],
        "lines": lines_in(folder),
    }


def _failing(self, line):
    if line["update"] == 3:
        raise CommandError(FAILURE)


def main(folder):
    """Three sittings in one folder: one process meets an error, one is killed, and four train to the end."""
    shorten_evaluations()
    torch.set_num_threads(1)  # a fork does not survive OpenMP's threads
    open_tiny(f"{folder}.loaded").close()  # children start at once if all is loaded before the fork

    def kill(children):
        wanted = lines_in(folder) + 4
        until = time.monotonic() + 60
        while lines_in(folder) < wanted and time.monotonic() < until:
            time.sleep(0.002)
        os.kill(children[1], signal.SIGKILL)

    found = {
        "failed": sitting(folder, 2, OPTIONS, fail=True),
        "killed": sitting(folder, 2, ["--resume", "--device", "cpu"], kill),
        "finished": sitting(folder, 4, OPTIONS),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1] == "command":
        shorten_evaluations()
        sys.exit(cli.main(sys.argv[2:]))
    main(sys.argv[1])
