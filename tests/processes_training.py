"""A tiny training run by several processes, which are disturbed; for tests of what torchrun starts.

python -m tests.processes_training FOLDER          sessions in processes forked from one, told as JSON
python -m tests.processes_training two FOLDER ...  a session of two processes with these options, told as JSON
python -m tests.processes_training command ...     the command line, with short evaluations; with the variable
                                                   HELD the first process writes the file that it names at its
                                                   third update, and waits there for Ctrl-C
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

from torch.distributed import TCPStore

from tests.tiny_training import has_ended, lines_in, load_before_forks, shorten_evaluations
from tests.waiting import eventually, eventually_by
from wotr_experiments.cli import main as cli
from wotr_experiments.errors import CommandError
from wotr_experiments.training.folder_copy import FolderCopy
from wotr_experiments.training.run_folder import RunFolder

SIZES = "--width 16 --hidden 8 --games 8 --steps 8 --workers 4 --minibatch-size 32 --device cpu"
TIMES = "--decisions 448 --evaluate-games 6 --evaluate-every 4 --checkpoint-every 2 --past-every 1"
BOTS = "--opponent random --opponent scripted --past-share 0.25 --anchor random"
EXPERT = "--expert scripted --expert-decisions 192"
OPTIONS = " ".join((SIZES, TIMES, BOTS, EXPERT)).split()
UPDATES = 7
"""That the options ask for."""
FAILURE = "this bot has failed twice"
HELD_AT = 3
KILLED_AT = 5
"""Updates at which a process waits."""


def session(folder, count, options, log=None, killed_at=None):
    """Trains in so many processes; returns their exit codes, and what each wrote.

    Args:
        folder: of the run.
        count: of processes.
        options: of the command.
        log: what the last process does with a line of metrics; nothing by default.
        killed_at: the file that the last process makes when it is to be killed.
    """
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)  # as torchrun holds it
    errors = [Path(f"{folder}.{rank}") for rank in range(count)]
    children = []
    for rank in range(count):
        child = os.fork()
        if child == 0:
            os.environ.update(RANK=f"{rank}", WORLD_SIZE=f"{count}", MASTER_ADDR="127.0.0.1")
            os.environ.update(MASTER_PORT=f"{store.port}", LOCAL_RANK=f"{rank}")
            os.environ.update(TORCHELASTIC_USE_AGENT_STORE="True", TORCHELASTIC_RESTART_COUNT="0")
            os.dup2(os.open(errors[rank], os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
            if log is not None and rank == count - 1:
                FolderCopy.log = log
            os._exit(cli.main(["train", str(folder), *options]))
        children.append(child)
    if killed_at is not None:
        try:
            eventually(lambda: killed_at.exists() or has_ended(children[-1]), "the process to be killed")
        finally:
            os.kill(children[-1], signal.SIGKILL)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    return {
        "codes": codes,
        "errors": [path.read_text() for path in errors],
        "lines": lines_in(folder),
    }


def _failing(self, line):
    if line["update"] == 3:
        raise CommandError(FAILURE)


def _waiting(path):
    """What is done with lines by a process that waits to be killed."""

    def log(_self, line):
        if line["update"] == KILLED_AT:
            path.touch()
            signal.pause()

    return log


def _hold(path):
    """Has the process that writes the folder wait for Ctrl-C, which does then what it always does."""
    log = RunFolder.log

    def held(self, line):
        log(self, line)
        if line["kind"] == "update" and line["update"] == HELD_AT:
            pressed, handler = threading.Event(), signal.getsignal(signal.SIGINT)
            signal.signal(signal.SIGINT, lambda *told: (pressed.set(), handler(*told)))
            path.touch()
            eventually(pressed.is_set, "Ctrl-C")
            signal.signal(signal.SIGINT, handler)

    RunFolder.log = held


def kill_held(command, held):
    """Has another process train until the third update, and kills it there.

    Args:
        command: the arguments of ``wotr``.
        held: a file that is not there yet.
    """
    program = [sys.executable, "-m", "tests.processes_training", "command", *command]
    environment = {**os.environ, "HELD": str(held), "OMP_NUM_THREADS": "1"}
    folder = Path(__file__).parents[1]
    with subprocess.Popen(program, cwd=folder, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            assert eventually_by(process, held.exists, "the third update")
        finally:
            process.kill()


def load(folder):
    """Shortens evaluations in all sessions, and loads what they need."""
    shorten_evaluations()
    load_before_forks(f"{folder}.loaded")


def main(folder):
    """Sittings that are disturbed, and some with other workers.

    In one folder, one process meets an error, one is killed, and four train to the end. In two others, a run
    with two workers goes on with four: in one process, and in two.
    """
    load(folder)
    path = Path(f"{folder}.waits")
    found = {
        "failed": session(folder, 2, OPTIONS, _failing),
        "killed": session(folder, 2, ["--resume", "--device", "cpu"], _waiting(path), path),
        "finished": session(folder, 4, OPTIONS),
    }
    one, two = f"{folder}.one", f"{folder}.two"
    begun = session(one, 1, [*OPTIONS, "--workers", "2", "--decisions", "192"])
    shutil.copytree(one, two)
    changes = ["--resume", "--device", "cpu", "--workers", "4", "--decisions", "384"]
    found["other workers"] = [begun, session(one, 1, changes), session(two, 2, changes)]
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1] == "command":
        shorten_evaluations()
        if "HELD" in os.environ:
            _hold(Path(os.environ["HELD"]))
        sys.exit(cli.main(sys.argv[2:]))
    if sys.argv[1] == "two":
        folder, *options = sys.argv[2:]
        load(folder)
        print(json.dumps(session(folder, 2, options)))
    else:
        main(sys.argv[1])
