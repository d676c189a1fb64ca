"""Without what Windows lacks, games, tournaments and training work; other commands say what they need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from wotr_env import Game, GameRecord

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="simulates Windows on Linux")

FOLDER = Path(__file__).parents[1] / "windows"
RUN = """
import json, sys
from wotr_experiments.cli.main import main
if __name__ == "__main__":
    for command in map(json.loads, sys.argv[1:]):
        if code := main(command):
            sys.exit(code)
"""
REFUSED = """
import json, sys
from wotr_experiments.cli.main import main
if __name__ == "__main__":
    assert all([main(command) for command in map(json.loads, sys.argv[1:])])
"""
CHECK = """
import os, signal, sys
assert not hasattr(os, "fork") and not hasattr(signal, "SIGALRM") and sys.modules["resource"] is None
def fails(call, error):
    try:
        call()
    except error:
        return
    sys.exit(f"{call} does not raise {error}")
fails(lambda: os.open(".", os.O_RDONLY), PermissionError)
fails(lambda: open("a:b", "wb"), OSError)
file = open("open", "wb")
fails(lambda: os.remove("open"), PermissionError)
file.close()
os.remove("open")
"""


@pytest.fixture
def python(tmp_path):
    """Runs a program in a folder whose name has spaces and letters that are not ASCII."""
    here = tmp_path / "Barad-dûr и дом"
    here.mkdir()
    paths = os.pathsep.join([str(FOLDER), os.environ["PYTHONPATH"]])
    environment = {"PYTHONPATH": paths, "PYTHONWARNDEFAULTENCODING": "1", "PYTHONIOENCODING": "utf-8"}

    def python(code: str, *arguments: str, typed: str = "") -> CompletedProcess[str]:
        program = tmp_path / "program.py"
        program.write_text(code, encoding="utf-8")
        return subprocess.run(
            [sys.executable, str(program), *arguments],
            cwd=here,
            env={**os.environ, **environment},
            input=typed,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    python.here = here
    return python


@pytest.fixture
def wotr(python):
    """Runs a command of ``wotr``, or several in one process, up to the first that fails."""

    def wotr(*command: str, then: Sequence[Sequence[str]] = (), typed: str = "") -> CompletedProcess[str]:
        return python(RUN, *map(json.dumps, (command, *then)), typed=typed)

    wotr.here = python.here
    return wotr


def succeeds(done: CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_the_simulation_takes_what_windows_lacks(python):
    succeeds(python(CHECK))


@pytest.mark.slow
def test_a_tournament_with_worker_processes_is_played_continued_and_read(wotr):
    arguments = ["scripted", "random", "--max-turns", "2", "--workers", "2", "--out"]
    replay = ["replay", "games ü", "--record", "4", "--html", "page é.html", "--luck", "none"]
    export = ["export", "games ü", "--format", "csv", "--out", "tables"]
    longer = ["tournament", *arguments, "games ü", "--games", "4"]
    succeeds(wotr("tournament", *arguments, "games ü", "--games", "2", then=[longer, replay, export]))
    summary = json.loads((wotr.here / "games ü" / "summary.json").read_text(encoding="utf-8"))
    assert summary["games"] == 4
    assert (wotr.here / "page é.html").is_file()


@pytest.mark.slow
def test_commands_that_start_processes_or_write_folders_run(wotr):
    first, *others = (
        "study random --games 2 --max-turns 1 --workers 1 --out s",
        "text-tournament random random --games 2 --max-turns 1 --out t",
        "bench --only state_copies --repeats 1 --out b",
        "check-bot random --games 1 --decisions 5",
        "train run --ruleset first:max_turns=1 --decisions 64 --games 8 --steps 8 --width 16 --hidden 8 "
        "--evaluate-games 2",
    )
    succeeds(wotr(*first.split(), then=[line.split() for line in others]))


def test_a_game_in_the_terminal_is_saved_and_continued(wotr):
    succeeds(wotr("play", "--as", "shadow", "--against", "scripted", "--save", "é 1.json", typed="1\nquit\n"))
    saved = wotr.here / "é 1.json"
    saved.write_bytes(saved.read_bytes().replace(b"\n", b"\r\n"))
    succeeds(wotr("play", "--load", "é 1.json", typed="quit\r\n"))


def test_bots_in_processes_of_their_own_are_refused_in_a_line(python):
    isolated = ["tournament", "scripted", "random", "--games", "2", "--isolate", "all"]
    program = ["check-bot", "--protocol", "stdio:python3 bot.py"]
    done = python(REFUSED, *map(json.dumps, (isolated, program)))
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    first, _, second = done.stderr.partition("\n")
    assert first == (
        "wotr: bot scripted cannot be made: this system cannot run bots in separate processes; "
        "use --isolate none, and no programs as bots"
    )
    assert "programs as bots need Linux or macOS" in second + done.stdout


def test_files_with_line_ends_of_windows_are_read(wotr):
    game = Game(seed=3)
    start = game.position()
    for _ in range(20):
        game.step(game.legal()[0])
    GameRecord.from_game(game, ("a", "b")).save(wotr.here / "games.jsonl")
    (wotr.here / "open.txt").write_text(f"# a comment\n\n{start}\n", encoding="utf-8")
    for path in (wotr.here / "games.jsonl", wotr.here / "open.txt"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    short = ["--games", "2", "--max-turns", "1", "--workers", "1"]
    positions = ["tournament", "random", "random", "--positions", "open.txt", *short]
    assert "1 record replays" in succeeds(wotr("replay", "games.jsonl", then=[positions]))
